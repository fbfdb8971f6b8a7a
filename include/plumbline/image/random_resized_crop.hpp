#pragma once
#include <cstddef>
#include <cstdint>

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/rng.hpp>
#include <plumbline/image/picture.hpp>
#include <plumbline/image/resample.hpp>
#include <plumbline/image/resize.hpp>

namespace plumbline {

/// Which part of a picture random_resized_crop takes: its area as a fraction of the picture's, and width / height.
struct crop_range {
  double min_scale = 0.08, max_scale = 1.0;
  double min_ratio = 3.0 / 4.0, max_ratio = 4.0 / 3.0;
};

namespace detail {

/// The box of torchvision's RandomResizedCrop.get_params: ten tries, then the largest centred box within the ratios.
/// Area uniform, aspect ratio uniform in its logarithm, position uniform. 2 to 4 draws per try.
/// Uses only IEEE-exact operations and core/portable_math.hpp: the same box on every machine.
box random_box(std::size_t height, std::size_t width, const crop_range& range, rng& random);

template <std::size_t H, std::size_t W, std::size_t C> struct random_resized_crop_fixed {
  using wants = image;
  crop_range range;

  template <byte_picture P> fixed_image<H, W, C> operator()(const P& x, rng& random) const {
    const auto v = detail::view_of(x);
    need_pixels(v.height, v.width, "random_resized_crop");
    need_channels(v.channels, C, "random_resized_crop");
    auto out = fixed_image<H, W, C>::uninitialized();
    resample(v, random_box(v.height, v.width, range, random), H, W, out.data());
    return out;
  }
};

struct random_resized_crop_to {
  using wants = image;
  std::size_t height, width;
  crop_range range;

  template <byte_picture P> tensor<std::uint8_t> operator()(const P& x, rng& random) const {
    const auto v = detail::view_of(x);
    need_pixels(v.height, v.width, "random_resized_crop");
    auto out = tensor<std::uint8_t>::uninitialized({height, width, v.channels});
    resample(v, random_box(v.height, v.width, range, random), height, width, out.data());
    return out;
  }
};

}  // namespace detail

/// A random box of the picture, resized to H x W: torchvision's RandomResizedCrop (Szegedy et al. 2015), with its
/// defaults, antialiased. The box is read in place, never copied.
///   pl::map(pl::random_resized_crop<224, 224>())            // -> fixed_image<224, 224, 3>
///   pl::map(pl::random_resized_crop<224, 224>({.min_scale = 0.3}))
/// The distribution is torchvision's, except that a fallback box has at least one pixel; the draws are not.
/// Throws shape_mismatch for a picture without pixels or with another number of channels. O(box + out pixels).
template <std::size_t Height, std::size_t Width, std::size_t Channels = 3>
constexpr auto random_resized_crop(const crop_range& range = {}) {
  return detail::random_resized_crop_fixed<Height, Width, Channels>{range};
}

/// The same with a size known at run time; gives tensor<std::uint8_t> [height, width, channels].
constexpr auto random_resized_crop(std::size_t height, std::size_t width, const crop_range& range = {}) {
  return detail::random_resized_crop_to{height, width, range};
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/image/random_resized_crop_inl.hpp>
#endif
