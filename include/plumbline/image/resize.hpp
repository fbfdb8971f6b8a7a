#pragma once
#include <cstddef>
#include <cstdint>

#include <plumbline/image/picture.hpp>
#include <plumbline/image/resample.hpp>

namespace plumbline {

namespace detail {

inline void need_pixels(std::size_t height, std::size_t width, const char* operation) {
  if (height == 0 || width == 0) {
    throw shape_mismatch("plumbline: " + std::string(operation) + " got a picture without pixels; filter it out");
  }
}

template <std::size_t H, std::size_t W, std::size_t C> struct resize_fixed {
  using wants = image;
  template <byte_picture P> fixed_image<H, W, C> operator()(const P& x) const {
    const auto v = detail::view_of(x);
    need_pixels(v.height, v.width, "resize");
    need_channels(v.channels, C, "resize");
    auto out = fixed_image<H, W, C>::uninitialized();
    resample(v, {0, 0, v.height, v.width}, H, W, out.data());
    return out;
  }
};

struct resize_to {
  using wants = image;
  std::size_t height, width;

  template <byte_picture P> tensor<std::uint8_t> operator()(const P& x) const {
    const auto v = detail::view_of(x);
    need_pixels(v.height, v.width, "resize");
    auto out = tensor<std::uint8_t>::uninitialized({height, width, v.channels});
    resample(v, {0, 0, v.height, v.width}, height, width, out.data());
    return out;
  }
};

struct resize_shorter_to {
  using wants = image;
  std::size_t side;

  template <byte_picture P> image operator()(const P& x) const {
    const auto v = detail::view_of(x);
    need_pixels(v.height, v.width, "resize_shorter");
    const bool upright = v.width <= v.height;
    const std::size_t longer = upright ? side * v.height / v.width : side * v.width / v.height;
    auto out =
        upright ? image::uninitialized(longer, side, v.channels) : image::uninitialized(side, longer, v.channels);
    resample(v, {0, 0, v.height, v.width}, out.height(), out.width(), out.data());
    return out;
  }
};

}  // namespace detail

/// Resizes any picture of bytes to H x W; the aspect ratio is not kept. Antialiased bilinear, see image/resample.hpp:
/// within one grey level of PIL.Image.resize(BILINEAR) and torchvision's resize(antialias=True).
///   pl::map(pl::resize<224, 224>())       // -> fixed_image<224, 224, 3>
/// Throws shape_mismatch for a picture without pixels or with another number of channels.
/// O(in pixels + out pixels) when reducing, O(out pixels) when enlarging.
template <std::size_t Height, std::size_t Width, std::size_t Channels = 3> constexpr auto resize() {
  return detail::resize_fixed<Height, Width, Channels>{};
}

/// The same with a size known at run time:  pl::map(pl::resize(h, w))  // -> tensor<std::uint8_t> [h, w, channels]
constexpr auto resize(std::size_t height, std::size_t width) { return detail::resize_to{height, width}; }

/// Resizes so that the shorter side has `side` pixels and the aspect ratio is kept (the longer side is rounded down, as
/// torchvision's resize(int)). The result's size varies, so it is an image.
///   pl::map(pl::resize_shorter(256)) | pl::map(pl::center_crop<224, 224>())
constexpr auto resize_shorter(std::size_t side) { return detail::resize_shorter_to{side}; }

}  // namespace plumbline
