#pragma once
/// Definitions of image/complete_file.hpp.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <plumbline/image/complete_file.hpp>
#include <plumbline/image/decode_error.hpp>

namespace plumbline::detail {

/// Reads a file's bytes; those beyond its end are an error.
class picture_bytes {
 public:
  picture_bytes(byte_span file, const char* format) : file_(file), format_(format) {}
  std::size_t at = 0;

  void need(std::size_t bytes) const {
    if (bytes > file_.size())
      throw decode_error(std::string("the ") + format_ + " is truncated: it has " + std::to_string(file_.size()) +
                         " bytes, and needs at least " + std::to_string(bytes));
  }
  std::size_t next(std::size_t bytes = 1) {  // little-endian
    need(at + bytes);
    std::size_t x = 0;
    for (std::size_t i = 0; i != bytes; ++i) x |= std::size_t{file_[at + i]} << (8 * i);
    at += bytes;
    return x;
  }
  /// A decimal number of a PNM header, and the space after it.
  std::size_t number() {
    auto c = next();
    for (; c < '0' || c > '9'; c = next())
      if (c == '#')
        while (c != '\n' && c != '\r') c = next();
    std::size_t x = 0;
    for (; c >= '0' && c <= '9'; c = next()) x = std::min<std::size_t>(10 * x + c - '0', 1U << 31U);
    if (c == '#') --at;  // a comment right after the number
    return x;
  }

 private:
  byte_span file_;
  const char* format_;
};

inline void need_complete_pnm(byte_span file, std::size_t pixels) {
  picture_bytes f(file, "PNM");
  f.at = 2;
  f.number();
  f.number();
  if (f.number() > 255) throw decode_error("the PNM has 16 bits a sample, and only 8 are supported; make it a PNG");
  f.need(f.at + pixels * (file[1] == '6' ? 3 : 1));
}
inline void need_complete_bmp(byte_span file, std::size_t height, std::size_t width) {
  picture_bytes f(file, "BMP");
  f.at = 10;
  const auto pixels = f.next(4), header = f.next(4);
  f.at = header == 12 ? 24 : 28;
  const auto row = width * f.next(2);  // bits
  f.need(pixels + (height - 1) * ((row + 31) / 32 * 4) + (row + 7) / 8);
}
/// Up to the end of the first picture.
inline void need_complete_gif(byte_span file) {
  picture_bytes f(file, "GIF");
  const auto skip_colours = [&](std::size_t flags) { f.at += (flags & 0x80U) != 0 ? 3 * (2U << (flags & 7U)) : 0; };
  const auto skip_blocks = [&] {
    for (auto n = f.next(); n != 0; n = f.next()) f.at += n;
  };
  f.at = 10;
  const auto flags = f.next();
  f.at += 2;
  skip_colours(flags);
  for (;;) {
    const auto kind = f.next();
    if (kind == 0x21) {  // an extension
      f.at += 1;
      skip_blocks();
    } else if (kind == 0x2c) {
      f.at += 8;
      skip_colours(f.next());
      f.at += 1;
      skip_blocks();
      return;
    } else {
      throw decode_error("the GIF is damaged: it has no picture");
    }
  }
}

PLUMBLINE_INLINE void need_complete(byte_span file, std::size_t height, std::size_t width) {
  const std::string_view begin(reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 4));
  if (begin.starts_with("P5") || begin.starts_with("P6")) need_complete_pnm(file, height * width);
  if (begin.starts_with("BM")) need_complete_bmp(file, height, width);
  if (begin.starts_with("GIF8")) need_complete_gif(file);
}

}  // namespace plumbline::detail
