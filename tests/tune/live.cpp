// run_live on real runs: the elements are those of run, what the user states stays, and what changes is logged. Its
// decisions are tested in model/live.cpp.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/tries.hpp>
#include <support/watchdog.hpp>
#include <thread>

#include <plumbline/live.hpp>
#include <plumbline/timeline.hpp>
#include <plumbline/tune.hpp>
#include <plumbline/watch.hpp>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return 10 * x + static_cast<std::int64_t>(r.below(1'000'000)); };
const auto sleeps = [](std::int64_t x) {
  std::this_thread::sleep_for(2ms);
  return x + 1;
};
const auto many = [](std::int64_t x) { return std::vector<std::int64_t>(1000, x); };
const auto last = [](const std::vector<std::int64_t>& v, pl::rng& r) { return jitter(v.back(), r); };

/// 200 elements by `make`, which a cache may keep. One type, as its forms take long to compile.
auto formed(std::function<std::vector<std::int64_t>(std::int64_t)> make) {
  return pl::range(200) | pl::shuffle(3) | pl::map(std::move(make)) | pl::map(last) | pl::batch(20);
}

/// Options with frequent looks.
pl::live_options often(std::size_t threads, std::uint64_t seed = 11) {
  pl::live_options o;
  o.run = with(threads, {}, seed);
  o.every = 0.01;
  return o;
}
/// The plan of p with one message at a time in each part.
template <class P> pl::plan one_at_a_time(const P& p, std::size_t threads) {
  pl::plan by{.pipeline = pl::signature_of(pl::layout(p)), .threads = threads};
  auto s = pl::run(p, with(threads));
  for (const auto& part : s.parts()) by.parts.push_back({.operators = part.operators, .serial = part.serial});
  return by;
}
/// Takes elements until `done()`, at most for a minute.
template <class Stream, class F> bool until(Stream& s, F&& done) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < end) {
    if (done()) return true;
    if (!s.next()) s.restart();
  }
  return false;
}
}  // namespace

TEST_CASE("run_live: the elements of run, in the same order, epoch after epoch, while limits change") {
  const watchdog guard("run_live: elements");
  const auto check = [](const auto& p) {
    for (const std::size_t threads : {1U, 2U, 4U}) {
      auto o = often(threads);
      o.every = 0.001;
      o.batches = 3;
      auto s = pl::run_live(p, o);
      for (std::uint64_t epoch = 0; epoch != 3; ++epoch, s.restart())
        CHECK(drained(s) == reference_texts(p, {11, epoch}));
      auto t = pl::run_live(p, one_at_a_time(p, threads), o);
      CHECK(drained(t) == reference_texts(p, {11, 0}));
      CHECK(t.why().looks > 0);
    }
  };
  check(pl::range(3000) | pl::shuffle(3) | pl::map(square) | pl::map(jitter) | pl::batch(4));
  check(pl::range(500) | reads(square) | pl::map(jitter) | pl::prefetch(8) | pl::map(square) | pl::batch(3));
  check(serial(2000) | pl::filter([](std::int64_t x) { return x % 3 != 0; }) | pl::map(square) | pl::shuffle(9, 1));
}

TEST_CASE("run_live: a part that waits gets I/O threads and more at a time, and the log says why") {
  const watchdog guard("run_live: waiting");
  const auto p = pl::range(1 << 24) | pl::map(sleeps) | pl::batch(4);
  std::vector<std::string> seen;
  auto o = often(2);
  o.on_change = [&](const pl::live_change& c) { seen.push_back(c.what); };
  auto s = pl::run_live(p, one_at_a_time(p, 2), o);
  const auto more = [&] {
    const auto parts = s.why().limits.parts;
    return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.waits && part.at_once > 4; });
  };
  CHECK(until(s, more));
  const auto why = s.why();
  CHECK(why.count == seen.size());
  REQUIRE(!why.changes.empty());
  const auto text = pl::explain(s).text;
  CHECK_THAT(text, Contains("on I/O threads") && Contains("an element waits") && Contains("changes in"));
}

TEST_CASE("run_live: the same upstream of a cache, while it is filled") {
  const watchdog guard("run_live: filling");
  const auto check = [](const auto& p) {
    auto s = pl::run_live(p, one_at_a_time(p, 2), often(2));
    const auto more = [&] {
      const auto parts = s.why().limits.parts;
      return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.waits && part.at_once > 4; });
    };
    while (!more() && s.next()) continue;
    CHECK(more());
  };
  check(pl::range(3000) | pl::map(sleeps) | pl::cache() | pl::map(square) | pl::batch(4));
  check(serial(3000) | pl::map(sleeps) | pl::cache() | pl::map(square) | pl::batch(4));
}

