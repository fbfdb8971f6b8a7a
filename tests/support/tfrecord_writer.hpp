#pragma once
// Writes TFRecord bytes for tests. Computes the checksum by itself, bit by bit, as a test of the library's checksum.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline_test {

inline std::uint32_t slow_masked_crc32c(std::string_view data) {
  std::uint32_t c = 0xffffffffU;
  for (const char ch : data) {
    c ^= static_cast<unsigned char>(ch);
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1U) ^ ((c & 1U) != 0 ? 0x82f63b78U : 0U);
  }
  c = ~c;
  return ((c >> 15U) | (c << 17U)) + 0xa282ead8U;
}

class tfrecord_writer {
 public:
  tfrecord_writer& write(std::string_view payload) {
    starts_.push_back(bytes_.size());
    std::string length;
    append_number(length, payload.size(), 8);
    bytes_ += length;
    append_number(bytes_, slow_masked_crc32c(length), 4);
    bytes_ += payload;
    append_number(bytes_, slow_masked_crc32c(payload), 4);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }
  // The offset of each record.
  const std::vector<std::uint64_t>& starts() const { return starts_; }

  static void append_number(std::string& to, std::uint64_t n, int width) {
    for (int i = 0; i < width; ++i, n >>= 8U) to += static_cast<char>(n & 0xffU);
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> starts_;
};

}  // namespace plumbline_test
