#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <plumbline/data/fixed_tensor.hpp>
#include <plumbline/data/tensor.hpp>

namespace plumbline {

/// A picture of any size: height x width x channels, channels innermost, row-major.
/// Sizes may differ from element to element, so it cannot be batched. Operations that make all sizes equal return
/// another type, which can be batched: fixed_image where the size is a template argument, tensor where it is a run-time
/// value.
template <class T> class basic_image {
 public:
  using value_type = T;
  tensor<T> pixels;  ///< of rank 3

  /// 0 x 0 x 0.
  basic_image() noexcept : pixels(tensor<T>::uninitialized({0, 0, 0})) {}

  /// Throws shape_mismatch unless `hwc` has rank 3.
  explicit basic_image(tensor<T> hwc) : pixels(std::move(hwc)) {
    if (pixels.rank() != 3) {
      throw shape_mismatch("plumbline: an image has shape [height, width, channels], not " + to_string(pixels.shape()) +
                           "; reshape it");
    }
  }

  /// All samples zero.
  basic_image(std::size_t height, std::size_t width, std::size_t channels) : pixels({height, width, channels}) {}

  /// The samples have no value until they are written.
  static basic_image uninitialized(std::size_t height, std::size_t width, std::size_t channels) {
    return basic_image(tensor<T>::uninitialized({height, width, channels}));
  }

  std::size_t height() const noexcept { return pixels.shape()[0]; }
  std::size_t width() const noexcept { return pixels.shape()[1]; }
  std::size_t channels() const noexcept { return pixels.shape()[2]; }
  T* data() noexcept { return pixels.data(); }
  const T* data() const noexcept { return pixels.data(); }

  /// The first sample of row y; width() * channels() samples follow.
  T* row(std::size_t y) noexcept { return data() + y * width() * channels(); }
  const T* row(std::size_t y) const noexcept { return data() + y * width() * channels(); }

  T& operator()(std::size_t y, std::size_t x, std::size_t c) noexcept { return pixels(y, x, c); }
  const T& operator()(std::size_t y, std::size_t x, std::size_t c) const noexcept { return pixels(y, x, c); }

  friend bool operator==(const basic_image&, const basic_image&) = default;
};

/// 8-bit samples, 0 to 255.
using image = basic_image<std::uint8_t>;

/// An 8-bit picture whose size is known at compile time.
template <std::size_t Height, std::size_t Width, std::size_t Channels = 3>
using fixed_image = fixed_tensor<std::uint8_t, Height, Width, Channels>;

}  // namespace plumbline
