// Confidence intervals: Student's t where samples are independent, batch means where they are not.
#include <catch2/catch.hpp>

#include <plumbline/model/confidence.hpp>

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

TEST_CASE("confidence: it holds as often as it says, also where neighbours are alike") {
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
  CHECK(single < 0.6 * trials);  // what would be claimed of single samples is false nearly every other time
}

TEST_CASE("confidence: what cannot be meant") {
  CHECK_THROWS_WITH(pl::confidence(std::vector<double>{1}), Catch::Contains("two batches are the least"));
  CHECK_THROWS_WITH(pl::confidence(std::vector<double>{1, 2}, 1), Catch::Contains("it must be within 0 and 1"));
}
