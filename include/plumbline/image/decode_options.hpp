#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>

#include <plumbline/image/decode_error.hpp>

namespace plumbline {

/// Options of decode().
struct decode_options {
  /// 1 grey, 3 RGB, 4 RGB and alpha. Grey is repeated for RGB; alpha is dropped, not blended, as in Pillow.
  std::size_t channels = 3;

  /// Turn the picture as its Exif block says (JPEG only). Off by default, as in torchvision.io.decode_image and Pillow.
  bool apply_exif_orientation = false;

  /// Accept a JPEG that ends early; the missing part is grey, or coarse in a progressive one. If off, it is an error.
  bool allow_truncated = false;

  /// Reject larger pictures before memory is allocated for them (a few bytes of file can ask for gigabytes).
  std::size_t max_pixels = std::size_t{1024} * 1024 * 1024 / 4 / 3;  // Pillow's limit
};

namespace detail {
constexpr bool are_channels(std::size_t n) { return n == 1 || n == 3 || n == 4; }
/// Returns the options. Throws std::invalid_argument for channels that no picture has.
constexpr const decode_options& checked(const decode_options& options) {
  if (!are_channels(options.channels))
    throw std::invalid_argument("plumbline: decode: channels is " + std::to_string(options.channels) +
                                "; give 1 (grey), 3 (RGB) or 4 (RGB and alpha)");
  return options;
}
inline void need_reasonable_size(std::size_t height, std::size_t width, const decode_options& options) {
  if (height == 0 || width == 0) throw decode_error("the picture has no pixels");
  if (width > options.max_pixels / height) {
    throw decode_error("the picture has " + std::to_string(width) + " x " + std::to_string(height) +
                       " pixels, more than max_pixels = " + std::to_string(options.max_pixels));
  }
}
}  // namespace detail
}  // namespace plumbline
