#pragma once
#include <cstddef>

#include <plumbline/image/picture.hpp>

namespace plumbline {

namespace detail {

template <class T> void split_channels(picture_view<const T> in, T* out) noexcept {
  const std::size_t n = in.height * in.width;
  if (in.channels == 3) {
    T *r = out, *g = out + n, *b = out + 2 * n;
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = in.data[3 * i];
      g[i] = in.data[3 * i + 1];
      b[i] = in.data[3 * i + 2];
    }
    return;
  }
  for (std::size_t c = 0; c < in.channels; ++c) {
    for (std::size_t i = 0; i < n; ++i) out[c * n + i] = in.data[in.channels * i + c];
  }
}

struct to_planar_fn {
  using wants = image;
  template <class T, std::size_t H, std::size_t W, std::size_t C>
  fixed_tensor<T, C, H, W> operator()(const fixed_tensor<T, H, W, C>& x) const {
    auto out = fixed_tensor<T, C, H, W>::uninitialized();
    split_channels(detail::view_of(x), out.data());
    return out;
  }
  template <class T> tensor<T> operator()(const tensor<T>& x) const { return of(detail::view_of(x)); }
  template <class T> tensor<T> operator()(const basic_image<T>& x) const { return of(detail::view_of(x)); }

 private:
  template <class T> static tensor<T> of(picture_view<const T> v) {
    auto out = tensor<T>::uninitialized({v.channels, v.height, v.width});
    split_channels(v, out.data());
    return out;
  }
};

}  // namespace detail

/// Converts height x width x channels to channels x height x width, the layout of PyTorch. O(pixels).
///   pl::map(pl::to_planar())  // fixed_tensor<T, H, W, C> -> fixed_tensor<T, C, H, W>; other pictures -> tensor<T>
/// Throws shape_mismatch for a tensor whose rank is not 3.
constexpr auto to_planar() { return detail::to_planar_fn{}; }

}  // namespace plumbline
