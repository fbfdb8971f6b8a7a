// What a layout tells the model of each operator: how many it takes for one, where its rule says, and what replays.
#include <catch2/catch.hpp>

#include <plumbline/model/layout.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources/elements.hpp>
#include <plumbline/sources/range.hpp>

namespace pl = plumbline;

TEST_CASE("layout: elements taken for one, by the operator's own count rule") {
  const auto even = [](std::int64_t x) { return x % 2 == 0; };
  const auto p = pl::range(100) | pl::map([](std::int64_t x) { return x; }) | pl::filter(even) | pl::batch(7) |
                 pl::repeat(3) | pl::skip(5) | pl::take(2) | pl::shuffle(4, 1) | pl::prefetch(2);
  std::vector<double> takes;
  for (const auto& row : pl::layout(p)) takes.push_back(row.takes);
  REQUIRE(takes.size() == 9);
  const double want[] = {0, 1, 0, 7, 1.0 / 3, 1, 0, 1, 1};
  for (std::size_t i = 0; i != 9; ++i) {
    INFO("operator " << i + 1);
    CHECK(takes[i] == Approx(want[i]).epsilon(1e-12));
  }
  CHECK(pl::layout(pl::range(100) | pl::shard(4, 1)).back().takes == Approx(4));
  CHECK(pl::layout(pl::zip(pl::range(10), pl::range(10))).back().takes == 0);
  CHECK(pl::layout(pl::range(10) | pl::repeat()).back().takes == 0);
}

TEST_CASE("layout: what gives earlier elements again is told") {
  const auto rows = pl::layout(pl::range(100) | pl::map([](std::int64_t x) { return x; }) | pl::cache() | pl::batch(2));
  for (const auto& row : rows) CHECK(row.replays == (row.number == 3));
}
