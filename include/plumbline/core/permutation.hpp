#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>

#include <plumbline/core/rng.hpp>

namespace plumbline {

/// A pseudo-random permutation of {0, ..., n - 1} chosen by a 64-bit key: an exact shuffle that needs no memory.
///   const permutation order(1'000'000, seed);
///   order(0);  // the index that comes first
/// Every value appears exactly once. O(1) memory, O(1) expected time per call (about 1 + 1/sqrt(n) passes), constexpr,
/// safe to share between threads. For n = 0 it must not be called. Throws std::length_error above n = 2^63.
///
/// n <= 16: a Fisher-Yates shuffle held in one 64-bit word, so each of the n! orders is equally likely.
/// Else: a generalised Feistel network on {0..a-1} x {0..b-1}, a = ceil(sqrt n), b = ceil(n / a), walking the cycle
/// until the value is below n (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). a b - n < a, so a
/// walk is rare.
class permutation {
 public:
  constexpr permutation(std::uint64_t n, std::uint64_t key) : n_(n) {
    if (n > most) throw std::length_error("plumbline: shuffle: at most 2^63 elements can be permuted");
    if (n <= tiny) {
      rng random(key);
      for (std::uint64_t i = 0; i < n; ++i) {  // inside-out Fisher-Yates
        const std::uint64_t j = random.below(i + 1);
        set(i, get(j));
        set(j, i);
      }
    } else {
      a_ = ceil_sqrt(n);
      b_ = (n + a_ - 1) / a_;
      for (std::uint64_t i = 0; i < rounds; ++i) keys_[i] = hash_combine(key, i);
    }
  }

  /// How many elements are permuted.
  constexpr std::uint64_t size() const noexcept { return n_; }

  /// The value at position i, for i < size().
  constexpr std::uint64_t operator()(std::uint64_t i) const noexcept {
    if (n_ <= tiny) return get(i);
    do {
      std::uint64_t l = i / b_, r = i % b_;
      for (std::uint64_t k = 0; k < rounds; k += 2) {
        l = add(l, hash(r, keys_[k], a_), a_);
        r = add(r, hash(l, keys_[k + 1], b_), b_);
      }
      i = l * b_ + r;
    } while (i >= n_);
    return i;
  }

 private:
  static constexpr std::uint64_t tiny = 16, most = std::uint64_t{1} << 63;
  static constexpr std::uint64_t rounds = 8;  // 4 already satisfy the asymptotic theory; the rest is for small n

  static constexpr std::uint64_t add(std::uint64_t x, std::uint64_t y, std::uint64_t m) noexcept {
    return x + y >= m ? x + y - m : x + y;
  }
  static constexpr std::uint64_t hash(std::uint64_t x, std::uint64_t key, std::uint64_t m) noexcept {
    x = (x ^ key) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 32)) * 0x94d049bb133111ebULL;
    return detail::wide_product(x ^ (x >> 29), m).high;
  }
  /// The smallest a with a * a >= n, for 1 < n <= 2^63.
  static constexpr std::uint64_t ceil_sqrt(std::uint64_t n) noexcept {
    std::uint64_t low = 1, high = std::uint64_t{1} << 32;
    while (low < high) {
      const std::uint64_t mid = (low + high) / 2;
      if (mid * mid >= n)
        high = mid;
      else
        low = mid + 1;
    }
    return low;
  }
  constexpr std::uint64_t get(std::uint64_t i) const noexcept { return (keys_[0] >> (4 * i)) & 15; }
  constexpr void set(std::uint64_t i, std::uint64_t v) noexcept {
    keys_[0] = (keys_[0] & ~(std::uint64_t{15} << (4 * i))) | (v << (4 * i));
  }

  std::uint64_t n_;
  std::uint64_t a_ = 0, b_ = 0;
  std::array<std::uint64_t, rounds> keys_{};  // round keys; for a tiny n, keys_[0] holds the permutation itself
};

}  // namespace plumbline
