#pragma once
/// Definitions of image/random_resized_crop.hpp.

#include <plumbline/image/random_resized_crop.hpp>

#include <cmath>

namespace plumbline::detail {

PLUMBLINE_INLINE box random_box(std::size_t height, std::size_t width, const crop_range& range, rng& random) {
  const double h = static_cast<double>(height), w = static_cast<double>(width);
  const double low = detail::log(range.min_ratio), high = detail::log(range.max_ratio);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = times(times(h, w), random.uniform(range.min_scale, range.max_scale));
    const double ratio = detail::exp(random.uniform(low, high));
    const double crop_w = std::nearbyint(std::sqrt(times(area, ratio)));
    const double crop_h = std::nearbyint(std::sqrt(area / ratio));
    if (crop_w >= 1 && crop_w <= w && crop_h >= 1 && crop_h <= h) {
      const auto ch = static_cast<std::size_t>(crop_h), cw = static_cast<std::size_t>(crop_w);
      const std::size_t top = random.below(height - ch + 1);
      return {top, random.below(width - cw + 1), ch, cw};
    }
  }
  std::size_t ch = height, cw = width;
  const auto at_least_1 = [](double x) { return x < 1 ? std::size_t{1} : static_cast<std::size_t>(x); };
  if (w / h < range.min_ratio)
    ch = at_least_1(std::nearbyint(w / range.min_ratio));
  else if (w / h > range.max_ratio)
    cw = at_least_1(std::nearbyint(times(h, range.max_ratio)));
  return {(height - ch) / 2, (width - cw) / 2, ch, cw};
}

}  // namespace plumbline::detail
