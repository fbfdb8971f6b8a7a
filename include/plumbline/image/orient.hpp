#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <plumbline/data/image.hpp>
#include <plumbline/image/picture.hpp>

namespace plumbline::detail {

/// The picture turned as an Exif orientation (1 to 8) asks for: 2 mirrored, 3 turned by 180 degrees, 4 upside down,
/// 5 transposed, 6 turned clockwise, 7 transposed along the other diagonal, 8 turned anticlockwise. O(pixels).
inline image oriented(image in, int orientation) {
  if (orientation <= 1 || orientation > 8) return in;
  const std::size_t h = in.height(), w = in.width(), c = in.channels();
  const bool swaps = orientation >= 5;
  // the source pixel of (y, x) is (y, x) or, after a swap, (x, y), counted from the far end where flipped
  const bool flips_rows = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool flips_columns = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  auto out = swaps ? image::uninitialized(w, h, c) : image::uninitialized(h, w, c);
  std::uint8_t* to = out.data();
  for (std::size_t y = 0; y < out.height(); ++y) {
    for (std::size_t x = 0; x < out.width(); ++x, to += c) {
      std::size_t sy = swaps ? x : y, sx = swaps ? y : x;
      if (flips_rows) sy = h - 1 - sy;
      if (flips_columns) sx = w - 1 - sx;
      std::memcpy(to, in.row(sy) + sx * c, c);
    }
  }
  return out;
}

/// Where a box of an h x w picture lies after oriented(). O(1).
inline box oriented(box b, int orientation, std::size_t h, std::size_t w) noexcept {
  if (orientation <= 1 || orientation > 8) return b;
  if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) b.top = h - b.top - b.height;
  if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) b.left = w - b.left - b.width;
  return orientation < 5 ? b : box{b.left, b.top, b.width, b.height};
}
/// The orientation that undoes another.
constexpr int undone(int orientation) noexcept { return orientation == 6 ? 8 : orientation == 8 ? 6 : orientation; }

}  // namespace plumbline::detail
