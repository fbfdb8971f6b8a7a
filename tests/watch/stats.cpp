// stream::stats and stream::watch: every figure against what the consumer knows, and from other threads.
#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>
#include <plumbline/watch.hpp>

#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/tries.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <set>
#include <sstream>
#include <string>
#include <thread>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

TEST_CASE("stats: position, epochs and size, exact to the element") {
  const watchdog guard("stats: position");
  for (const auto threads : {0U, 2U}) {
    auto s = pl::run(pl::range(1000) | pl::batch(10), {.threads = threads, .first_epoch = 3});
    auto now = s.stats();
    CHECK(now.phase == pl::stream_phase::not_begun);
    CHECK(now.epoch == 3);
    CHECK(now.position == 0);
    CHECK(now.size == 100U);
    CHECK(!now.this_epoch);
    CHECK(!now.limit());
    CHECK(!now.eta_seconds());
    CHECK(!now.counted);
    CHECK(now.queues.empty() == (threads == 0));
    std::uint64_t taken = 0;
    for ([[maybe_unused]] auto& batch : s) {
      ++taken;
      if (taken % 7 != 0 && taken != 100) continue;
      now = s.stats();
      CHECK(now.position == taken);
      CHECK(now.elements == taken);
      CHECK(now.phase == pl::stream_phase::running);
      REQUIRE(now.this_epoch);
      CHECK(now.this_epoch->elements == taken);
      CHECK(now.eta_seconds());
    }
    now = s.stats();
    CHECK(now.phase == pl::stream_phase::ended);
    CHECK(now.epoch == 3);
    CHECK(now.position == 100);
    CHECK(now.this_epoch->whole);
    CHECK(now.eta_seconds() == 0.0);
    CHECK(now.rate() > 0);
    s.restart(7);
    for (int i = 0; i != 5; ++i) s.next();
    now = s.stats();
    CHECK(now.epoch == 7);
    CHECK(now.position == 5);
    CHECK(now.elements == 105);
    CHECK(now.seconds >= now.waited_seconds);
    CHECK(now.process_bytes.value_or(0) > 1e6);
    s.stop();
    CHECK(s.stats().phase == pl::stream_phase::stopped);
    CHECK(s.stats().elements == 105);
  }
}

TEST_CASE("stats: a filter's size is not known, an endless stream has none") {
  CHECK(!pl::run(pl::range(10) | pl::filter([](std::int64_t x) { return x > 3; })).stats().size);
  CHECK(!pl::run(pl::range(10) | pl::repeat()).stats().size);
}

TEST_CASE("stats: a state that was loaded") {
  const auto p = pl::range(100) | pl::map([](std::int64_t x) { return x; });
  auto first = pl::run(p, {.threads = 2});
  for (int i = 0; i != 30; ++i) first.next();
  auto second = pl::run(p, {.threads = 2});
  second.load(first.save());
  CHECK(second.stats().position == 30);
  CHECK(second.stats().elements == 0);
  for (int i = 0; i != 10; ++i) second.next();
  const auto now = second.stats();
  CHECK(now.position == 40);
  CHECK(now.elements == 10);
  CHECK(now.this_epoch->elements == 10);
}

TEST_CASE("stats: failures") {
  const watchdog guard("stats: failures");
  for (const auto threads : {0U, 2U}) {
    const auto p = pl::range(100) | pl::map([](std::int64_t x) {
                     if (x == 60) throw std::runtime_error("sixty");
                     return x;
                   });
    auto s = pl::run(p, {.threads = threads});
    CHECK(s.stats().failures == 0);
    CHECK(!s.stats().last_failure);
    for (int e = 1; e != 3; ++e) {
      CHECK_THROWS_AS(
          [&] {
            for ([[maybe_unused]] auto& x : s) continue;
          }(),
          pl::failure);
      const auto now = s.stats();
      CHECK(now.phase == pl::stream_phase::failed);
      CHECK(now.failures == static_cast<std::uint64_t>(e));
      CHECK_THAT(now.last_failure.value_or(""), Contains("sixty") && Contains("element 60"));
      CHECK(now.position == 60);
    }
  }
}

