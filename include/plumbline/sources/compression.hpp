#pragma once
/// Detects whether stored bytes are compressed, from the bytes and never from a file's name.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <plumbline/sources/decoder.hpp>
#include <plumbline/sources/inflate.hpp>
#include <plumbline/sources/io_error.hpp>

namespace plumbline {

/// How a file is stored.
enum class compression : unsigned char {
  detect,
  none,
  deflate  ///< gzip (one or several members) or zlib
};

namespace detail {

/// How many bytes at the start of a file are used for detection.
inline constexpr std::size_t detection_bytes = 4096;

inline bool looks_like_gzip(std::span<const std::uint8_t> head) {  // RFC 1952, 2.3.1: the only method ever defined is 8
  return head.size() >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8;
}

/// A zlib stream (RFC 1950) has no magic number: its two bytes fit text as well, "HK" or "x^2". So the head must also
/// decompress.
inline bool looks_like_zlib(std::span<const std::uint8_t> head) {
  if (head.size() < 8 || (head[0] & 0x0fU) != 8 || head[0] > 0x7f || (head[1] & 0x20U) != 0) return false;
  if ((head[0] * 256U + head[1]) % 31 != 0) return false;
  const auto make = make_inflater.load();
  if (make == nullptr)
    return head[0] == 0x78 && (head[1] == 0x01 || head[1] == 0x9c || head[1] == 0xda);  // no text begins like this
  try {
    std::array<std::uint8_t, 1024> out;  // NOLINT: filled by decode
    const decoder::step s = make()->decode(head, out);
    return s.ended || s.produced >= 64;
  } catch (const damaged_stream&) {
    return false;
  }
}

inline bool is_compressed(compression stored, std::span<const std::uint8_t> head) {
  if (stored == compression::detect) return looks_like_gzip(head) || looks_like_zlib(head);
  return stored == compression::deflate && !head.empty();
}

inline std::unique_ptr<decoder> new_inflater(std::string_view who, const std::string& path) {
  if (const auto make = make_inflater.load()) return make();
  throw io_error("plumbline: " + std::string(who) + " cannot decompress '" + path +
                     "': it is stored with gzip or zlib, and this program was built without zlib; link "
                     "plumbline::zlib, or include "
                     "plumbline/ext/zlib.hpp and link zlib",
                 path, 0);
}

}  // namespace detail
}  // namespace plumbline
