#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <plumbline/image/picture.hpp>

namespace plumbline {

namespace detail {

/// The position of a centred crop of `crop` samples along an axis of `size`.
struct centred {
  std::size_t from;   // first sample taken
  std::size_t to;     // its place in the output: the zeros before it
  std::size_t count;  // samples taken

  static constexpr centred in(std::size_t size, std::size_t crop) noexcept {
    if (crop > size) return {0, (crop - size) / 2, size};
    const std::size_t gap = size - crop;
    // gap / 2, a half rounded to the even neighbour, as Python's round() does in torchvision
    return {gap / 2 + (gap % 4 == 3 ? 1 : 0), 0, crop};
  }
};

/// Copies rows of samples into the middle of height x width x channels zeros. `from`: the first sample taken.
template <class T>
void put_centre(const T* from, std::size_t row_size, const centred& y, const centred& x, std::size_t channels,
                std::size_t height, std::size_t width, T* out) {
  if (y.count < height || x.count < width) std::fill_n(out, height * width * channels, T{});
  if (x.count == 0) return;
  for (std::size_t i = 0; i < y.count; ++i)
    std::copy_n(from + i * row_size, x.count * channels, out + ((y.to + i) * width + x.to) * channels);
}

template <class T> void crop_centre(picture_view<const T> in, std::size_t height, std::size_t width, T* out) {
  const auto y = centred::in(in.height, height), x = centred::in(in.width, width);
  put_centre(in.row(y.from) + x.from * in.channels, in.row_size(), y, x, in.channels, height, width, out);
}

template <std::size_t H, std::size_t W, std::size_t C> struct center_crop_fixed {
  using wants = image;
  template <picture P> auto operator()(const P& x) const {
    const auto v = detail::view_of(x);
    need_channels(v.channels, C, "center_crop");
    auto out = fixed_tensor<sample_of<P>, H, W, C>::uninitialized();
    crop_centre(v, H, W, out.data());
    return out;
  }
};

struct center_crop_to {
  using wants = image;
  std::size_t height, width;

  template <picture P> auto operator()(const P& x) const {
    const auto v = detail::view_of(x);
    auto out = tensor<sample_of<P>>::uninitialized({height, width, v.channels});
    crop_centre(v, height, width, out.data());
    return out;
  }
};

}  // namespace detail

/// The middle H x W pixels; where the picture is smaller, zeros around it. Exactly torchvision's center_crop, including
/// its rounding of odd margins. O(out pixels).
///   pl::map(pl::center_crop<224, 224>())  // -> fixed_image<224, 224, 3> from a picture of bytes
/// Throws shape_mismatch for another number of channels.
template <std::size_t Height, std::size_t Width, std::size_t Channels = 3> constexpr auto center_crop() {
  return detail::center_crop_fixed<Height, Width, Channels>{};
}

/// The same with a size known at run time:  pl::map(pl::center_crop(h, w))  // -> tensor [h, w, channels]
constexpr auto center_crop(std::size_t height, std::size_t width) { return detail::center_crop_to{height, width}; }

}  // namespace plumbline
