#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <plumbline/core/permutation.hpp>
#include <plumbline/core/rng.hpp>

namespace pl = plumbline;

// the known answers of Random123 (kat_vectors), philox4x32 10
using four = std::array<std::uint32_t, 4>;
static_assert(pl::philox4x32({0, 0, 0, 0}, {0, 0}) == four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(pl::philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(pl::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
static_assert(std::uniform_random_bit_generator<pl::rng>);
static_assert(pl::rng(0)() == 0xe169c58d6627e8d5);
static_assert(pl::hash_combine(1, 2) != pl::hash_combine(2, 1));
static_assert([] {
  pl::rng r(1, 2);
  return r.below(10) < 10 && r.uniform() < 1 && r.uniform(2, 3) >= 2 && !r.bernoulli(0) && r.bernoulli(1);
}());
static_assert(pl::permutation(1, 5)(0) == 0);

namespace {
double chi_square(const std::vector<double>& counts, double expected) {
  return std::accumulate(counts.begin(), counts.end(), 0.0,
                         [&](double s, double c) { return s + (c - expected) * (c - expected) / expected; });
}
/// Within z standard deviations of the mean of a chi-square distribution (normal approximation).
bool plausible(double chi, double degrees, double z = 5) {
  return std::abs(chi - degrees) < z * std::sqrt(2 * degrees);
}
}  // namespace

TEST_CASE("rng: streams and keys differ, positions repeat") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t key = 0; key < 100; ++key) {
    for (std::uint64_t stream = 0; stream < 100; ++stream) {
      pl::rng a(key, stream), b(key, stream);
      for (int i = 0; i < 3; ++i) {
        const auto x = a();
        CHECK(x == b());
        seen.insert(x);
      }
    }
  }
  CHECK(seen.size() == 30000);
}

// the values are from a Python implementation of the same formulas (its NormalDist.inv_cdf is AS 241 too)
TEST_CASE("rng: fixed values, the same on every platform and in every version") {
  pl::rng r(42, 7);
  CHECK(r() == 0xe55410cc67ee6f2cULL);
  CHECK(r.uniform() == 0x1.55ce634db1fb2p-2);
  CHECK(r.below(1000) == 375);
  CHECK(r.normal() == -0x1.e06401d908541p-1);
  CHECK(pl::hash_combine(1, 2) == 0xbcd9dbb49673066bULL);
}

TEST_CASE("rng: distributions") {
  pl::rng r(1);
  constexpr int n = 400000;
  std::vector<double> tenths(10), die(6), normal(20);
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double u = r.uniform();
    REQUIRE((u >= 0 && u < 1));
    ++tenths[static_cast<std::size_t>(u * 10)];
    ++die[r.below(6)];
    const double z = r.normal();
    sum += z;
    squares += z * z;
    ++normal[static_cast<std::size_t>(std::min(0.99999999, 0.5 * std::erfc(-z / std::sqrt(2.0))) * 20)];
  }
  CHECK(plausible(chi_square(tenths, n / 10.0), 9));
  CHECK(plausible(chi_square(die, n / 6.0), 5));
  CHECK(plausible(chi_square(normal, n / 20.0), 19));
  CHECK(std::abs(sum / n) < 5 / std::sqrt(double(n)));
  CHECK(std::abs(squares / n - 1) < 5 * std::sqrt(2.0 / n));
  CHECK(r.below(0) == 0);
  CHECK(r.below(1) == 0);
  CHECK(r.uniform(3, 3) == 3);
}

TEST_CASE("rng: below() is unbiased where the bias of a plain product would be largest") {
  const std::uint64_t n = (std::uint64_t{1} << 63) + (std::uint64_t{1} << 62);  // 3/4 of the range
  pl::rng r(9);
  std::vector<double> thirds(3);
  for (int i = 0; i < 90000; ++i) ++thirds[r.below(n) / (std::uint64_t{1} << 62)];
  CHECK(plausible(chi_square(thirds, 30000), 2));
}

TEST_CASE("portable mathematics agrees with libm") {
  pl::rng r(2);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(r.uniform(0.5, 1), static_cast<int>(r.below(200)) - 100);
    REQUIRE(std::abs(pl::detail::log(x) - std::log(x)) <= 3e-16 * std::abs(std::log(x)) + 1e-17);
    const double y = r.uniform(-50, 50);
    REQUIRE(std::abs(pl::detail::exp(y) - std::exp(y)) <= 5e-16 * std::exp(y));
  }
  // Phi(x) = erfc(-x / sqrt 2) / 2 is the inverse of normal_quantile
  for (double p : {1e-15, 1e-9, 1e-3, 0.074, 0.076, 0.3, 0.5, 0.7, 0.999}) {
    CHECK(0.5 * std::erfc(-pl::detail::normal_quantile(p) / std::sqrt(2.0)) == Approx(p).epsilon(1e-12));
  }
}

