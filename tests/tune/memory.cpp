// The memory of a plan is what its run may hold: messages in flight, those on I/O threads among them.
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <plumbline/live.hpp>
#include <plumbline/tune.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <catch2/catch.hpp>

using namespace plumbline_test;
using namespace std::chrono_literals;

namespace {
constexpr double block_bytes = 1e7;

/// Stands for 10 MB.
class block {
 public:
  block() {
    const int now = ++alive;
    for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
    }
  }
  block(block&& other) noexcept : held_(std::exchange(other.held_, false)) {}
  block& operator=(block&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~block() { alive -= held_ ? 1 : 0; }

  static inline std::atomic<int> alive{0}, most{0};

 private:
  bool held_ = true;
};
const auto make = [](std::int64_t) { return block(); };
const auto slow_read = pl::blocking([](std::int64_t) {
  std::this_thread::sleep_for(3ms);
  return block();
});

/// The most bytes that the stream holds, if its consumer takes some elements and then pauses.
double most_held(auto s) {
  block::most = 0;
  for (int i = 0; i != 5; ++i) REQUIRE(s.next());
  for (int before = -1, same = 0; same != 3; same = before == block::most ? same + 1 : 0) {
    before = block::most;
    std::this_thread::sleep_for(100ms);
  }
  for (int i = 0; i != 50; ++i) REQUIRE(s.next());
  s.stop();
  return block_bytes * block::most;
}
pl::plan planned(const auto& p, double memory, std::optional<std::size_t> chunk = {}) {
  pl::optimize_options o;
  o.run.chunk = chunk;
  o.run.threads = 2;
  o.on.cores = 2;
  o.memory = memory;
  o.seconds = 0.4;
  o.passes = 1;
  o.progress = [](const std::string&) {};
  return pl::optimize(p, o).why().made.best;
}
}  // namespace

template <> struct plumbline::heap_bytes<block> {
  static std::size_t of(const block&) { return static_cast<std::size_t>(block_bytes); }
};

TEST_CASE("memory: messages that wait on I/O threads are part of a plan's memory") {
  const watchdog guard("memory of a plan");
  const auto p = pl::range(100'000) | pl::map(slow_read) | pl::take_while([](const block&) { return true; });
  for (const double memory : {1e12, 7e8, 1.5e8}) {
    const auto plan = planned(p, memory);
    CAPTURE(memory, plan.io_threads, plan.threads, plan.prefetch, plan.memory);
    CHECK(plan.memory <= memory);
    const double held = most_held(pl::run(p, plan));
    // sizes are means of what was traced, to which messages in flight at its end may add or not
    CHECK(held <= 1.1 * plan.memory);
    CHECK(held > 0.6 * plan.memory);  // and no more than that is counted
  }
  CHECK_THROWS_WITH(planned(p, 5e7), Catch::Contains("of memory do not hold what is in flight"));
}

TEST_CASE("memory: the messages of several segments, one of which works on what it takes") {
  const watchdog guard("memory of a plan with two segments");
  const auto p = pl::range(100'000) | pl::map(slow_read) | pl::take_while([](const block&) { return true; }) |
                 pl::map([](block) { return block(); }) | pl::filter([](const block&) { return true; }) |
                 pl::shuffle(1, 1) | pl::map([](const block&) { return 1; });
  const auto plan = planned(p, 1e12);
  CAPTURE(plan.io_threads, plan.threads, plan.prefetch, plan.memory);
  CHECK(most_held(pl::run(p, plan)) <= 1.1 * plan.memory);
}

TEST_CASE("memory: what operators hold within themselves is part of a plan's memory, and of a live run's") {
  const watchdog guard("memory of a shuffle");
  const auto zero = [](const block&) { return 0; };
  const auto p = pl::range(1'000'000) | pl::map(make) | pl::shuffle(20'000, 1) | pl::map(zero);
  const auto plan = planned(p, 1e12);
  const double held = most_held(pl::run(p, plan));
  CAPTURE(plan.memory, plan.threads, plan.prefetch, held);
  CHECK(plan.memory <= 1.1 * held);
  CHECK(plan.memory >= 0.9 * held);
  // an epoch has fewer elements than the buffer's
  const auto few = planned(pl::range(1000) | pl::map(make) | pl::shuffle(20'000, 1) | pl::map(zero), 1e12);
  CHECK(few.memory < 5e10);
  CHECK_THROWS_WITH(planned(p, 1e11), Catch::Contains("do not hold what is in flight and the 200 GB that operators"));
  // a live run makes fewer messages where the buffer leaves little
  pl::live_options o;
  o.run.threads = 2;
  o.run.chunk = 1;
  o.every = 0.01;
  o.memory = 20'006.5 * block_bytes;
  auto s = pl::run_live(p, o);
  while (s.why().looks < 3) REQUIRE(s.next());
  const auto why = s.why();
  // a message that is counted at this moment may be in one of the two sums of which this is the mean
  CHECK(why.buffered == Approx(20'000 * (block_bytes + sizeof(block) + sizeof(pl::lineage))).epsilon(1e-3));
  CHECK(why.buffered + why.in_flight <= o.memory);
  CHECK(why.in_flight > 2 * block_bytes);
  CHECK_THAT(pl::explain(s).text, Catch::Contains(" in operators and "));
}

TEST_CASE("memory: the messages of a buffer that prefetch states") {
  const watchdog guard("memory of a prefetch");
  const auto p = pl::range(100'000) | pl::map(make) | pl::prefetch(100'000) | pl::map([](const block&) { return 0; });
  const auto plan = planned(p, 1e12, 10);
  const double held = most_held(pl::run(p, plan, {.chunk = 10}));
  CAPTURE(plan.memory, plan.threads, plan.prefetch, held);
  CHECK(held <= 1.1 * plan.memory);
  CHECK(held > 0.6 * plan.memory);
}
