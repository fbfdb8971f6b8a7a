// evaluate: pipelines in constant expressions, and the same elements as a run.
#include <plumbline/core/evaluate.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>

#include <support/streams.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

using namespace plumbline_test;

namespace {

using ints = std::vector<std::int64_t>;
using groups = std::vector<ints>;

constexpr auto square = [](std::int64_t x) { return x * x; };
constexpr auto even = [](std::int64_t x) { return x % 2 == 0; };
constexpr auto draw = [](std::int64_t x, pl::rng& r) { return x * 100 + static_cast<std::int64_t>(r.below(100)); };
constexpr auto up_to = [](std::int64_t x) { return ints(static_cast<std::size_t>(x), x); };
constexpr auto sum = [](std::int64_t a, std::int64_t b) { return std::pair(a + b, a + b); };
constexpr auto ten = pl::range<10>();

static_assert([] {
  return pl::evaluate(pl::range<6>() | pl::map(square) | pl::batch<2>()) == groups{{0, 1}, {4, 9}, {16, 25}};
}());
static_assert([] {
  return pl::evaluate(pl::range<5>() | pl::batch<2>(pl::drop_remainder)) == groups{{0, 1}, {2, 3}};
}());
static_assert([] { return pl::evaluate(ten | pl::filter(even) | pl::batch(3)) == groups{{0, 2, 4}, {6, 8}}; }());
static_assert(pl::evaluate(ten | pl::batch(4) | pl::shuffle(1) | pl::take(3)).size() == 3);
static_assert(pl::evaluate(ten | pl::group(4) | pl::map([](const ints& g) { return g.back(); })) == ints{3, 7, 9});
static_assert(pl::evaluate(ten | pl::skip(2) | pl::take(3)) == ints{2, 3, 4});
static_assert(pl::evaluate(ten | pl::filter(even) | pl::skip(1) | pl::take(2)) == ints{2, 4});
static_assert(pl::evaluate(ten | pl::take_while([](std::int64_t x) { return x < 3; })) == ints{0, 1, 2});
static_assert(pl::evaluate(pl::range(1, 4) | pl::flat_map(up_to)) == ints{1, 2, 2, 3, 3, 3});
static_assert(pl::evaluate(pl::range(5) | pl::scan(std::int64_t{0}, sum)) == ints{0, 1, 3, 6, 10});
static_assert(pl::evaluate(ten | pl::shard(4, 1)) == ints{1, 5, 9});
static_assert(pl::evaluate(ten | pl::filter(even) | pl::shard(2, 1, pl::drop_remainder)) == ints{2, 6});
static_assert(pl::evaluate(pl::range(3) | pl::repeat(2)) == ints{0, 1, 2, 0, 1, 2});
static_assert(pl::evaluate(ten | pl::filter(even) | pl::repeat(2)).size() == 10);
static_assert(pl::evaluate(pl::range(3) | pl::repeat() | pl::map(square) | pl::take(5)) == ints{0, 1, 4, 0, 1});
static_assert(pl::evaluate(pl::concat(pl::range(2), pl::range(5, 7))) == ints{0, 1, 5, 6});
static_assert(pl::evaluate(pl::zip(pl::range<3>(), pl::range(4, 7)) |
                           pl::map([](std::tuple<std::int64_t, std::int64_t> t) {
                             return std::get<0>(t) * std::get<1>(t);
                           })) == ints{0, 5, 12});
static_assert(pl::evaluate(pl::elements(std::array{3, 1, 2}) | pl::enumerate(10)).back() ==
              std::pair(std::uint64_t{12}, 2));
static_assert(pl::evaluate(pl::generate([](std::uint64_t i) { return static_cast<int>(i); }) | pl::take(2)) ==
              std::vector{0, 1});
static_assert(pl::evaluate(pl::generate([i = 0]() mutable { return i < 3 ? std::optional(i++) : std::nullopt; })) ==
              std::vector{0, 1, 2});
static_assert(pl::evaluate(ten | pl::cache() | pl::prefetch(2) | pl::take(1)) == ints{0});

// A permutation: each element once, another order in the next epoch.
constexpr bool permutes(ints a) {
  std::sort(a.begin(), a.end());
  return a == pl::evaluate(ten);
}
constexpr auto shuffled = ten | pl::shuffle(7);
static_assert(permutes(pl::evaluate(shuffled)) && pl::evaluate(shuffled) != pl::evaluate(ten));
static_assert(pl::evaluate(shuffled, 0, 0) != pl::evaluate(shuffled, 0, 1));

// The elements of a run, where batches are compared as vectors.
template <class P> void same(const P& p, std::uint64_t seed = 5) {
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(p, {.threads = threads, .seed = seed});
    for (std::uint64_t epoch = 0; epoch != 2; ++epoch) {
      std::vector<typename P::element> all;
      for (auto& x : s) all.push_back(std::move(x));
      CHECK(all == pl::evaluate(p, seed, epoch));
    }
  }
}

}  // namespace

TEST_CASE("evaluate: gives the elements of a run") {
  static_assert(pl::evaluate(ten | pl::map(draw), 5).size() == 10);
  same(ten | pl::map(draw));
  same(ten | pl::shuffle(3) | pl::map(draw) | pl::map(draw) | pl::repeat(2));
  same(ten | pl::filter(even) | pl::map(draw) | pl::repeat(3) | pl::group(4));
  same(serial(20) | pl::map(draw) | pl::shuffle(5, 1) | pl::window(3));
  same(pl::concat(ten | pl::map(draw), serial(4)) | pl::enumerate());
  same(pl::zip(ten | pl::map(draw), ten | pl::shuffle(1) | pl::map(draw)));
  same(pl::zip(serial(10), ten | pl::flat_map(up_to) | pl::map(draw)));
  same(serial(9) | pl::cache() | pl::map(draw));
  same(ten | pl::group(3) | pl::shuffle(2) | pl::skip(1));
  same(pl::mix({.weights = {1, 2}, .seed = 3}, ten, serial(5)));
  same(ten | pl::unique([](std::int64_t x) { return x % 3; }));
}

TEST_CASE("evaluate: streams that an operator opens") {
  const auto inner = [](std::int64_t n) { return pl::range(n) | pl::map(draw) | pl::repeat(2); };
  same(ten | pl::interleave(inner, {.cycle_length = 3, .block_length = 2}));
  same(serial(7) | pl::flat_map([](std::int64_t n) { return pl::range(n) | pl::group(3); }) | pl::take(9));
  same(pl::range(3) | pl::flat_map([inner](std::int64_t n) { return pl::range(n) | pl::flat_map(inner); }));
}

TEST_CASE("evaluate: an exception of a function is thrown as it is") {
  const auto fails = [](std::int64_t x) { return x < 7 ? x : throw std::out_of_range("7"); };
  CHECK_THROWS_AS(pl::evaluate(ten | pl::map(fails)), std::out_of_range);
  CHECK_THROWS_AS(pl::evaluate(ten | pl::map(fails) | pl::group(3)), std::out_of_range);
  CHECK_THROWS_AS(pl::evaluate(ten | pl::interleave([=](std::int64_t n) { return pl::range(n + fails(n)); })),
                  std::out_of_range);
}
