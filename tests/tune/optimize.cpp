// optimize and pick_best on real runs: they give the elements that run gives, and their reports are consistent. Their
// decisions are tested in decisions.cpp.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>
#include <thread>
#include <tune/decided.hpp>

#include <plumbline/tune.hpp>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return 10 * x + static_cast<std::int64_t>(r.below(1'000'000)); };
const auto total = [](const pl::tensor<std::int64_t>& t) {
  std::int64_t sum = 0;
  for (const auto x : t.span()) sum += x;
  return sum;
};
struct working {
  std::chrono::nanoseconds time;
  std::int64_t operator()(std::int64_t x) const {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
    }
    return x + 1;
  }
};
pl::optimize_options quick(double seconds = 0.2) {
  pl::optimize_options o;
  o.run = with(2, {}, 11);
  o.seconds = seconds;
  o.progress = [](const std::string&) {};
  return o;
}
}  // namespace

TEST_CASE("optimize: the elements of run, in the same order") {
  const watchdog guard("optimize: elements");
  const auto same = [](const auto& p) {
    auto s = pl::optimize(p, quick(0.05));
    for (std::uint64_t e = 0; e != 3; ++e) {
      CHECK(drained(s) == reference_texts(p, {11, e}));
      s.restart();
    }
  };
  same(pl::range(300) | pl::shuffle(1) | pl::map(working{20us}) | pl::map(jitter) | pl::batch(7) | pl::map(total));
  same(serial(200) | pl::map(square) | pl::shuffle(7, 3) | pl::map(jitter));
  same(pl::zip(pl::range(60) | reads(square), pl::range(60) | pl::map(jitter)) | pl::batch(4));
  same(pl::range(6) | pl::interleave([](std::int64_t x) { return pl::range(5 * x); }) | pl::map(jitter));
}

TEST_CASE("optimize: failures of a planned form have the operators' numbers in the pipeline as written") {
  const watchdog guard("optimize: numbers");
  const auto p = pl::range(100) | pl::map(working{20us}) | pl::map([](std::int64_t x, pl::rng&) -> std::int64_t {
                   if (x == 60) throw std::runtime_error("sixty");
                   return x;
                 }) |
                 pl::batch(10);
  pl::plan by{.pipeline = pl::signature_of(pl::layout(p)), .threads = 2};
  for (const std::uint32_t after : {0U, 2U}) {
    if (after != 0) by.caches = {after};
    auto s = pl::run(p, by);
    try {
      while (s.next()) {
      }
      FAIL("nothing was thrown");
    } catch (const pl::failure& f) {
      CHECK_THAT(f.what(), Contains("map (operator 3 of 4) failed at element 59 of range"));
      CHECK(f.operator_number() == 3);
    }
  }
  // an operator that the plan inserted is reported as such
  struct stubborn {
    std::int64_t x = 0;
    bool* refuse = nullptr;
    stubborn(std::int64_t v, bool* r) : x(v), refuse(r) {}
    stubborn(stubborn&&) = default;
    stubborn& operator=(stubborn&&) = default;
    stubborn(const stubborn& o) : x(o.x), refuse(o.refuse) {
      if (x == 7 && *refuse) throw std::runtime_error("no copy of seven");
    }
    stubborn& operator=(const stubborn&) = default;
  };
  bool refuse = true;
  const auto q = pl::range(20) | pl::map([&refuse](std::int64_t x) { return stubborn(x, &refuse); }) |
                 pl::map([](const stubborn& s, pl::rng& r) { return jitter(s.x, r); });
  auto s = pl::run(q, pl::plan{.pipeline = pl::signature_of(pl::layout(q)), .threads = 1, .caches = {2}});
  const auto all = [&] {
    while (s.next()) {
    }
  };
  CHECK_THROWS_WITH(all(), Contains("cache (inserted by the plan after operator 2 of 3) failed at element 7"));
}

TEST_CASE("optimize: a planned form is traced once its caches are full") {
  const watchdog guard("optimize: full caches");
  const auto p = pl::range(3000) | pl::map(working{30us}) | pl::map(jitter) | pl::batch(10);
  const pl::plan by{.pipeline = pl::signature_of(pl::layout(p)), .threads = 2, .caches = {2}};
  const auto how = with(2, {}, 11);
  const auto seen = pl::detail::live_trials<3, decltype(p)>(p, how).traced(&by, 0.2).seen;
  CHECK(seen.operators.size() == pl::layout(p).size() + 1);
  CHECK(seen.counters[1].completions < 3000);  // operators upstream of the cache hardly ran
}

