#pragma once
/// CRC-32C, the Castagnoli checksum of iSCSI, ext4 and TFRecord (reflected polynomial 0x82f63b78; test vectors: RFC
/// 3720, B.4).
///
///   crc32c(bytes)            // of one block; usable in constant expressions
///   crc32c(bytes, before)    // of the blocks so far with this one appended
///   masked_crc32c(bytes)     // as TFRecord stores it
///   crc32(bytes)             // CRC-32, that of PNG and zlib (0xedb88320), of one block; always by tables
///
/// O(n). At run time the processor's CRC instruction is used where the machine that runs the program has it (x86-64:
/// SSE4.2 and PCLMULQDQ, three lanes in parallel; AArch64: when compiled with the crc extension), otherwise tables for
/// eight bytes per step ("slicing by 8": Kounavis and Berry, 2005).

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#if defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace plumbline {
namespace detail {

inline constexpr std::uint32_t crc32c_polynomial = 0x82f63b78U, crc32_polynomial = 0xedb88320U;

/// How one byte changes the checksum.
constexpr std::uint32_t crc_step(std::uint32_t byte, std::uint32_t polynomial) {
  for (int bit = 0; bit < 8; ++bit) byte = (byte >> 1) ^ ((byte & 1U) != 0 ? polynomial : 0U);
  return byte;
}

using crc_table_set = std::array<std::array<std::uint32_t, 256>, 8>;

/// Made on first use: evaluating them at compile time would slow down every file that includes this.
template <std::uint32_t Polynomial> const crc_table_set& crc_tables() {
  static const crc_table_set tables = [] {
    crc_table_set t{};
    for (std::uint32_t i = 0; i < 256; ++i) t[0][i] = crc_step(i, Polynomial);
    for (std::size_t i = 0; i < 256; ++i)
      for (std::size_t k = 1; k < 8; ++k) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xffU];
    return t;
  }();
  return tables;
}

// `state` below is the complemented checksum, as the processor's instructions use it.
template <std::uint32_t Polynomial>
std::uint32_t crc_by_table(std::uint32_t state, const std::uint8_t* p, std::size_t n) {
  const auto& t = crc_tables<Polynomial>();
  for (; n >= 8; p += 8, n -= 8) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(p[i]); };
    state ^= byte(0) | byte(1) << 8U | byte(2) << 16U | byte(3) << 24U;
    state = t[7][state & 0xffU] ^ t[6][(state >> 8U) & 0xffU] ^ t[5][(state >> 16U) & 0xffU] ^ t[4][state >> 24U] ^
            t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]];
  }
  for (; n > 0; ++p, --n) state = (state >> 8U) ^ t[0][(state ^ *p) & 0xffU];
  return state;
}

/// The same, a bit at a time, for constant expressions.
constexpr std::uint32_t crc32c_by_bit(std::uint32_t state, const std::uint8_t* p, std::size_t n) {
  for (; n > 0; ++p, --n) state = crc_step((state ^ *p) & 0xffU, crc32c_polynomial) ^ (state >> 8U);
  return state;
}

#if defined(__x86_64__)
#define PLUMBLINE_DETAIL_HAS_CRC32C_HARDWARE 1
inline bool crc32c_hardware() { return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0; }

inline constexpr std::uint32_t crc32c_lane = 512;  // bytes
/// x^(8 lane - 33) and x^(16 lane - 33) modulo the polynomial, bit-reflected.
inline constexpr std::uint32_t crc32c_over_one = 0xdd7e3b0cU, crc32c_over_two = 0x170076faU;

