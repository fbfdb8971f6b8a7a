// require: the decision and the account from figures, and with pipelines, one of which is made slower.
#include <plumbline/ext/require.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>

#include <bench/support/busy_process.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using namespace plumbline_test;
using Catch::Matchers::Contains;
using pl::detail::certainly_below;

namespace {
// Processor time that does not depend on the clock.
std::int64_t work(std::int64_t x, int times) {
  auto h = static_cast<std::uint64_t>(x) + 88172645463325252ULL;
  for (int i = 0; i != times; ++i) {
    h ^= h << 13;
    h ^= h >> 7;
    h ^= h << 17;
  }
  return static_cast<std::int64_t>(h >> 1);
}
auto pipeline(int first, int second) {
  return pl::range(1'000'000) | pl::map([first](std::int64_t x) { return work(x, first); }).named("parses") |
         pl::map([second](std::int64_t x) { return work(x, second); }).named("resizes") | pl::batch(10);
}
constexpr int usual = 1'000;  // about 2 us

pl::detail::contract_figures figures(double ratio, double second) {
  pl::detail::contract_figures f;
  f.now.threads = 2;
  f.now.ratios = std::vector<double>(9, ratio);
  f.now.operators = {{"files", 0.1, 0}, {"decode", 10, 1e-5}, {"resize", second, 0}};
  f.rates = std::vector<double>(9, 100 * ratio);
  f.unit_seconds = 1e-5;
  f.memory = 2e8;
  return f;
}
}  // namespace

TEST_CASE("require: what a pipeline yields is called batches only if an operator makes each of several elements") {
  const auto word = [](const auto& p) { return std::string(pl::detail::words_for(pl::layout(p)).many); };
  const auto half = [](std::int64_t x) { return static_cast<double>(x) / 2; };
  const auto length = [](const auto& x) { return static_cast<std::int64_t>(x.size()); };
  CHECK(word(pl::range(100)) == "elements");
  CHECK(word(pl::range(100) | pl::map(half) | pl::shard(4, 1) | pl::take(3)) == "elements");
  CHECK(word(pl::range(100) | pl::map(half) | pl::batch(7)) == "batches");
  CHECK(word(pl::range(100) | pl::batch(7) | pl::map(length) | pl::filter([](std::int64_t n) { return n > 3; }) |
             pl::repeat(2) | pl::prefetch(2)) == "batches");
  CHECK(word(pl::range(100) | pl::batch(7) | pl::unbatch()) == "elements");
  CHECK(word(pl::zip(pl::range(10) | pl::batch(2), pl::range(10) | pl::batch(2))) == "elements");
}