TEST_CASE("optimize: a cache is measured full although threads run ahead of the consumer") {
  const watchdog guard("optimize: run ahead");
  // an epoch takes 4 s of a core, far longer than a trial
  const auto p = pl::range(20'000) | pl::map(working{200us}) | pl::batch(8);
  const pl::plan by{.pipeline = pl::signature_of(pl::layout(p)), .threads = 2, .caches = {2}};
  const auto seen =
      pl::detail::live_trials<3, std::remove_const_t<decltype(p)>>(p, with(2, {}, 11)).traced(&by, 0.4).seen;
  CHECK(seen.counters[1].completions == 0);
}

TEST_CASE("optimize: a shortened epoch keeps its length however often it is restarted") {
  const watchdog guard("optimize: a shortened epoch");
  const auto p = pl::range(20'000) | pl::map(working{20us}) | pl::batch(8);
  auto s = pl::run(p, pl::plan{.pipeline = pl::signature_of(pl::layout(p)), .threads = 2, .caches = {2}});
  pl::detail::watched_stream<pl::tensor<std::int64_t>> w(s, false);
  std::size_t taken = 0;
  while (taken != 20 && w.next()) ++taken;
  w.shorten();
  for (int i = 0; i != 1000; ++i) {
    w.restart(0);
    std::size_t again = 0;
    while (again != taken && w.next()) ++again;
    REQUIRE(again == taken);
  }
}

TEST_CASE("optimize: an epoch of which an operator takes a part is not empty once it is shortened") {
  const watchdog guard("optimize: a shortened part");
  auto s = pl::run(pl::range(40) | pl::map(square) | pl::batch(4) | pl::take(2), with(2, {}, 11));
  pl::detail::watched_stream<pl::tensor<std::int64_t>> w(s, false);
  std::size_t taken = 0;
  while (w.next()) ++taken;
  std::this_thread::sleep_for(50ms);  // the threads learn that no more is wanted
  w.shorten();
  for (int i = 0; i != 3; ++i) {
    w.restart(0);
    for (std::size_t n = 0; n != taken; ++n) REQUIRE(w.next());
  }
  CHECK(taken == 2);
}

TEST_CASE("optimize: with memory for some of the elements, a share of them is kept") {
  const watchdog guard("optimize: shares");
  const auto p = pl::range(2000) | pl::shuffle(1) | pl::map(working{50us}) |
                 pl::map([](std::int64_t x) { return std::vector<std::int64_t>(1000, x); }) |
                 pl::map([](const std::vector<std::int64_t>& v, pl::rng& r) { return jitter(v.back(), r); }) |
                 pl::batch(20);
  auto o = quick(0.4);
  o.memory = 8e6;  // of 16 MB; the numbers themselves would fit, so they are expensive to make
  auto s = pl::optimize<1>(p, o);
  REQUIRE(s.why().attempts.size() > 1);
  CHECK_THAT(s.why().attempts[1].what, Contains("cache of "));
  for (std::uint64_t e = 0; e != 2; ++e) {
    s.restart(e);
    CHECK(drained(s) == reference_texts(p, {11, e}));
  }
}

TEST_CASE("optimize: caches that the plan adds leave a folder's pipeline as it is") {
  const watchdog guard("optimize: a folder");
  const temp_folder at;
  const auto p = pl::range(300) | pl::shuffle(1) | pl::map(working{50us}) | pl::cache(at.path()) |
                 pl::map([](std::int64_t x) { return std::vector<std::int64_t>(1000, x); }) |
                 pl::map([](const std::vector<std::int64_t>& v, pl::rng& r) { return jitter(v.back(), r); }) |
                 pl::batch(20);
  for (auto& x : pl::run(p, with(2, {}, 11))) (void)x;
  const std::vector<std::uint32_t> sites = pl::detail::forms<5, std::remove_const_t<decltype(p)>>::share_sites();
  CHECK(sites == std::vector<std::uint32_t>{5});  // upstream of the folder, an element may be kept there already
  for (const auto& caches : {std::vector<std::uint32_t>{3}, std::vector<std::uint32_t>{5}}) {
    auto s = pl::run<5>(p, pl::plan{.pipeline = pl::signature_of(pl::layout(p)), .threads = 2, .caches = caches},
                        with(2, {}, 11));
    CHECK(drained(s) == reference_texts(p, {11, 0}));
  }
  auto s = pl::run<5>(
      p, pl::plan{.pipeline = pl::signature_of(pl::layout(p)), .threads = 2, .caches = {5}, .shares = {{0, 0.5}}},
      with(2, {}, 11));
  CHECK(drained(s) == reference_texts(p, {11, 0}));
}

TEST_CASE("optimize: a cache that the user wrote is full before it is observed") {
  const watchdog guard("optimize: a full cache");
  // an epoch is one minibatch, and at least one is delivered before recording starts
  const auto p = pl::range(10) | pl::shuffle(3) | pl::map(square) | pl::cache() | pl::map(jitter) | pl::batch(10);
  const pl::plan by{.pipeline = pl::signature_of(pl::layout(p)), .threads = 2};
  const auto how = with(2, {}, 11);
  const auto seen = pl::detail::live_trials<3, std::remove_const_t<decltype(p)>>(p, how).traced(&by, 0.05).seen;
  CHECK(seen.counters[2].completions == 0);
  CHECK(seen.counters[3].completions > 0);
}

TEST_CASE("optimize: stated options are used as given") {
  auto o = quick(0.05);
  o.run.threads = 1;
  o.run.prefetch = 3;
  o.run.chunk = 5;
  o.run.parallelism = {{"map", 1}};
  auto s = pl::optimize(pl::range(1000) | pl::map(square), o);
  CHECK(s.traced().threads == 1);
  const auto how = pl::options_of(s.plan(), o.run);
  CHECK(how.prefetch == 3);
  CHECK(how.chunk == 5);
  CHECK(how.parallelism == o.run.parallelism);
}

TEST_CASE("optimize: stated operators are those of the pipeline as written") {
  const auto p = pl::range(1000) | pl::map(square) | pl::map(jitter) | pl::batch(10);
  pl::plan by{.pipeline = pl::signature_of(pl::layout(p)), .threads = 2, .caches = {2}};
  const pl::run_options stated{.parallelism = {{"3", 1}, {"map", 2}, {"2", 4}, {"5", 5}, {"02", 6}},
                               .on_io_threads = {"3", "2"}};
  const auto how = pl::options_of(by, stated);
  CHECK(how.parallelism ==
        std::vector<std::pair<std::string, std::size_t>>{{"4", 1}, {"map", 2}, {"2", 4}, {"6", 5}, {"02", 6}});
  CHECK(how.on_io_threads == std::vector<std::string>{"4", "2"});
  // the limit is that of the slow map, operator 5 of the form with the cache, whose operator 4 is batch
  std::atomic<int> at_once{0}, most{0};
  const auto slow = pl::map([&](const pl::tensor<std::int64_t>& batch) {
    int now = ++at_once, seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --at_once;
    return batch(0);
  });
  const auto q = pl::range(500) | pl::map(square) | pl::batch(5) | slow;
  by = {.pipeline = pl::signature_of(pl::layout(q)), .threads = 4, .caches = {2}};
  auto s = pl::run(q, by, {.parallelism = {{"4", 1}}, .chunk = 1});
  CHECK(drained(s).size() == 100);
  CHECK(most == 1);
  CHECK_THROWS_WITH(pl::run(q, by, {.parallelism = {{"9", 1}}}), Contains("plumbline: run: parallelism of \"9\""));
  // and what is predicted keeps to them
  auto o = quick(0.1);
  o.run.threads = 1;
  o.run.parallelism = {{"4", 1}};
  const auto tuned = pl::optimize(q, o);
  CHECK(tuned.why().made.demand.parts.back().cores_most == 1);
}

TEST_CASE("optimize: endless streams, empty streams, and streams that fail") {
  const watchdog guard("optimize: odd streams");
  auto endless = pl::optimize(pl::range(50) | pl::map(square) | pl::repeat() | pl::map(jitter), quick(0.05));
  CHECK(drained(endless, 500).size() == 500);
  CHECK_THROWS_WITH(pl::optimize(pl::range(0) | pl::map(square), quick()),
                    Contains("plumbline: optimize: the pipeline has no elements"));
  CHECK_THROWS_WITH(pl::optimize(pl::range(10) | pl::map([](std::int64_t x) -> std::int64_t {
                                   if (x == 7) throw std::runtime_error("seven");
                                   return x;
                                 }),
                                 quick(60)),
                    Contains("map (operator 2 of 2) failed at element 7") && Contains("seven"));
  // an epoch that takes longer than the given time
  auto slow = pl::optimize(pl::range(4) | pl::map(working{60ms}), quick(0.02));
  CHECK(drained(slow).size() == 4);
}

TEST_CASE("optimize: the observed rate is not above what the model says is possible") {
  const watchdog guard("optimize: prediction");
  const auto work = [](std::int64_t x) {
    auto h = static_cast<std::uint64_t>(x);
    for (int i = 0; i != 20'000; ++i) h = pl::hash_combine(h, 1);
    return static_cast<std::int64_t>(h >> 1);
  };
  auto o = quick(0.4);
  o.caches = false;
  const auto p = pl::range(100'000) | pl::map(work) | pl::map(jitter) | pl::batch(20);
  // The rate may be lower, as other processes may use the cores. bench/tune checks how close it is on an idle machine,
  // and decisions.cpp that the prediction is what the cores can do.
  const auto t = pl::optimize(p, o);
  const auto& planned = t.why().attempts.back();
  CHECK(planned.predicted > 0);
  CHECK(planned.observed < 10 * planned.predicted);
}

namespace {
/// Stand-ins for decoding a whole photo, for taking a box of it, and for both in one, in a third of the time.
std::vector<std::int64_t> whole(std::int64_t x) { return std::vector<std::int64_t>(1000, working{600us}(x)); }
std::int64_t box_of(const std::vector<std::int64_t>& v, pl::rng& r) { return jitter(working{20us}(v.back()), r); }
std::int64_t box(std::int64_t x, pl::rng& r) { return jitter(working{20us}(working{180us}(x)), r); }
}  // namespace

TEST_CASE("pick_best: takes the one with the highest reported rate; rejects a cache that does not fit") {
  const watchdog guard("pick_best: fused");
  const auto numbers = pl::range(100) | pl::shuffle(3);
  const auto free = numbers | pl::map(whole) | pl::map(box_of) | pl::batch(10);
  const auto stated = numbers | pl::map(whole) | pl::cache() | pl::map(box_of) | pl::batch(10);
  const auto fused = numbers | pl::map(box) | pl::batch(10);
  CHECK(reference_texts(free, {11, 0}) == reference_texts(stated, {11, 0}));
  auto o = quick(0.9);
  o.memory = 2e6;  // 800 kB of elements
  auto large = pl::pick_best(o, free, stated, fused);
  const auto& why = large.why();
  REQUIRE(why.alternatives.size() == 3);
  CHECK(why.taken == fastest(why));
  CHECK(drained(large) == (why.taken == 2 ? reference_texts(fused, {11, 0}) : reference_texts(free, {11, 0})));
  CHECK_THAT(pl::explain(large).text,
             Contains("pipelines compared") && Contains("range | shuffle | map(function) | cache | map(function)"));
  o.memory = 6e5;
  auto small = pl::pick_best(o, stated, fused);
  CHECK(small.why().taken == 1);
  CHECK_THAT(small.why().alternatives[0].what,
             Contains("refused") && Contains("cache that is operator 4") && Contains("allow more memory"));
  CHECK(drained(small) == reference_texts(fused, {11, 0}));
  CHECK_THROWS_AS(pl::optimize(stated, o), pl::cache_too_big);
  CHECK_THROWS_AS(pl::pick_best(o, stated, stated), pl::cache_too_big);
}

TEST_CASE("optimize: what a cache in the pipeline holds is part of the plan's memory") {
  const watchdog guard("optimize: stated cache");
  auto o = quick();
  o.memory = 2e6;
  const auto p = pl::range(100) | pl::map(whole) | pl::cache() | pl::map(box_of) | pl::batch(10);
  auto s = pl::optimize(p, o);
  CHECK(s.plan().memory > 8e5);
  CHECK(s.plan().memory <= 2e6);
  CHECK(s.plan().caches.empty());
  CHECK(drained(s) == reference_texts(p, {11, 0}));
}

TEST_CASE("invalid options and plans are rejected") {
  const auto p = pl::range(100) | pl::map([](std::int64_t x) { return x + 1; });
  const auto with = [&](pl::optimize_options o) {
    o.progress = [](const std::string&) {};
    return pl::optimize<1>(p, std::move(o));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(with({.seconds = nan}), Catch::Contains("optimize: seconds is nan"));
  CHECK_THROWS_WITH(with({.seconds = inf}), Catch::Contains("optimize: seconds is inf"));
  CHECK_THROWS_WITH(with({.seconds = -1}), Catch::Contains("optimize: seconds is -1"));
  CHECK_THROWS_WITH(with({.memory = nan}), Catch::Contains("optimize: memory is nan"));
  CHECK_THROWS_WITH(with({.run = {.threads = 0}}), Catch::Contains("run.threads is 0"));
  auto tuned = with({.seconds = 0.01});
  auto plan = tuned.plan();
  REQUIRE(!plan.parts.empty());
  auto broken = plan;
  broken.parts.front().operators.clear();
  broken.threads = 4;
  CHECK_THROWS_WITH(pl::run(p, broken), Catch::Contains("names no operator"));
  broken = plan;
  broken.parts.front().parallelism = 0;
  CHECK_THROWS_WITH(pl::run(p, broken), Catch::Contains("parallelism 0"));
  broken = plan;
  broken.threads = 0;
  CHECK_THROWS_WITH(pl::run(p, broken), Catch::Contains("no threads"));
  broken = plan;
  broken.caches = {2, 2};
  CHECK_THROWS_WITH(pl::run(p, broken), Catch::Contains("two caches after operator 2"));
  broken.caches = {2, 1};
  CHECK_THROWS_WITH(pl::run(p, broken), Catch::Contains("caches after operator 1 and 2 are not among"));
}