TEST_CASE("run_live: looks while the consumer waits for its first element") {
  const watchdog guard("run_live: waits");
  // the first batch takes 16 x 100 ms with one at a time
  const auto p = pl::range(1 << 20) | pl::map([](std::int64_t x) {
                   std::this_thread::sleep_for(100ms);
                   return x;
                 }) |
                 pl::batch(16);
  auto s = pl::run_live(p, one_at_a_time(p, 4), often(4));
  CHECK(s.next());
  CHECK(s.why().count > 0);
}

TEST_CASE("run_live: what is stated stays") {
  const watchdog guard("run_live: stated");
  const auto p = pl::range(1 << 24) | pl::map(sleeps) | pl::batch(4);
  auto o = often(2);
  o.run.parallelism = {{"map", 2}};
  o.run.prefetch = 3;
  auto s = pl::run_live(p, o);
  const auto before = s.why().limits;
  CHECK(until(s, [&] { return s.why().looks > 5; }));
  CHECK(s.why().limits == before);
  CHECK_THAT(pl::explain(s).text,
             Contains("2, stated\n") &&
                 Contains("after batch (3): " + std::to_string(before.buffers.back().messages) + ", stated\n"));
}

TEST_CASE("run_live: fewer messages in flight when the budget shrinks") {
  const watchdog guard("run_live: memory");
  std::atomic<std::int64_t> made{0};
  const auto p = pl::range(1 << 24) | pl::map([&made](std::int64_t x) {
                   ++made;
                   return std::vector<std::int64_t>(1000, x);
                 });
  auto o = often(2);
  o.run.chunk = 1;
  auto s = pl::run_live(p, o);
  CHECK(until(s, [&] { return s.why().looks > 2; }));
  const auto before = s.why().limits.buffers.back().messages;
  CHECK(before >= 6);
  s.memory(3.5 * 8000);
  CHECK(until(s, [&] { return s.why().limits.buffers.back().messages < before; }));
  std::int64_t taken = 0;
  for (int i = 0; i != 50; ++i) taken = s.next()->front() + 1;  // what was in flight before
  std::this_thread::sleep_for(30ms);
  CHECK(made - taken <= 3);
  CHECK(s.why().in_flight <= 3.5 * 8000);
  CHECK_THAT(pl::explain(s).text, Contains("they may hold"));
  s.memory(1e9);
  CHECK(until(s, [&] { return s.why().limits.buffers.back().messages == before; }));
}

TEST_CASE("run_live: by optimize's plan; another form at an epoch's beginning when the budget changes") {
  const watchdog guard("run_live: forms");
  const auto p = formed(many);
  auto o = often(2);
  o.memory = 1e9;
  // 1.6 MB of elements, which take 90 % of the time
  pl::optimize_options how;
  how.run = o.run;
  how.on.cores = 2;
  how.memory = 1e9;
  how.seconds = 0.2;
  how.progress = [](const std::string&) {};
  auto tuned = pl::optimize(p, how).why();
  const auto cost = [&](std::size_t i, double seconds) {
    auto& c = tuned.seen.counters[i];
    c.cpu_seconds = c.wall_seconds = seconds * static_cast<double>(c.completions);
  };
  cost(2, 200e-6);
  cost(3, 1e-6);
  for (auto& part : tuned.seen.parts) {
    part.cpu_seconds = part.wall_seconds = 0;
    for (const auto n : part.operators) part.cpu_seconds += tuned.seen.counters[n - 1].cpu_seconds;
    part.wall_seconds = part.cpu_seconds;
  }
  tuned.made.best =
      pl::make_plan(tuned.seen, {.cores = 2, .memory = 1e9}, {.cache_sites = std::vector<std::uint32_t>{3}}).best;
  REQUIRE(tuned.made.best.caches == std::vector<std::uint32_t>{3});
  auto s = pl::run_live(p, tuned, o);
  CHECK(drained(s) == reference_texts(p, {11, 0}));
  s.restart();
  CHECK(drained(s) == reference_texts(p, {11, 1}));
  CHECK(s.traced().counters.back().completions > 0);
  s.memory(1e5);
  s.restart();
  CHECK(drained(s) == reference_texts(p, {11, 2}));
  CHECK_THAT(pl::explain(s).text, Contains("form: cache after 3 -> ") && Contains("the caches hold 1.6 MB"));
  s.memory(1e9);
  s.restart();
  CHECK(drained(s) == reference_texts(p, {11, 3}));
  CHECK_THAT(pl::explain(s).text, Contains(" -> cache after 3"));
  s.restart();
  CHECK(drained(s) == reference_texts(p, {11, 4}));
  CHECK(s.stalls().size() == 5);
}

