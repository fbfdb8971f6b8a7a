// The stream as a range of std and of range-v3, and in a host program that uses TBB itself.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/all.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <numeric>
#include <ranges>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
using numbers = pl::stream<std::int64_t>;
static_assert(std::ranges::input_range<numbers>);
static_assert(!std::ranges::forward_range<numbers>);
static_assert(std::movable<numbers> && !std::copyable<numbers>);
static_assert(ranges::input_range<numbers>);
static_assert(std::same_as<std::ranges::range_value_t<numbers>, std::int64_t>);
static_assert(std::same_as<std::ranges::range_reference_t<numbers>, std::int64_t&>);
static_assert(std::ranges::input_range<pl::stream<std::unique_ptr<int>>>);

// A parallel sum, as a user's function may contain it.
std::int64_t parallel_sum(std::int64_t n) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::int64_t>(0, n), std::int64_t{0},
      [](const auto& r, std::int64_t s) {
        for (std::int64_t i = r.begin(); i != r.end(); ++i) s += i;
        return s;
      },
      std::plus<>{});
}
}  // namespace

TEST_CASE("consumers: a loop is an epoch") {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    auto s = pl::run(pl::range(100) | pl::shuffle(3), with(threads));
    for (std::uint64_t epoch = 0; epoch != 3; ++epoch) {
      texts got;
      for (auto& x : s) got.push_back(text(x));
      CHECK(got == reference_texts(pl::range(100) | pl::shuffle(3), {7, epoch}));
    }
    for (auto& x : s) {
      if (x == 5) break;  // leaves the epoch early
    }
    texts got;
    for (auto& x : s) got.push_back(text(x));
    CHECK(got == reference_texts(pl::range(100) | pl::shuffle(3), {7, 4}));
  }
}

TEST_CASE("consumers: std::ranges") {
  for (const std::size_t threads : {0U, 3U}) {
    std::vector<std::int64_t> got;
    auto s = pl::run(pl::range(1000) | pl::map(square), with(threads));
    for (const auto x : s | std::views::transform([](std::int64_t y) { return y + 1; }) | std::views::take(5))
      got.push_back(x);
    CHECK(got == std::vector<std::int64_t>{1, 2, 5, 10, 17});
    got.clear();
    std::ranges::copy(pl::run(pl::range(5), with(threads)), std::back_inserter(got));
    CHECK(got == std::vector<std::int64_t>{0, 1, 2, 3, 4});
    CHECK(std::ranges::count_if(s, [](std::int64_t x) { return x % 2 == 0; }) == 500);
    auto empty = pl::run(pl::range(0), with(threads));
    CHECK(empty.begin() == empty.end());
  }
}

TEST_CASE("consumers: range-v3") {
  for (const std::size_t threads : {0U, 3U}) {
    auto s = pl::run(pl::range(1000) | pl::map(square), with(threads));
    const auto got = ranges::views::all(s) | ranges::views::transform([](std::int64_t x) { return x + 1; }) |
                     ranges::views::take(5) | ranges::to<std::vector>();
    CHECK(got == std::vector<std::int64_t>{1, 2, 5, 10, 17});
    CHECK((ranges::views::all(s) | ranges::to<std::vector>()).size() == 1000);
  }
}

TEST_CASE("consumers: elements may be moved out of a loop, and changed in it") {
  auto s = pl::run(pl::range(10) | pl::map([](std::int64_t x) { return std::make_unique<std::int64_t>(x); }), with(2));
  std::vector<std::unique_ptr<std::int64_t>> kept;
  for (auto& x : s) {
    *x += 1;
    kept.push_back(std::move(x));
  }
  CHECK(text(kept) == "{*1 *2 *3 *4 *5 *6 *7 *8 *9 *10 }");
}

TEST_CASE("host: user functions that use TBB themselves") {
  const watchdog guard("host: user functions that use TBB themselves");
  const auto heavy = [](std::int64_t x) { return parallel_sum(1000 + x); };
  const auto want = [](std::int64_t x) { return (1000 + x) * (999 + x) / 2; };
  for (const std::size_t threads : {0U, 1U, 2U, 4U}) {
    auto s = pl::run(pl::range(300) | pl::map(heavy), with(threads, 1));
    for (std::int64_t i = 0; i != 300; ++i) REQUIRE(s.next() == want(i));
    auto t = pl::run(serial(100) | pl::interleave([&](std::int64_t x) {
                       parallel_sum(100);
                       return pl::range(x, x + 3) | pl::map(heavy);
                     }),
                     with(threads));
    CHECK(drained(t).size() == 300);
    auto g = pl::run(pl::generate(100, [&](std::uint64_t i) { return heavy(static_cast<std::int64_t>(i)); }) |
                         pl::shuffle(10, 1) | pl::filter([&](std::int64_t) { return parallel_sum(10) == 45; }),
                     with(threads));
    CHECK(drained(g).size() == 100);
  }
}

TEST_CASE("host: a stream consumed inside tbb::parallel_for, alongside the host's own work") {
  const watchdog guard("host: inside parallel_for");
  std::atomic<int> good{0};
  tbb::parallel_for(0, 48, [&](int i) {
    auto s = pl::run(pl::range(2000) | pl::map(square), with(static_cast<std::size_t>(i % 3)));
    std::int64_t n = 0;
    while (auto x = s.next()) {
      if (*x != n * n) return;
      ++n;
    }
    if (n == 2000 && parallel_sum(1000) == 499'500) ++good;
  });
  CHECK(good == 48);
}

TEST_CASE("host: one stream shared by the tasks of a parallel_for") {
  const watchdog guard("host: one stream shared");
  auto s = pl::run(pl::range(5000) | pl::map(square) | pl::enumerate(), with(2));
  std::vector<std::atomic<int>> seen(5000);
  tbb::parallel_for(0, 5000, [&](int) {
    if (auto x = s.next()) ++seen[static_cast<std::size_t>(x->first)];
  });
  CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }));
}

TEST_CASE("host: a program that allows TBB only one thread") {
  const watchdog guard("host: max_allowed_parallelism = 1");
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  for (const std::size_t threads : {0U, 1U, 4U}) {
    const auto p = serial(500) | pl::map(square) | pl::shuffle(10, 1) | pl::map(square) | pl::batch(7);
    auto s = pl::run(p, with(threads));
    CHECK(drained(s) == reference_texts(p, {7, 0}));
    auto t = pl::run(pl::zip(waiting(100), pl::range(100) | pl::map(square)), with(threads));
    CHECK(drained(t).size() == 100);
  }
}

TEST_CASE("host: a stream inside a small arena of the host") {
  const watchdog guard("host: a small arena");
  tbb::task_arena small(1, 1);
  small.execute([] {
    auto s = pl::run(pl::range(2000) | pl::map(square), with(3));
    CHECK(drained(s).size() == 2000);
  });
}
