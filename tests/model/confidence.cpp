// Confidence intervals: Student's t where samples are independent, batch means where they are not.
#include <catch2/catch.hpp>

#include <plumbline/model/confidence.hpp>
#include <plumbline/tune/alternate.hpp>
#include <plumbline/tune/relative_error.hpp>

#include <random>
#include <vector>

namespace pl = plumbline;

TEST_CASE("confidence: a known answer") {
  // five values: mean 3, standard deviation sqrt(2.5), t(4, 97.5 %) = 2.7764451052
  const std::vector<double> x{1, 2, 3, 4, 5};
  const auto i = pl::confidence(x);
  CHECK(i.mean == Approx(3));
  CHECK(i.half_width() == Approx(2.7764451052 * std::sqrt(2.5 / 5)).epsilon(1e-9));
  CHECK(i.relative() == Approx(i.half_width() / 3));
  // two batches of two, the first value is left out: means 2.5 and 4.5, t(1, 90 %) = 3.0776835372
  const auto two = pl::confidence(x, 0.8, 2);
  CHECK(two.mean == Approx(3.5));
  CHECK(two.half_width() == Approx(3.0776835372 * 1).epsilon(1e-9));
}

TEST_CASE("confidence: it holds as often as stated, also for correlated neighbours") {
  std::mt19937_64 random(5);
  std::normal_distribution<> noise(0, 1);
  int batches = 0, single = 0;
  const int trials = 1000;
  for (int trial = 0; trial != trials; ++trial) {
    std::vector<double> x;
    double state = noise(random) / std::sqrt(1 - 0.64);
    for (int i = 0; i != 2000; ++i) x.push_back(10 + (state = 0.8 * state + noise(random)));
    const auto by_batches = pl::confidence(x), by_single = pl::confidence(x, 0.95, x.size());
    batches += by_batches.low < 10 && 10 < by_batches.high;
    single += by_single.low < 10 && 10 < by_single.high;
  }
  CHECK(batches > 0.92 * trials);
  CHECK(batches < 0.98 * trials);
  CHECK(single < 0.6 * trials);  // intervals from single samples would be wrong nearly every other time
}

namespace {

constexpr int cases = 4'000;
// 3.5 standard deviations of a share of so many cases.
double tolerance(double share) { return 3.5 * std::sqrt(share * (1 - share) / cases); }

struct coverage {
  double by_confidence, by_relative_error;
};
// How often the intervals from n values contain the mean.
template <class D> coverage coverage_of(D draw, double mean, std::size_t n) {
  std::mt19937_64 random(11);
  int exact = 0, fast = 0;
  std::vector<double> x(n);
  for (int i = 0; i != cases; ++i) {
    for (double& each : x) each = draw(random);
    const auto found = pl::confidence(x);
    exact += found.low <= mean && mean <= found.high;
    fast += std::abs(found.mean - mean) <= pl::detail::relative_error(x) * found.mean;
  }
  return {static_cast<double>(exact) / cases, static_cast<double>(fast) / cases};
}

}  // namespace

TEST_CASE("confidence: of few and many values, the stated share of intervals contains the mean") {
  // analyze has 4 and 5 rounds, up to 8, 16 or 24 parts of fewer rounds, and the times of 4 steps or more.
  for (const std::size_t n : {2U, 3U, 4U, 5U, 8U, 10U, 16U, 24U, 30U, 100U}) {
    INFO(n << " values");
    const auto normal = coverage_of(std::normal_distribution<>(10, 1), 10, n);
    CHECK(normal.by_confidence == Approx(0.95).margin(tolerance(0.95)));
    if (n < 4)
      CHECK(normal.by_relative_error == 0);  // not known
    else
      CHECK(normal.by_relative_error == Approx(0.95).margin(tolerance(0.95)));
    // Of skewed values fewer do: without one from the long tail, the mean is too low and the spread seems small. With
    // a skewness of 1 at least 93 %, with 2 at least 87.5 %, both of four or five values; of 100, 94.4 %.
    const auto skewed = coverage_of(std::gamma_distribution<>(4, 1), 4, n);
    CHECK(skewed.by_confidence > 0.93 - tolerance(0.93));
    CHECK(skewed.by_confidence < 0.95 + tolerance(0.95));
    const auto very = coverage_of(std::exponential_distribution<>(1), 1, n);
    CHECK(very.by_confidence > 0.875 - tolerance(0.875));
    CHECK(very.by_confidence < 0.95 + tolerance(0.95));
    if (n < 4) continue;
    CHECK(skewed.by_relative_error > 0.93 - tolerance(0.93));
    CHECK(very.by_relative_error > 0.875 - tolerance(0.875));
  }
}

