#pragma once
#include <array>
#include <cstdint>

#include <plumbline/core/portable_math.hpp>

/// Counter-based random numbers: a draw is a function of (key, stream, position), never of a thread or of history.
///
/// Everything here gives the same values on any machine, compiler and optimisation level: integers are exact, and the
/// few floating-point results come from core/portable_math.hpp instead of the platform's libm or std:: distributions.
namespace plumbline {

/// Hash-combines two 64-bit values; used to derive keys: hash_combine(hash_combine(seed, operator), epoch).
/// A bijection of `b` for a fixed `a`, and of `a` for a fixed `b`, so distinct indices under one parent never collide.
/// Not symmetric. Formula: the finaliser of splitmix64 (Steele, Lea, Flood 2014; constants of Stafford's variant 13),
/// applied twice.
constexpr std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr auto finalise = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  };
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  return finalise(finalise(a + golden) + b + golden);
}

/// One block of Philox4x32-10: 128 random bits from a 128-bit counter and a 64-bit key.
/// Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Verified against the known
/// answers of the authors' Random123 library.
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

/// A sequence of random numbers, one of 2^64 independent streams for each of 2^64 keys; 2^65 draws long.
/// Models std::uniform_random_bit_generator. Constructing one costs nothing (no draw is made), so the executor makes
/// one for every element. Each block of Philox gives two draws. Not thread-safe: one per element, not one per program.
class rng {
 public:
  using result_type = std::uint64_t;

  constexpr explicit rng(std::uint64_t key, std::uint64_t stream = 0) noexcept : key_(key), stream_(stream) {}

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return ~result_type{0}; }

  /// The next 64 random bits.
  constexpr result_type operator()() noexcept {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto r = philox4x32({low(block_), high(block_), low(stream_), high(stream_)}, {low(key_), high(key_)});
    ++block_;
    spare_ = (std::uint64_t{r[3]} << 32) | r[2];
    has_spare_ = true;
    return (std::uint64_t{r[1]} << 32) | r[0];
  }

  /// Uniform in [0, 1): a multiple of 2^-53. One draw.
  constexpr double uniform() noexcept { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

  /// Uniform in [lo, hi); lo when the interval is empty. One draw.
  constexpr double uniform(double lo, double hi) noexcept {
    const double x = lo + detail::times(uniform(), hi - lo);
    return x < hi ? x : lo;  // rounding can reach hi
  }

  /// Uniform in {0, ..., n - 1}, without bias; 0 when n is 0. One draw, rarely more.
  /// Lemire, "Fast random integer generation in an interval", 2019.
  constexpr std::uint64_t below(std::uint64_t n) noexcept {
    auto m = detail::wide_product((*this)(), n);
    if (m.low < n) {
      const std::uint64_t unfair = (0 - n) % n;
      while (m.low < unfair) m = detail::wide_product((*this)(), n);
    }
    return m.high;
  }

  /// True with probability p (always for p >= 1, never for p <= 0). One draw.
  constexpr bool bernoulli(double p) noexcept { return uniform() < p; }

  /// Standard normal by inversion: one draw, |x| < 8.3. Relative error of the inversion below 1e-15.
  double normal() noexcept {
    const auto k = (*this)() >> 12;
    return detail::normal_quantile((static_cast<double>(k) + 0.5) * 0x1p-52);  // k + 0.5 is exact: 53 bits
  }

  friend constexpr bool operator==(const rng&, const rng&) = default;

 private:
  std::uint64_t key_;
  std::uint64_t stream_;
  std::uint64_t block_ = 0;
  std::uint64_t spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace plumbline