/// The instruction has a latency of 3 cycles, but a new one can start every cycle: three adjacent lanes are summed in
/// parallel, then each sum is moved over the bytes that follow it by one carry-less multiplication (Gopal et al.,
/// Intel, 2011).
__attribute__((target("sse4.2,pclmul"))) inline std::uint32_t crc32c_by_hardware(std::uint32_t state,
                                                                                 const std::uint8_t* p, std::size_t n) {
  typedef long long two_words __attribute__((vector_size(16)));  // NOLINT: vector_size wants a typedef
  constexpr auto lane = crc32c_lane;
  const auto word = [](const std::uint8_t* q) {
    std::uint64_t w;
    std::memcpy(&w, q, 8);
    return w;
  };
  std::uint64_t a = state;
  for (; n >= 3 * lane; p += 3 * lane, n -= 3 * lane) {
    std::uint64_t b = 0, c = 0;
    for (std::size_t i = 0; i < lane - 8; i += 8) {
      a = __builtin_ia32_crc32di(a, word(p + i));
      b = __builtin_ia32_crc32di(b, word(p + lane + i));
      c = __builtin_ia32_crc32di(c, word(p + 2 * lane + i));
    }
    a = __builtin_ia32_crc32di(a, word(p + lane - 8));
    b = __builtin_ia32_crc32di(b, word(p + 2 * lane - 8));
    const two_words moved_a =
        __builtin_ia32_pclmulqdq128(two_words{static_cast<long long>(a), 0}, two_words{crc32c_over_two, 0}, 0);
    const two_words moved_b =
        __builtin_ia32_pclmulqdq128(two_words{static_cast<long long>(b), 0}, two_words{crc32c_over_one, 0}, 0);
    a = __builtin_ia32_crc32di(c, word(p + 3 * lane - 8) ^ static_cast<std::uint64_t>(moved_a[0] ^ moved_b[0]));
  }
  for (; n >= 8; p += 8, n -= 8) a = __builtin_ia32_crc32di(a, word(p));
  auto s = static_cast<std::uint32_t>(a);
  for (; n > 0; ++p, --n) s = __builtin_ia32_crc32qi(s, *p);
  return s;
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#define PLUMBLINE_DETAIL_HAS_CRC32C_HARDWARE 1
constexpr bool crc32c_hardware() { return true; }
inline std::uint32_t crc32c_by_hardware(std::uint32_t state, const std::uint8_t* p, std::size_t n) {
  for (; n >= 8; p += 8, n -= 8) {
    std::uint64_t w;
    std::memcpy(&w, p, 8);
    state = __crc32cd(state, w);
  }
  for (; n > 0; ++p, --n) state = __crc32cb(state, *p);
  return state;
}
#endif

}  // namespace detail

/// The CRC-32C of `data`. If `before` is the checksum of some earlier data, the result is that of both concatenated.
constexpr std::uint32_t crc32c(std::span<const std::uint8_t> data, std::uint32_t before = 0) {
  if (std::is_constant_evaluated()) return ~detail::crc32c_by_bit(~before, data.data(), data.size());
#ifdef PLUMBLINE_DETAIL_HAS_CRC32C_HARDWARE
  if (detail::crc32c_hardware()) return ~detail::crc32c_by_hardware(~before, data.data(), data.size());
#endif
  return ~detail::crc_by_table<detail::crc32c_polynomial>(~before, data.data(), data.size());
}
inline std::uint32_t crc32(std::span<const std::uint8_t> data) {
  return ~detail::crc_by_table<detail::crc32_polynomial>(~std::uint32_t{0}, data.data(), data.size());
}

/// A checksum as TFRecord stores it: rotated and offset, so that the checksum of data which holds checksums stays
/// strong (tensorflow/core/lib/hash/crc32c.h).
constexpr std::uint32_t mask_crc32c(std::uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8U; }

constexpr std::uint32_t masked_crc32c(std::span<const std::uint8_t> data) { return mask_crc32c(crc32c(data)); }

}  // namespace plumbline

#ifdef PLUMBLINE_DETAIL_HAS_CRC32C_HARDWARE
#undef PLUMBLINE_DETAIL_HAS_CRC32C_HARDWARE
#endif