TEST_CASE("permutation: a bijection for every n up to 2000") {
  std::vector<char> seen;
  for (std::uint64_t n = 0; n <= 2000; ++n) {
    const pl::permutation p(n, 77 + n);
    seen.assign(n, 0);
    std::uint64_t distinct = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto v = p(i);
      REQUIRE(v < n);
      distinct += seen[v] == 0;
      seen[v] = 1;
    }
    REQUIRE(distinct == n);
  }
}

TEST_CASE("permutation: large sizes") {
  for (std::uint64_t n : {std::uint64_t{1} << 20, (std::uint64_t{1} << 20) + 1, std::uint64_t{1000003}}) {
    const pl::permutation p(n, n);
    std::vector<bool> seen(n);
    for (std::uint64_t i = 0; i < n; ++i) seen[p(i)] = true;
    CHECK(std::count(seen.begin(), seen.end(), true) == static_cast<std::ptrdiff_t>(n));
  }
  for (std::uint64_t n : {std::uint64_t{1} << 32, (std::uint64_t{1} << 62) + 12345, std::uint64_t{1} << 63}) {
    const pl::permutation p(n, 3);
    std::set<std::uint64_t> values;
    double mean = 0;
    for (std::uint64_t i = 0; i < 10000; ++i) {
      const auto v = p(i);
      REQUIRE(v < n);
      values.insert(v);
      mean += double(v) / double(n) / 10000;
    }
    CHECK(values.size() == 10000);
    CHECK(std::abs(mean - 0.5) < 5 * 0.2887 / 100);
    CHECK(p(n - 1) < n);
  }
}

TEST_CASE("permutation: every value is equally likely at every position") {
  for (std::uint64_t n : {2u, 3u, 5u, 16u, 17u, 18u, 23u, 36u, 100u}) {
    CAPTURE(n);
    std::vector<double> counts(n * n);
    const int keys = static_cast<int>(200 * n);
    for (int k = 0; k < keys; ++k) {
      const pl::permutation p(n, pl::hash_combine(1, static_cast<std::uint64_t>(k)));
      for (std::uint64_t i = 0; i < n; ++i) ++counts[i * n + p(i)];
    }
    CHECK(plausible(chi_square(counts, keys / double(n)), double((n - 1) * (n - 1))));
  }
}

TEST_CASE("permutation: neighbours are independent") {
  for (std::uint64_t n : {5u, 16u, 17u, 20u, 31u, 64u, 101u}) {
    CAPTURE(n);
    const int keys = 20000;
    std::vector<double> step(n), pairs(n * n);  // the differences of neighbours; the values at two distant positions
    for (int k = 0; k < keys; ++k) {
      const pl::permutation p(n, pl::hash_combine(2, static_cast<std::uint64_t>(k)));
      for (std::uint64_t i = 0; i + 1 < n; i += 2) ++step[(p(i + 1) + n - p(i)) % n];
      ++pairs[p(0) * n + p(n - 1)];
    }
    const std::vector<double> steps(step.begin() + 1, step.end());
    CHECK(step[0] == 0);
    CHECK(
        plausible(chi_square(steps, std::accumulate(steps.begin(), steps.end(), 0.0) / double(n - 1)), double(n - 2)));
    double chi = 0;
    const double expected = keys / double(n * (n - 1));
    for (std::uint64_t a = 0; a < n; ++a) {
      for (std::uint64_t b = 0; b < n; ++b) {
        if (a != b) chi += (pairs[a * n + b] - expected) * (pairs[a * n + b] - expected) / expected;
      }
    }
    CHECK(plausible(chi, double(n * (n - 1) - 1)));
  }
  // all orders of four are equally likely
  std::vector<double> orders(256);
  for (std::uint64_t k = 0; k < 24000; ++k) {
    const pl::permutation p(4, k);
    ++orders[p(0) * 64 + p(1) * 16 + p(2) * 4 + p(3)];
  }
  std::erase(orders, 0.0);
  CHECK(orders.size() == 24);
  CHECK(plausible(chi_square(orders, 1000), 23));
}