TEST_CASE("run_live: a cache after whole epochs that showed that it is worth it, once") {
  const watchdog guard("run_live: learns");
  const auto wait = std::make_shared<std::atomic<int>>(0);  // ms; storage was fast when the plan was made
  const auto p = formed([wait](std::int64_t x) {
    std::this_thread::sleep_for(wait->load() * 1ms);
    return many(x);
  });
  std::vector<texts> want;
  for (std::uint64_t epoch = 0; epoch != 5; ++epoch) want.push_back(reference_texts(p, {11, epoch}));
  auto o = often(2);
  // without a cache 40 batches a second: far fewer than the consumer takes, also if it loses its core now and then
  o.run.io_threads = 4;
  pl::tuning by;
  by.seen = pl::run<pl::tracing::counters>(p, o.run).traced();
  by.made.best = {.pipeline = pl::signature_of(pl::layout(p)), .threads = 2, .rate = 1e6};
  *wait = 5;
  const auto forms = [&](double memory, std::size_t epochs) {
    o.memory = memory;
    auto s = pl::run_live(p, by, o);
    for (std::size_t epoch = 0; epoch != epochs; ++epoch, s.restart()) CHECK(drained(s) == want[epoch]);
    std::vector<std::string> changes;
    for (const auto& c : s.why().changes)
      if (c.what.find("form: ") == 0) changes.push_back(c.what);
    return changes;
  };
  CHECK(holds_in_time("the consumer could take a fifth more", [&](std::ostream& measured) {
    const auto changes = forms(1e9, 5);
    for (const auto& c : changes) measured << c << "; ";
    return changes == std::vector<std::string>{"form: no cache -> cache after 3"};
  }));
  CHECK(forms(2e5, 3).empty());  // too little would fit
}

TEST_CASE("run_live: a cache that holds more than was planned goes, for good; one that seemed to at first stays") {
  const watchdog guard("run_live: sizes");
  // of 200 elements, the 100 that are made first are 40 kB, the others 800 bytes
  const auto made = std::make_shared<std::atomic<int>>(0);
  const auto p =
      formed([made](std::int64_t x) { return std::vector<std::int64_t>(made->fetch_add(1) < 100 ? 5000 : 100, x); });
  auto o = often(2);
  o.batches = 1;
  o.run.chunk = o.run.prefetch = 1;
  pl::tuning by;
  by.seen = pl::run<pl::tracing::counters>(p, o.run).traced();
  const auto planned = [&](std::uint64_t bytes) {
    auto& seen = by.seen;
    seen.wall_seconds = 1;
    seen.epochs = 1;
    for (auto& c : seen.counters) c.completions = 200;
    seen.counters.back().completions = 10;
    seen.counters[2].bytes = bytes;
    seen.parts.clear();
    for (const auto& [number, seconds] : {std::pair{3U, 1.0}, std::pair{4U, 0.01}}) {
      seen.counters[number - 1].cpu_seconds = seen.counters[number - 1].wall_seconds = seconds;
      seen.parts.push_back({.operators = {number}, .messages = 200, .cpu_seconds = seconds, .wall_seconds = seconds});
    }
    by.made.best =
        pl::make_plan(seen, {.cores = 2, .memory = 7e6}, {.cache_sites = std::vector<std::uint32_t>{3}}).best;
    REQUIRE(by.made.best.caches == std::vector<std::uint32_t>{3});
  };
  const auto forms = [&](double memory) {
    o.memory = memory;
    *made = 0;
    auto s = pl::run_live(p, by, o);
    for (std::uint64_t epoch = 0; epoch != 4; ++epoch, s.restart()) {
      const auto elements = drained(s);
      CHECK(elements == reference_texts(p, {11, epoch}));
    }
    std::vector<std::string> all;
    for (const auto& c : s.why().changes)
      if (c.what.find("form: ") == 0) all.push_back(c.why);
    return all;
  };
  planned(4'100'000);
  CHECK(forms(7e6).empty());
  planned(41'000);
  const auto why = forms(2e6);
  REQUIRE(why.size() == 1);
  CHECK_THAT(why[0], Contains("the caches hold 4.1 MB, not 41.0 kB as planned, and the budget is 2.0 MB now"));
}

TEST_CASE("run_live: stop, failures, saved states and several consumers") {
  const watchdog guard("run_live: ends");
  const auto slow = pl::range(1 << 20) | pl::map([](std::int64_t x) {
                      std::this_thread::sleep_for(5ms);
                      return x;
                    });
  auto s = pl::run_live(slow, often(2));
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);
    s.stop();
  });
  while (s.next()) {
  }
  other.join();
  auto fails = pl::run_live(pl::range(100) | pl::map([](std::int64_t x) -> std::int64_t {
                              if (x == 70) throw std::runtime_error("seventy");
                              return x;
                            }),
                            often(2));
  std::size_t n = 0;
  try {
    while (fails.next()) ++n;
    FAIL("it must fail");
  } catch (const pl::failure& e) {
    CHECK_THAT(e.what(), Contains("map (operator 2 of 2) failed at element 70"));
  }
  CHECK(n == 70);
  const auto p = pl::range(400) | pl::shuffle(3) | pl::map(jitter) | pl::batch(4);
  auto a = pl::run_live(p, often(2)), b = pl::run_live(p, often(3));
  const auto want = reference_texts(p, {11, 0});
  CHECK(drained(a, 30) == texts(want.begin(), want.begin() + 30));
  b.load(a.save());
  CHECK(drained(b) == texts(want.begin() + 30, want.end()));
  auto shared = pl::run_live(p, often(2));
  std::atomic<std::size_t> count{0};
  std::vector<std::thread> all;
  for (int i = 0; i != 3; ++i)
    all.emplace_back([&] {
      while (shared.next()) ++count;
    });
  for (auto& t : all) t.join();
  CHECK(count == 100);
}

