#pragma once
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <plumbline/image/picture.hpp>
#include <plumbline/image/stb_image_write.hpp>

namespace plumbline {

/// A picture of bytes (1 to 4 channels) as the contents of a PNG file. For looking at, not for speed.
/// Throws shape_mismatch for no pixels or other channels.
template <detail::byte_picture P> bytes encode_png(const P& x) {
  const auto v = detail::view_of(x);
  if (v.height == 0 || v.width == 0 || v.channels == 0 || v.channels > 4 || v.height > INT_MAX ||
      v.row_size() > INT_MAX) {
    throw shape_mismatch("plumbline: a PNG has 1 to 4 channels and at least one pixel");
  }
  std::vector<std::uint8_t> file;
  const auto append = [](void* to, void* data, int n) {
    const auto* from = static_cast<const std::uint8_t*>(data);
    auto& contents = *static_cast<std::vector<std::uint8_t>*>(to);
    contents.insert(contents.end(), from, from + n);
  };
  if (detail::stb::stbi_write_png_to_func(append, &file, static_cast<int>(v.width), static_cast<int>(v.height),
                                          static_cast<int>(v.channels), v.data, 0) == 0) {
    throw std::bad_alloc();
  }
  return bytes::of(std::span<const std::uint8_t>(file));
}

/// Writes a picture of bytes to a PNG file. Throws std::system_error naming the path.
template <detail::byte_picture P> void write_png(const std::string& path, const P& x) {
  const bytes contents = encode_png(x);
  errno = 0;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr || std::fwrite(contents.data(), 1, contents.size(), file.get()) != contents.size() ||
      std::fflush(file.get()) != 0) {
    throw std::system_error(errno, std::generic_category(), "plumbline: write_png cannot write " + path);
  }
}

}  // namespace plumbline
