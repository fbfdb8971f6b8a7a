#pragma once
#include <plumbline/core/compiled.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

/// The floating-point functions that random streams need, with the same bits on every machine.
///
/// Two things make ordinary code differ: libm (log, exp are not correctly rounded) and contraction of a * b + c into a
/// fused multiply-add, which compilers do where the target has one. So the functions are written out here from
/// additions, multiplications, divisions and square roots (correctly rounded by IEEE 754), and `times` hides each
/// product that is added to something from the optimiser.
namespace plumbline::detail {

/// a * b, never fused with a following addition.
constexpr double times(double a, double b) noexcept {
  double p = a * b;
  if (!std::is_constant_evaluated()) {
#if defined(__x86_64__)
    asm("" : "+x"(p));
#elif defined(__aarch64__)
    asm("" : "+w"(p));
#elif defined(__GNUC__)
    asm("" : "+m"(p));
#else
    volatile double hidden = p;
    p = hidden;
#endif
  }
  return p;
}

struct wide {
  std::uint64_t high, low;
};

/// The 128-bit product of two 64-bit numbers.
constexpr wide wide_product(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
  __extension__ using u128 = unsigned __int128;
  const u128 p = static_cast<u128>(a) * b;
  return {static_cast<std::uint64_t>(p >> 64), static_cast<std::uint64_t>(p)};
#else
  constexpr std::uint64_t mask = 0xffffffffU;
  const std::uint64_t ll = (a & mask) * (b & mask), lh = (a & mask) * (b >> 32);
  const std::uint64_t hl = (a >> 32) * (b & mask), hh = (a >> 32) * (b >> 32);
  const std::uint64_t mid = (ll >> 32) + (lh & mask) + (hl & mask);
  return {hh + (lh >> 32) + (hl >> 32) + (mid >> 32), (mid << 32) | (ll & mask)};
#endif
}

/// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
template <std::size_t N> constexpr double polynomial(const double (&c)[N], double x) noexcept {
  double y = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) y = c[i] + times(y, x);
  return y;
}

inline constexpr double ln2_high = 6.93147180369123816490e-01;  // ln 2 in two parts, as in fdlibm
inline constexpr double ln2_low = 1.90821492927058770002e-10;

/// Natural logarithm of a positive, normal, finite x; error below 1.5 units in the last place.
/// log x = k ln 2 + 2 atanh(f), f = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt 2), atanh by its series in f^2.
constexpr double log(double x) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto k = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.4142135623730951) {
    m = m / 2;
    ++k;
  }
  const double d = m - 1;
  const double f = d / (m + 1), s = times(f, f);
  constexpr double c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                          2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
  // 2 f = d - f d, so the leading term d is exact and only small terms are rounded
  const double tail = times(f, times(s, polynomial(c, s)) - d);
  return times(k, ln2_high) + (d + (tail + times(k, ln2_low)));
}

/// e to the x for |x| < 700; error below 2 units in the last place. e^x = 2^k e^r, |r| <= ln(2) / 2, e^r by its series.
constexpr double exp(double x) noexcept {
  const double t = times(x, 1.44269504088896338700);
  const auto k = static_cast<int>(t < 0 ? t - 0.5 : t + 0.5);
  const double r = (x - times(k, ln2_high)) - times(k, ln2_low);
  constexpr double c[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                          1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                          1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
  const double e = 1 + (r + times(times(r, r), polynomial(c, r)));
  return times(e, std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52));
}

/// The x with P(N(0, 1) < x) = p, for 0 < p < 1. Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37, 1988.
double normal_quantile(double p) noexcept;

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/core/portable_math_inl.hpp>
#endif