TEST_CASE("require: certainty by the sign test") {
  const auto below = [](std::size_t n, std::size_t above) {
    std::vector<double> all(n, 1.0);
    std::fill_n(all.begin(), above, 3.0);
    return certainly_below(all, 2.0);
  };
  CHECK(!below(0, 0));
  CHECK(!below(5, 0));  // 1 / 32
  CHECK(below(6, 0));   // 1 / 64
  CHECK(!below(8, 1));  // 9 / 256
  CHECK(below(9, 1));   // 10 / 512
  CHECK(!below(9, 2));
  CHECK(below(15, 3));
  CHECK(!below(15, 4));
  CHECK(below(27, 7));
  CHECK(!below(27, 8));
  CHECK(!certainly_below(std::vector<double>(9, 2.0), 2.0));  // equal is not below
  CHECK(pl::detail::median({3, 1, 2}) == 2);
  CHECK(pl::detail::median({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("require: the time without a core is compared with all that threads do") {
  using pl::detail::without_delay;
  CHECK(without_delay(1, 0, 1) == 1);
  CHECK(without_delay(1, 1, 2) == 2);                // two processes on one core
  CHECK(without_delay(1, 1, 0) == 2);                // busy is at least both
  CHECK(without_delay(0, 1, 3) == 1);                // nothing was computed
  CHECK(without_delay(0.01, 1, 11) == Approx(1.1));  // 10 s of waiting in operators went on meanwhile
}

TEST_CASE("require: the account names what became slower, by which factor") {
  const auto before = figures(10, 5).now;
  pl::requirement of{.baseline = "b.json"};
  auto r = pl::detail::judge(figures(10, 5), of, &before);
  CHECK(r.met);
  CHECK(!r.unsure);
  CHECK(r.relative == 1.0);
  CHECK(r.slower.empty());
  CHECK_THAT(r.text, !Contains("became slower"));
  r = pl::detail::judge(figures(6, 10), of, &before);
  CHECK(!r.met);
  CHECK(r.relative == 0.6);
  REQUIRE(r.slower.size() == 1);
  CHECK(r.slower[0].name == "resize");
  CHECK(r.slower[0].number == 3);
  CHECK(r.slower[0].factor == Approx(2));
  CHECK(r.slower[0].seconds == Approx(1e-4));
  CHECK_THAT(r.text, Contains("lower in 9 of 9 rounds") && Contains("60 % of the rate in b.json"));
  CHECK_THAT(r.text, Contains("resize (3)  processor time  100 us  50 us            2.00"));
  CHECK_THAT(r.text, Contains("what became slower, for each element that the pipeline yields, at"));
  // one that waits
  auto waits = figures(6, 5);
  waits.now.operators[1].wait_seconds = 1e-3;
  r = pl::detail::judge(waits, of, &before);
  REQUIRE(r.slower.size() == 1);
  CHECK(r.slower[0].waits);
  CHECK(r.slower[0].name == "decode");
  CHECK(r.slower[0].factor == Approx(100));
  // slower, and no operator is
  r = pl::detail::judge(figures(6, 5), of, &before);
  CHECK(!r.met);
  CHECK_THAT(r.text, Contains("the time is lost between them"));
  // too low in some rounds only
  auto some = figures(10, 5);
  for (std::size_t i = 0; i != 6; ++i) some.now.ratios[i] = 7;
  r = pl::detail::judge(some, of, &before);
  CHECK(r.met);
  CHECK(r.unsure);
  CHECK_THAT(r.text, Contains("lower in 6 of 9 rounds, which may be chance"));
}

TEST_CASE("require: absolute limits") {
  pl::requirement of{.at_least = 900};
  CHECK(pl::detail::judge(figures(10, 5), of, nullptr).met);
  auto r = pl::detail::judge(figures(8, 5), of, nullptr);
  CHECK(!r.met);
  CHECK(!r.relative);
  CHECK_THAT(r.text, Contains("800 elements a second") && Contains("at least 900 a second are required"));
  CHECK_THAT(r.text, Contains("costs now, for each element that the pipeline yields"));
  auto batches = figures(8, 5);
  batches.words = {"batch", "batches"};
  r = pl::detail::judge(batches, of, nullptr);
  CHECK_THAT(r.text,
             Contains("800 batches a second") && Contains("costs now, for each batch that") && !Contains("element"));
  r = pl::detail::judge(figures(10, 5), {.at_most_memory = 1e8}, nullptr);
  CHECK(!r.met);
  CHECK_THAT(r.text, Contains("200 MB of memory") && Contains("at most 100 MB"));
}

TEST_CASE("require: a baseline of something else is refused, before anything runs") {
  const temp_folder at;
  const auto path = at / "b.json";
  auto before = figures(10, 5).now;
  before.calibration_threads = 1;
  bool ran = false;
  const auto refused = [&](const std::string& what) {
    pl::save(before, path);
    const auto p = pl::range(10) | pl::map([&ran](std::int64_t x) {
                                     ran = true;
                                     return x;
                                   }).named("parses");
    CHECK_THROWS_WITH(pl::require(p, {.baseline = path, .run = {.threads = 2}}),
                      Contains("plumbline: require: " + path + " " + what) &&
                          Contains("write it anew: .write = true, or PLUMBLINE_WRITE_BASELINES=1"));
  };
  refused("is the baseline of files | decode | resize, and this pipeline is range | parses; write");
  before.operators = {{"range", 0.1, 0}, {"parses", 10, 0}};
  before.threads = 8;
  refused("was measured with 8 threads, and this run has 2; state run.threads, or write");
  CHECK(!ran);
}

TEST_CASE("require: options that make no sense are refused, with what to give") {
  const auto refused = [](const pl::requirement& of, const std::string& what) {
    CHECK_THROWS_WITH(pl::require(pl::range(10), of), Contains("plumbline: require: " + what));
  };
  refused({.at_least = -1},
          "at_least is -1; give the rate that the pipeline must reach, in elements a second (batches, if it ends in "
          "batch), or 0 to require none");
  refused({.at_least = std::numeric_limits<double>::infinity()}, "at_least is inf; give the rate");
  refused({.at_most_memory = 0}, "at_most_memory is 0; give bytes, more than 0, or leave it out");
  refused({.at_least = 1, .within = 1}, "within is 1; give a share between 0 and 1");
  for (const auto& wrong : {pl::requirement{}, pl::requirement{.at_least = -1}, pl::requirement{.at_most_memory = 0},
                            pl::requirement{.at_least = 1, .within = 1}, pl::requirement{.at_least = 1, .seconds = 0}})
    CHECK_THROWS_AS(pl::require(pl::range(10), wrong), std::invalid_argument);
  CHECK_THROWS_WITH(pl::require(pl::range(0), {.at_least = 1, .seconds = 0.1}), Contains("no elements"));
}

TEST_CASE("require: a missing baseline is written on request only") {
  const watchdog guard("require: missing");
  const temp_folder at;
  const auto path = at / "loader.json";
  const pl::requirement of{.baseline = path, .run = {.threads = 2}, .seconds = 0.2};
  try {
    pl::require(pipeline(usual, usual), of);
    FAIL("no exception");
  } catch (const pl::baseline_missing& e) {
    CHECK_THAT(e.what(), Contains(path) && Contains(".write = true") && Contains("PLUMBLINE_WRITE_BASELINES=1"));
  }
  CHECK(!std::ifstream(path));
  ::setenv("PLUMBLINE_WRITE_BASELINES", "0", 1);
  CHECK_THROWS_AS(pl::require(pipeline(usual, usual), of), pl::baseline_missing);
  ::setenv("PLUMBLINE_WRITE_BASELINES", "1", 1);
  const auto r = pl::require(pipeline(usual, usual), of);
  ::unsetenv("PLUMBLINE_WRITE_BASELINES");
  CHECK_THAT(r.text, Contains("was written") && Contains(" batches a second"));
  const auto kept = pl::load<pl::rate_baseline>(path);
  CHECK(kept.threads == 2);
  CHECK(kept.ratios.size() == 9);
  REQUIRE(kept.operators.size() == 4);
  CHECK(kept.operators[1].name == "parses");
  CHECK(kept.operators[1].cpu > 0);
  std::ofstream(path) << "{}";
  CHECK_THROWS_AS(pl::require(pipeline(usual, usual), of), std::invalid_argument);
}

TEST_CASE("require: a baseline that nothing can be compared with is refused, before anything runs") {
  const temp_folder at;
  const auto path = at / "b.json";
  const pl::requirement of{.baseline = path, .run = {.threads = 2}, .seconds = 0.2};
  const auto refused = [&](auto&& change, const std::string& what) {
    auto b = figures(10, 5).now;
    b.calibration_threads = 2;
    change(b);
    pl::save(b, path);
    CHECK_THROWS_WITH(pl::require(pl::range(0), of), Contains("plumbline: require: " + path + ": " + what) &&
                                                         Contains("; write it anew: .write = true"));
  };
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  refused([](auto& b) { b.calibration_threads = 0; }, "calibration_threads is 0");
  refused([](auto& b) { b.ratios.clear(); }, "ratios is empty");
  for (const double x : {nan, infinity, 0.0, -1.0}) refused([x](auto& b) { b.ratios[2] = x; }, "ratios[2] is ");
  refused([](auto& b) { b.operators[1].cpu = nan; }, "operators[1] costs nan");
  refused([](auto& b) { b.operators[1].wait_seconds = -1; }, "operators[1] costs -1");
}

// Bounds that hold on any machine; bench_watch measures how close they could be.
TEST_CASE("require: an operator made much slower is named; other processes are no reason") {
  if (!optimized) return;  // times in sanitized builds say nothing
  const watchdog guard("require: slower");
  const temp_folder at;
  pl::requirement of{.baseline = at / "loader.json", .within = 0.9, .write = true, .run = {.threads = 2}, .seconds = 1};
  pl::require(pipeline(usual, usual), of);
  of.write = false;
  {
    const bench::busy_process others(2);
    CHECK(pl::require(pipeline(usual, usual), of).met);
  }
  try {
    pl::require(pipeline(usual, 100 * usual), of);
    FAIL("not noticed");
  } catch (const pl::requirement_broken& e) {
    REQUIRE(!e.report().slower.empty());
    CHECK(e.report().slower[0].name == "resizes");
    CHECK(e.report().slower[0].number == 3);
    CHECK(e.report().slower[0].factor > 10);
  }
}

TEST_CASE("require: an epoch may end with a round") {
  const watchdog guard("require: short epochs");
  for (const std::int64_t n : {1, 3})
    CHECK(pl::require(pl::range(n), {.at_least = 0.01, .run = {.threads = 1}, .seconds = 0.1}).met);
}

TEST_CASE("require: memory") {
  if (!optimized) return;
  const watchdog guard("require: memory");
  const auto large = pl::range(60) |
                     pl::map([](std::int64_t x) { return std::vector<char>(1 << 20, static_cast<char>(x)); }) |
                     pl::cache();
  const auto r = pl::require(large, {.at_least = 1, .run = {.threads = 1}, .seconds = 0.5});
  CHECK(r.memory > 55e6);
  CHECK(r.memory < 200e6);
  CHECK_THROWS_WITH(pl::require(large, {.at_most_memory = 40e6, .run = {.threads = 1}, .seconds = 0.5}),
                    Contains("at most 40.0 MB of memory are allowed; caches hold 6"));
}
