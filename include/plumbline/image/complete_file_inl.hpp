#pragma once
/// Definitions of image/complete_file.hpp.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <plumbline/data/crc32.hpp>
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
  const auto bits = f.next(2), row = width * bits, stride = (row + 31) / 32 * 4;
  f.need(pixels + (height - 1) * stride + (row + 7) / 8);
  // stb_image gives a colour beyond those that it reads what its memory held; of the old header it reads four too few
  const auto before = header == 12 ? 38U : 14 + header;
  const auto colours = pixels < before ? 0 : (pixels - before) / (header == 12 ? 3 : 4);
  if ((bits != 1 && bits != 4 && bits != 8) || colours >= std::size_t{1} << bits) return;
  for (std::size_t y = 0; y != height; ++y)
    for (std::size_t x = 0; x != width; ++x) {
      const auto bit = x * bits;
      const auto colour = file[pixels + y * stride + bit / 8] >> (8 - bits - bit % 8) & ((1U << bits) - 1);
      if (colour >= colours)
        throw decode_error("the BMP uses colour " + std::to_string(colour) + ", and of its palette only " +
                           std::to_string(colours) + " can be read");
    }
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

inline std::uint32_t big_endian(byte_span file, std::size_t at) {
  return std::uint32_t{file[at]} << 24U | std::uint32_t{file[at + 1]} << 16U | std::uint32_t{file[at + 2]} << 8U |
         file[at + 3];
}
inline bool is_png(byte_span file) { return file.size() >= 4 && std::memcmp(file.data(), "\x89PNG", 4) == 0; }

/// Calls f(name, at, size) for each chunk of a PNG before its end, until f returns true. A chunk that is cut ends it.
template <class F> void walk_png_chunks(byte_span file, F f) {
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::size_t size = big_endian(file, at);
    const std::string_view name(reinterpret_cast<const char*>(file.data()) + at + 4, 4);
    if (size > file.size() - at - 12 || name == "IEND" || f(name, at, size)) return;
    at += 12 + size;
  }
}
/// The chunks that a picture needs, those with a capital, must have the checksums that they state.
inline void need_sound_png(byte_span file) {
  walk_png_chunks(file, [&](std::string_view name, std::size_t at, std::size_t size) {
    if (name[0] < 'A' || name[0] > 'Z') return false;
    if (crc32(file.subspan(at + 4, size + 4)) != big_endian(file, at + 8 + size))
      throw decode_error("the PNG is damaged: its " + std::string(name) + " chunk at byte " + std::to_string(at) +
                         " does not match its checksum");
    return false;
  });
}
PLUMBLINE_INLINE std::vector<std::uint8_t> with_whole_palette(byte_span file) {
  constexpr std::size_t whole = 3 * 256;
  std::vector<std::uint8_t> out;
  if (!is_png(file) || file.size() < 26 || file[25] != 3) return out;  // the kind of colour
  walk_png_chunks(file, [&](std::string_view name, std::size_t at, std::size_t size) {
    if (name != "PLTE") return name == "IDAT";
    if (size == 0 || size >= whole || size % 3 != 0) return true;  // as it is, also where that is an error
    const auto rest = file.subspan(at + 8 + size);
    out.reserve(file.size() + whole - size);
    out.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(at + 8 + size));
    out[at + 2] = whole >> 8, out[at + 3] = whole & 0xff;
    out.resize(at + 8 + whole);  // black
    out.insert(out.end(), rest.begin(), rest.end());
    return true;
  });
  return out;
}

PLUMBLINE_INLINE void need_complete(byte_span file, std::size_t height, std::size_t width) {
  const std::string_view begin(reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 4));
  if (begin.starts_with("P5") || begin.starts_with("P6")) need_complete_pnm(file, height * width);
  if (begin.starts_with("BM")) need_complete_bmp(file, height, width);
  if (begin.starts_with("GIF8")) need_complete_gif(file);
  if (is_png(file)) need_sound_png(file);
}

}  // namespace plumbline::detail
