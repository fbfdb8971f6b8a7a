#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

/// The little floating-point mathematics that random streams need, with the same bits on every machine.
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
inline double normal_quantile(double p) noexcept {
  constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                          1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                          3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double b[] = {1.0,
                          4.2313330701600911252e+1,
                          6.8718700749205790830e+2,
                          5.3941960214247511077e+3,
                          2.1213794301586595867e+4,
                          3.9307895800092710610e+4,
                          2.8729085735721942674e+4,
                          5.2264952788528545610e+3};
  constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                          3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                          2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double d[] = {1.0,
                          2.05319162663775882187e0,
                          1.67638483018380384940e0,
                          6.89767334985100004550e-1,
                          1.48103976427480074590e-1,
                          1.51986665636164571966e-2,
                          5.47593808499534494600e-4,
                          1.05075007164441684324e-9};
  constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                          2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                          2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double f[] = {1.0,
                          5.99832206555887937690e-1,
                          1.36929880922735805310e-1,
                          1.48753612908506148525e-2,
                          7.86869131145613259100e-4,
                          1.84631831751005468180e-5,
                          1.42151175831644588870e-7,
                          2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    const double r = 0.180625 - times(q, q);
    return times(q, polynomial(a, r)) / polynomial(b, r);
  }
  const double r = std::sqrt(-log(q < 0 ? p : 1 - p));
  const double x =
      r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -x : x;
}

}  // namespace plumbline::detail