TEST_CASE("confidence: of rates that are measured alternately, 93 % of intervals and more contain the mean") {
  for (std::size_t rounds = 1; rounds != 6; ++rounds) {
    INFO(rounds << " rounds");
    std::mt19937_64 random(12);
    std::normal_distribution<> noise(10, 1);
    const auto measure = [&](double) {
      pl::detail::rate_in_parts out;
      for (int part = 0; part != 8; ++part) out.rate += out.parts.emplace_back(noise(random)) / 8;
      return out;
    };
    int held = 0;
    double mean = 0;
    for (int i = 0; i != cases; ++i) {
      const auto found = pl::detail::alternate({measure}, rounds, 1).front();
      held += std::abs(found.rate - 10) <= found.error * found.rate;
      mean += found.rate / cases;
    }
    const double share = static_cast<double>(held) / cases;
    CHECK(share > 0.93 - tolerance(0.93));
    CHECK(share < 0.95 + tolerance(0.95));
    CHECK(mean == Approx(10).margin(0.03));  // 0.35 is the spread of a round
  }
}

TEST_CASE("confidence: invalid arguments") {
  CHECK_THROWS_WITH(pl::confidence(std::vector<double>{1}), Catch::Contains("at least two batches are needed"));
  CHECK_THROWS_WITH(pl::confidence(std::vector<double>{1, 2}, 1), Catch::Contains("it must be within 0 and 1"));
}

TEST_CASE("confidence: the costs of operators, from a run's samples") {
  std::mt19937_64 random(7);
  std::normal_distribution<> noise(0, 1);
  int held = 0, all_held = 0;
  const int trials = 500;
  for (int trial = 0; trial != trials; ++trial) {
    pl::trace t;
    t.operators.resize(2);
    pl::trace_sample s{0, 0, {0, 0}};
    for (int i = 0; i != 200; ++i) {
      const bool warm = i >= 10;
      for (int n = 0; n != 10; ++n, ++s.minibatches) {  // 3 ms and 1 ms a minibatch, ten times as much at the beginning
        s.cpu_seconds[0] += (warm ? 0.003 : 0.03) * (1 + 0.2 * noise(random));
        s.cpu_seconds[1] += 0.001 * (1 + 0.2 * noise(random));
      }
      s.wall_seconds += 0.04;
      t.samples.push_back(s);
    }
    const auto found = pl::cost_intervals(t);
    REQUIRE(found.size() == 3);
    held += found[0].low < 0.003 && 0.003 < found[0].high;
    all_held += found[2].low < 0.004 && 0.004 < found[2].high;
    CHECK(found[1].mean == Approx(0.001).epsilon(0.05));
  }
  CHECK(held > 0.92 * trials);
  CHECK(held < 0.98 * trials);
  CHECK(all_held > 0.92 * trials);
  pl::trace short_one;
  short_one.operators.resize(1);
  short_one.samples = {{0, 0, {0}}, {1, 5, {1}}};
  CHECK_THROWS_WITH(pl::cost_intervals(short_one), Catch::Contains("has 2 samples; run longer, with tracing::full"));
  short_one.samples.push_back({2, 5, {2}});
  CHECK_THROWS_AS(pl::cost_intervals(short_one), std::invalid_argument);  // no minibatch in the second
}
