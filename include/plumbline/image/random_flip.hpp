#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>

#include <plumbline/core/rng.hpp>
#include <plumbline/image/picture.hpp>

namespace plumbline {

namespace detail {

/// Reverses a row of pixels; each pixel is moved as a whole if its size is known at compile time.
template <std::size_t C, class T> void reverse_pixels(T* row, std::size_t width, std::size_t channels) noexcept {
  if constexpr (C == 0) {
    for (T *left = row, *right = row + (width - 1) * channels; left < right; left += channels, right -= channels) {
      std::swap_ranges(left, left + channels, right);
    }
  } else {
    struct pixel {
      T samples[C];
    };
    for (T *left = row, *right = row + (width - 1) * C; left < right; left += C, right -= C) {
      pixel l, r;
      std::memcpy(&l, left, sizeof l);
      std::memcpy(&r, right, sizeof r);
      std::memcpy(left, &r, sizeof r);
      std::memcpy(right, &l, sizeof l);
    }
  }
}

/// Mirrors left and right, in place.
template <class T> void mirror(picture_view<T> v) noexcept {
  if (v.width < 2) return;
  for (std::size_t y = 0; y < v.height; ++y) {
    if (v.channels == 3)
      reverse_pixels<3>(v.row(y), v.width, v.channels);
    else if (v.channels == 1)
      reverse_pixels<1>(v.row(y), v.width, v.channels);
    else
      reverse_pixels<0>(v.row(y), v.width, v.channels);
  }
}

struct random_flip_fn {
  using wants = image;
  double p;

  template <picture P> P operator()(P x, rng& random) const {
    if (random.bernoulli(p)) mirror(detail::view_of(x));
    return x;
  }
};

}  // namespace detail

/// Mirrors a picture left to right with probability p and keeps its type. In place: O(pixels), no memory.
///   pl::map(pl::random_flip())
constexpr auto random_flip(double p = 0.5) { return detail::random_flip_fn{p}; }

}  // namespace plumbline
