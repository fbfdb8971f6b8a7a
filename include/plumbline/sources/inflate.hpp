/// gzip (RFC 1952) and zlib (RFC 1950) streams through zlib. Empty unless PLUMBLINE_HAS_ZLIB is defined, which the
/// CMake target plumbline::zlib and the header plumbline/ext/zlib.hpp do. No #pragma once: it may be included first
/// without the macro, then with it.
#if defined(PLUMBLINE_HAS_ZLIB) && !defined(PLUMBLINE_SOURCES_INFLATE_HPP)
#define PLUMBLINE_SOURCES_INFLATE_HPP

#include <plumbline/sources/decoder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>

#include <zlib.h>

namespace plumbline::detail {

class inflater final : public decoder {
 public:
  inflater() {
    if (inflateInit2(&z_, either_format) != Z_OK) throw std::bad_alloc();
  }
  ~inflater() override { inflateEnd(&z_); }

  step decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) override {
    if (!damage_.empty()) throw damaged_stream(damage_);
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto given = static_cast<uInt>(std::min(in.size(), most)),
               room = static_cast<uInt>(std::min(out.size(), most));
    z_.next_in = const_cast<Bytef*>(in.data());  // zlib only reads it
    z_.avail_in = given;
    z_.next_out = out.data();
    z_.avail_out = room;
    const int result = inflate(&z_, Z_NO_FLUSH);
    const step s{given - z_.avail_in, room - z_.avail_out, result == Z_STREAM_END};
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_NEED_DICT)
      damage_ = "needs a preset dictionary";
    else if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      damage_ = z_.msg != nullptr ? z_.msg : "damaged";
    if (!damage_.empty() && s.produced == 0) throw damaged_stream(damage_);
    return s;
  }

  void restart() override { inflateReset(&z_); }

 private:
  static constexpr int either_format = MAX_WBITS + 32;
  z_stream z_{};  // zlib keeps a pointer to it: this object must not move
  std::string damage_;
};

inline const bool has_inflater = [] {
  make_inflater = +[]() -> std::unique_ptr<decoder> { return std::make_unique<inflater>(); };
  return true;
}();

}  // namespace plumbline::detail

#endif