TEST_CASE("stats: queues fill while the consumer works, and are named") {
  const watchdog guard("stats: queues");
  auto s = pl::run(pl::range(100'000) | pl::map([](std::int64_t x) { return x; }).named("same") | pl::batch(10),
                   {.threads = 2, .prefetch = 4, .chunk = 1});
  s.next();
  pl::stream_stats now;
  for (int i = 0; i != 10'000; ++i) {
    now = s.stats();
    if (now.queues.back().ready == now.queues.back().capacity - 1) break;  // the consumer holds one
    std::this_thread::sleep_for(1ms);
  }
  REQUIRE(now.queues.size() == 2);
  CHECK(now.queues[0].name == "same");
  CHECK(now.queues[0].after == 2);
  CHECK(now.queues[1].name == "batch");
  const auto& last = now.queues.back();
  CHECK(last.ready == last.capacity - 1);
  CHECK(last.in_flight == last.capacity);
  CHECK(last.elements >= last.ready);
  CHECK(last.early == 0);
}

TEST_CASE("stats: of two queues of one operator, one is inside") {
  const watchdog guard("stats: inside");
  const auto check = [](auto s, const std::string& name) {
    s.next();
    const auto now = s.stats();
    std::vector<bool> inside;
    for (const auto& q : now.queues)
      if (q.name == name) inside.push_back(q.inside);
    CHECK(inside == std::vector<bool>{true, false});
    std::ostringstream shown;
    shown << now;
    CHECK_THAT(shown.str(), Contains("\n  inside " + name + " (") && Contains("\n  after " + name + " ("));
    // each sample has other labels
    const auto text = pl::open_metrics(now);
    CHECK_THAT(text, Contains("name=\"" + name + " (inside)\"") && Contains("name=\"" + name + "\""));
    std::set<std::string> samples;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      if (!line.starts_with('#')) CHECK(samples.insert(line.substr(0, line.rfind(' '))).second);
  };
  const auto row = pl::map([](std::int64_t x) { return pl::tensor<float>({2}, static_cast<float>(x)); });
  check(pl::run(pl::range(1000) | row | pl::batch(10), {.threads = 2}), "batch");
}

TEST_CASE("stats: a wait is seen while it lasts, and what waits early") {
  const watchdog guard("stats: waiting");
  std::atomic<bool> open{false};
  auto s = pl::run(pl::range(4) | pl::map([&](std::int64_t x) {
                     while (x == 0 && !open) std::this_thread::sleep_for(100us);
                     return x;
                   }),
                   {.threads = 2, .chunk = 1});
  std::jthread consumer([&] { s.next(); });
  pl::stream_stats now;
  do {  // the consumer holds the stream's lock all the time
    std::this_thread::sleep_for(1ms);
    now = s.stats();
  } while (now.waited_seconds < 0.05 || now.stalled() < 0.5 || now.queues.back().early == 0);
  CHECK(now.position == 0);
  CHECK(now.queues.back().ready == now.queues.back().early);
  open = true;
}

TEST_CASE("stats: limits") {
  const watchdog guard("stats: limits");
  auto busy = pl::run(pl::range(40), {.threads = 2});
  for ([[maybe_unused]] auto x : busy) {  // the first element may take a while, as threads start
    do std::this_thread::sleep_for(2ms);
    while (busy.stats().stalled() > 0.04);
  }
  CHECK(busy.stats().limit() == pl::stream_limit::consumer);
  // a consumer that loses its core works or waits for as long
  const auto limited = [](pl::stream_limit by, auto&& run) {
    return holds_in_time("what limits a stream", [&](auto& measured) {
      auto s = run();
      for ([[maybe_unused]] auto x : s) continue;
      measured << s.stats();
      return s.stats().limit() == by;
    });
  };
  CHECK(limited(pl::stream_limit::preparation, [] {
    return pl::run(pl::range(40) | pl::map([](std::int64_t x) {
                     std::this_thread::sleep_for(1ms);
                     return x;
                   }),
                   {.threads = 1});
  }));
  CHECK(limited(pl::stream_limit::reading, [] { return pl::run(waiting(40, 2000us), {.threads = 2}); }));
}

TEST_CASE("stats: what counters add") {
  const watchdog guard("stats: counters");
  const auto spin = [](std::int64_t x) {
    const auto until = std::chrono::steady_clock::now() + 200us;
    while (std::chrono::steady_clock::now() < until) continue;
    return x;
  };
  auto s = pl::run<pl::tracing::counters>(
      pl::range(400) | pl::map([](std::int64_t x) { return x + 1; }) | pl::map(spin).named("spins") | pl::batch(10),
      {.threads = 2});
  CHECK(s.stats().counted);
  CHECK(!s.stats().counted->slowest);
  for ([[maybe_unused]] auto& batch : s) continue;
  const auto now = s.stats();
  REQUIRE(now.counted);
  const auto& counted = *now.counted;
  REQUIRE(counted.operators.size() == 4);
  CHECK(counted.operators[2].name == "spins");
  CHECK(counted.operators[2].elements == 400);
  CHECK(counted.operators[3].elements == 40);
  CHECK(counted.operators[3].bytes >= 400 * sizeof(std::int64_t));
  CHECK(counted.operators[2].wall_seconds > 0.9 * 400 * 200e-6);
  REQUIRE(counted.slowest);
  CHECK(counted.slowest->name == "spins");
  CHECK(counted.slowest->number == 3);
  CHECK(!counted.caches);
  CHECK(counted.queued_bytes.value_or(-1) == 0);  // nothing is left
}

TEST_CASE("stats: an operator that waits is the slowest, though another computes more") {
  const watchdog guard("stats: waiting");
  const auto light = [](std::int64_t x) {
    for (int i = 0; i != 20'000; ++i) x ^= x << 7, x ^= x >> 9;
    return x;
  };
  const auto nap = [](std::int64_t x) {
    std::this_thread::sleep_for(2ms);
    return x;
  };
  auto s = pl::run<pl::tracing::counters>(
      pl::range(200) | pl::map(light).named("light") | pl::map(nap).named("nap") | pl::batch(10), {.threads = 2});
  for ([[maybe_unused]] auto& batch : s) continue;
  const auto slowest = s.stats().counted->slowest;
  REQUIRE(slowest);
  CHECK(slowest->name == "nap");
  CHECK(slowest->rate < 200);  // batches: two threads make one in 10 ms
}

TEST_CASE("stats: cache hits and memory") {
  const watchdog guard("stats: caches");
  const auto wide = pl::map([](std::int64_t x) { return std::vector<std::int64_t>(100, x); });
  for (const auto threads : {0U, 2U}) {
    const auto figures = [&](auto p) {
      auto s = pl::run<pl::tracing::counters>(std::move(p), {.threads = threads});
      for (int e = 0; e != 3; ++e)
        for ([[maybe_unused]] auto& x : s) continue;
      return s.stats().counted->caches;
    };
    const auto all = figures(pl::range(50) | wide | pl::cache());
    REQUIRE(all);
    CHECK(all->misses == 50);
    CHECK(all->hits == 100);
    REQUIRE(all->bytes);
    CHECK(*all->bytes >= 50 * 800);
    CHECK(*all->bytes < 50 * 1000);
    const auto serially = figures(serial(50) | wide | pl::cache());
    REQUIRE(serially);
    CHECK(serially->misses == 50);
    CHECK(serially->hits == 100);
    const auto share = figures(pl::range(1000) | wide | pl::cache(pl::share(0.5)));
    REQUIRE(share);
    CHECK(share->hits + share->misses == 3000);
    CHECK(share->hits > 800);
    CHECK(share->hits < 1200);
    // of several caches on one way, each element is found in one of them, or made
    const auto copy = pl::map([](const std::vector<std::int64_t>& x) { return x; });
    const auto several = figures(pl::range(1000) | wide | pl::cache(pl::share(0.6, 1)) | copy |
                                 pl::cache(pl::share(0.3, 0.6)) | copy | pl::cache(pl::share(0.3)));
    REQUIRE(several);
    CHECK(several->misses == 1000);
    CHECK(several->hits == 2000);
    // a source's elements are indices, which are made in any case
    CHECK(!figures(pl::range(50) | pl::shuffle(1) | pl::cache()));
    const temp_folder at;
    const auto files = figures(pl::range(50) | wide | pl::cache(at / "kept", {.version = 1}));
    REQUIRE(files);
    CHECK(files->hits == 100);
    CHECK(!files->bytes);  // they are not in memory
  }
}

TEST_CASE("stats: from other threads, while elements pass") {
  const watchdog guard("stats: threads");
  const auto check = [](auto&& s, std::int64_t elements) {
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> looks{0}, wrong{0};
    std::vector<std::jthread> others;
    for (int i = 0; i != 2; ++i)
      others.emplace_back([&s, &done, &looks, &wrong, elements, watch = s.watch()] {
        pl::stream_stats before;
        while (!done) {
          const auto now = looks % 2 == 0 ? s.stats() : watch.stats().value();
          // Catch's assertions are for one thread
          const bool steady = now.elements >= before.elements && now.epoch >= before.epoch &&
                              (now.epoch != before.epoch || now.position >= before.position) &&
                              now.position <= static_cast<std::uint64_t>(elements) &&
                              now.elements == now.epoch * static_cast<std::uint64_t>(elements) + now.position &&
                              now.waited_seconds >= before.waited_seconds && now.seconds >= before.seconds &&
                              now.waited_seconds <= now.seconds * 1.001 + 1e-6;
          if (!steady) ++wrong;
          before = now;
          ++looks;
        }
      });
    for (int e = 0; e < 5 || looks < 20; ++e) {
      std::int64_t n = 0;
      for ([[maybe_unused]] auto& x : s) ++n;
      CHECK(n == elements);
    }
    done = true;
    others.clear();
    CHECK(wrong == 0);
  };
  check(pl::run(pl::range(20'000) | pl::map([](std::int64_t x) { return x; }), {.threads = 2}), 20'000);
  check(pl::run(pl::range(20'000) | pl::map([](std::int64_t x) { return x; }), {.threads = 0}), 20'000);
  check(pl::run<pl::tracing::counters>(waiting(200) | pl::map([](std::int64_t x) { return x; }) | pl::batch(2),
                                       {.threads = 2}),
        100);
  check(pl::run<pl::tracing::counters>(pl::range(2000) | pl::shuffle(1) | pl::batch(2), {.threads = 0}), 1000);
}

TEST_CASE("stats: a watch outlives its stream") {
  std::optional<pl::stream_watch> watch;
  {
    auto s = pl::run(pl::range(10), {.threads = 1});
    watch = s.watch();
    s.next();
    CHECK(watch->stats()->elements == 1);
    auto moved = std::move(s);
    moved.next();
    CHECK(watch->stats()->elements == 2);
  }
  CHECK(!watch->stats());
}

TEST_CASE("stats: of a change") {
  pl::stream_stats a, b;
  a.elements = 10, a.seconds = 1, a.waited_seconds = 0.5;
  b.elements = 30, b.seconds = 3, b.waited_seconds = 1;
  CHECK(pl::between(a, b).rate() == 10);
  CHECK(pl::between(a, b).stalled() == 0.25);
  CHECK(pl::between(a, a).rate() == 0);
}

TEST_CASE("stats: counts are whole while recording is paused, times are of what was recorded") {
  const watchdog guard("stats: paused");
  for (const auto threads : {0U, 2U}) {
    auto s = pl::run<pl::tracing::counters>(
        pl::range(1000) | pl::map([](std::int64_t x) { return std::to_string(x); }) | pl::cache() |
            pl::map([](const std::string& x) { return std::stoll(x); }) |
            pl::filter([](auto x) { return x % 2 == 0; }) | pl::shuffle(8, 1) | pl::batch<10>(),
        {.threads = threads});
    const auto epoch = [&] {
      for ([[maybe_unused]] auto& batch : s) continue;
      return s.stats().counted.value();
    };
    const auto once = epoch();
    s.record(false);
    const auto twice = epoch();
    REQUIRE(twice.operators.size() == once.operators.size());
    for (std::size_t i = 3; i != once.operators.size(); ++i) {  // those that the cache does not replace
      INFO(once.operators[i].name);
      CHECK(once.operators[i].recorded == once.operators[i].elements);
      CHECK(twice.operators[i].elements == 2 * once.operators[i].elements);
      CHECK(twice.operators[i].bytes == 2 * once.operators[i].bytes);
      CHECK(twice.operators[i].recorded == once.operators[i].recorded);
      CHECK(twice.operators[i].cpu_seconds == once.operators[i].cpu_seconds);
    }
    REQUIRE(twice.caches);
    CHECK(twice.caches->misses == 1000);
    CHECK(twice.caches->hits == 1000);
  }
}