TEST_CASE("run_live: counts are whole, also while nothing is recorded") {
  const watchdog guard("run_live: counts");
  const auto p = pl::range(20'000) | pl::map(square) | pl::cache() | pl::map(square) | pl::batch(4);
  auto o = often(2);
  o.every = 0.001;
  auto s = pl::run_live(p, o);
  std::uint64_t epochs = 0, recorded = 0, elements = 0;
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (recorded == elements && std::chrono::steady_clock::now() < end) {
    for ([[maybe_unused]] auto& batch : s) continue;
    ++epochs;
    const auto batches_made = s.stats().counted->operators.back();
    recorded = batches_made.recorded;
    elements = batches_made.elements;
  }
  CHECK(recorded < elements);
  const auto now = s.stats().counted.value();
  CHECK(now.operators[3].elements == 20'000 * epochs);
  CHECK(now.operators[4].elements == 5'000 * epochs);
  REQUIRE(now.caches);
  CHECK(now.caches->misses == 20'000);
  CHECK(now.caches->hits == 20'000 * (epochs - 1));
  CHECK(s.traced().counters[4].completions == recorded);
}

TEST_CASE("run_live: a timeline is refused with what to do, and run<tracing::timeline>(p, plan) has one") {
  const watchdog guard("run_live: timeline");
  const auto p = pl::range(400) | pl::shuffle(3) | pl::map(jitter) | pl::batch(4);
  const auto by = one_at_a_time(p, 2);
  auto live = pl::run_live(p, by, often(2));
  CHECK_THROWS_WITH(live.timeline(), Contains("run<pl::tracing::timeline>(p, plan)"));
  auto planned = pl::run(p, by, with(2, {}, 11));
  CHECK_THROWS_WITH(planned.timeline(), Contains("run<pl::tracing::timeline>(p, plan)"));
  auto s = pl::run<pl::tracing::timeline>(p, by, with(2, {}, 11));
  CHECK(drained(s) == reference_texts(p, {11, 0}));
  CHECK(s.timeline().work.size() > 1);
  CHECK(s.parts().size() == live.parts().size());
}

TEST_CASE("run_live: invalid options") {
  const auto p = pl::range(100) | pl::map(square);
  const auto with_options = [&](pl::live_options o) { return pl::run_live(p, std::move(o)); };
  CHECK_THROWS_WITH(with_options({.run = {.threads = 0}}), Contains("run.threads is 0"));
  CHECK_THROWS_WITH(with_options({.every = 0}), Contains("every is 0"));
  CHECK_THROWS_WITH(with_options({.memory = -1}), Contains("memory is -1"));
  auto s = pl::run_live(p);
  CHECK_THROWS_WITH(s.memory(-1), Contains("give 0 or more"));
  CHECK_THROWS_WITH(pl::run_live(p, one_at_a_time(pl::range(100) | pl::batch(3), 2)), Contains("for another pipeline"));
}

TEST_CASE("live: options in braces are options, not a plan") {
  auto s = pl::run_live(pl::range(100), {.memory = 1e9});
  CHECK(drained(s).size() == 100);
}
