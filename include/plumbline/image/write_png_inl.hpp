#pragma once
/// Definitions of image/write_png.hpp.

#include <plumbline/image/stb_image_write.hpp>
#include <plumbline/image/write_png.hpp>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <vector>

namespace plumbline::detail {

PLUMBLINE_INLINE byte_tensor png_of(picture_view<const std::uint8_t> v) {
  if (v.height == 0 || v.width == 0 || v.channels == 0 || v.channels > 4)
    throw shape_mismatch("plumbline: a PNG has 1 to 4 channels and at least one pixel");
  // stb_image_write counts bytes, one more for each row, in an int, and doubles the memory for what they become
  if (v.row_size() >= INT_MAX / 3 / v.height)
    throw shape_mismatch("plumbline: encode_png: a picture of " + std::to_string(v.height) + " x " +
                         std::to_string(v.width) + " x " + std::to_string(v.channels) +
                         " bytes is too large, as at most 700 MB are supported; write it in parts");
  std::vector<std::uint8_t> file;
  const auto append = [](void* to, void* data, int n) {
    const auto* from = static_cast<const std::uint8_t*>(data);
    auto& contents = *static_cast<std::vector<std::uint8_t>*>(to);
    contents.insert(contents.end(), from, from + n);
  };
  if (stb::stbi_write_png_to_func(append, &file, static_cast<int>(v.width), static_cast<int>(v.height),
                                  static_cast<int>(v.channels), v.data, 0) == 0) {
    throw std::bad_alloc();
  }
  return byte_tensor::of(std::span<const std::uint8_t>(file));
}

PLUMBLINE_INLINE void write_all(const std::string& path, const byte_tensor& contents) {
  errno = 0;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr || std::fwrite(contents.data(), 1, contents.size(), file.get()) != contents.size() ||
      std::fflush(file.get()) != 0) {
    throw std::system_error(errno, std::generic_category(), "plumbline: write_png cannot write " + path);
  }
}

}  // namespace plumbline::detail
