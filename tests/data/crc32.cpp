#include <boost/crc.hpp>
#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <plumbline/data/crc32.hpp>

#include "support/tfrecord_writer.hpp"

namespace pl = plumbline;

namespace {

template <std::size_t N> constexpr std::array<std::uint8_t, N> counted(int first, int step) {
  std::array<std::uint8_t, N> a{};
  for (std::size_t i = 0; i < N; ++i) a[i] = static_cast<std::uint8_t>(first + step * static_cast<int>(i));
  return a;
}
constexpr std::uint32_t of_text(std::string_view s) {
  std::vector<std::uint8_t> v(s.begin(), s.end());
  return pl::crc32c(v);
}

// RFC 3720, B.4, and the checksum's usual check value
static_assert(pl::crc32c(counted<32>(0, 0)) == 0x8a9136aaU);
static_assert(pl::crc32c(counted<32>(0xff, 0)) == 0x62a8ab43U);
static_assert(pl::crc32c(counted<32>(0, 1)) == 0x46dd794eU);
static_assert(pl::crc32c(counted<32>(31, -1)) == 0x113fdb5cU);
static_assert(pl::crc32c(std::array<std::uint8_t, 48>{
                  0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                  0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18,
                  0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}) ==
              0xd9963a56U);
static_assert(of_text("123456789") == 0xe3069283U);
static_assert(of_text("") == 0);
static_assert(pl::crc32c(counted<20>(12, 1), pl::crc32c(counted<12>(0, 1))) == 0x46dd794eU);
static_assert(pl::mask_crc32c(0) == 0xa282ead8U);

}  // namespace

TEST_CASE("crc32c: hardware, tables and a bit at a time agree for every length and alignment") {
  std::mt19937 random(1);
  std::vector<std::uint8_t> data(20000);
  for (auto& b : data) b = static_cast<std::uint8_t>(random());
  const auto check = [&](std::size_t from, std::size_t n) {
    const std::span<const std::uint8_t> s(data.data() + from, n);
    CAPTURE(from, n);
    const std::string_view text(reinterpret_cast<const char*>(s.data()), n);
    REQUIRE(pl::masked_crc32c(s) == plumbline_test::slow_masked_crc32c(text));
    REQUIRE(~pl::detail::crc_by_table<pl::detail::crc32c_polynomial>(~0U, s.data(), n) == pl::crc32c(s));
    boost::crc_32_type other;
    other.process_bytes(s.data(), n);
    REQUIRE(pl::crc32(s) == other.checksum());
    const std::size_t cut = n / 3;
    REQUIRE(pl::crc32c(s.subspan(cut), pl::crc32c(s.first(cut))) == pl::crc32c(s));
  };
  for (std::size_t n = 0; n < 200; ++n)
    for (std::size_t from = 0; from < 9; ++from) check(from, n);
  for (std::size_t n = 1500; n < 1700; ++n) check(n % 8, n);
  for (std::size_t n = 3000; n < 20000; n += 997) check(n % 8, n - 8);
}
