#pragma once
/// Definitions of image/orient.hpp.

#include <plumbline/image/orient.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE image oriented(image in, int orientation) {
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

PLUMBLINE_INLINE box oriented(box b, int orientation, std::size_t h, std::size_t w) noexcept {
  if (orientation <= 1 || orientation > 8) return b;
  if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) b.top = h - b.top - b.height;
  if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) b.left = w - b.left - b.width;
  return orientation < 5 ? b : box{b.left, b.top, b.width, b.height};
}

}  // namespace plumbline::detail
