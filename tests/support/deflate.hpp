#pragma once
// Compresses for tests, with zlib. Include only under PLUMBLINE_HAS_ZLIB.

#include <stdexcept>
#include <string>

#include <zlib.h>

namespace plumbline_test {

enum class wrapping { gzip, zlib };

inline std::string deflated(std::string plain, wrapping w = wrapping::gzip, int level = 6) {
  z_stream z{};
  if (deflateInit2(&z, level, Z_DEFLATED, w == wrapping::gzip ? 15 + 16 : 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string out(deflateBound(&z, plain.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(plain.data());
  z.avail_in = static_cast<uInt>(plain.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int r = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (r != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

}  // namespace plumbline_test
