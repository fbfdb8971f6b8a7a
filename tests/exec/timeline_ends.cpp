// Where a timeline ends: the last batch of each of several consumers, and batches whose beginning was overwritten.
#include <support/op_laws.hpp>
#include <support/watchdog.hpp>

#include <plumbline/ext/json.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

using namespace plumbline_test;
using namespace std::chrono_literals;

TEST_CASE("timeline: each consumer's last batch of an epoch is released when that consumer asks for another") {
  const watchdog guard("timeline: ends of epochs");
  for (const std::size_t threads : {0U, 2U}) {
    INFO("threads " << threads);
    auto s = pl::run<pl::tracing::timeline>(pl::range(4) | pl::map([](std::int64_t x) { return x; }), with(threads, 1));
    for (const std::uint64_t epoch : {0U, 1U}) {
      if (epoch != 0) s.restart();
      CHECK((s.next() && s.next()));
      std::jthread([&] { CHECK((s.next() && s.next())); }).join();
      for (int i = 0; i != 3; ++i) CHECK(!s.next());
      // threads that took nothing, and ask twice; the second lies where the first did
      for (int i = 0; i != 2; ++i) std::jthread([&] { CHECK((!s.next() && !s.next())); }).join();
    }
    const auto t = s.timeline();
    CHECK(std::ranges::count_if(t.fetches, [](const auto& f) { return f.elements + f.skipped == 0; }) == 6);
    CHECK(pl::write_json(pl::read_json<pl::timeline>(pl::write_json(t))) == pl::write_json(t));
  }
  // two consumers: who finds the end is not the only one that is done
  auto s = pl::run<pl::tracing::timeline>(pl::range(4) | pl::map([](std::int64_t x) { return x; }), with(2, 1));
  CHECK((s.next() && s.next()));
  std::atomic<int> turn{0};
  std::jthread other([&] {
    CHECK((s.next() && s.next()));
    turn = 1, turn.notify_all();
    turn.wait(1);
    std::this_thread::sleep_for(2ms);
    CHECK(!s.next());
  });
  turn.wait(0);
  CHECK(!s.next());
  turn = 2, turn.notify_all();
  other.join();
  const auto log = pl::batches_of(s.timeline());
  REQUIRE(log.batches.size() == 4);
  for (const auto& b : log.batches) CHECK(b.released >= b.consumed);
  CHECK(log.batches[3].consumer == "consumer 2");
  CHECK(log.batches[3].released - log.batches[3].consumed > 1'000'000);
  CHECK(pl::report(log).step.count == 4);
}

TEST_CASE("timeline: the thread that begins an epoch is the one that did its work") {
  const watchdog guard("timeline: who begins");
  auto s = pl::run<pl::tracing::timeline>(pl::range(8) | pl::shuffle(4, 1), with(0, 1));
  CHECK(s.next());
  std::jthread([&] { CHECK((s.next() && s.next())); }).join();
  s.restart();
  CHECK(s.next());
  for (const auto& w : s.timeline().work) CHECK((w.epoch == 0 || w.thread == 0));
}

namespace {
/// What is left of a timeline if a thread's events before `from` were overwritten.
pl::timeline without(const pl::timeline& all, std::uint32_t thread, std::int64_t from) {
  auto t = all;
  t.since = from;
  const auto own = [&](const pl::take_record& take) {  // of a serial part: one thread at a time
    return std::ranges::any_of(all.work, [&](const pl::work_record& w) {
      return w.thread == thread && w.segment == take.by && w.begun <= take.at && take.at <= w.ended;
    });
  };
  t.dropped = std::erase_if(t.work, [&](const auto& w) { return w.thread == thread && w.ended < from; });
  t.dropped += std::erase_if(t.samples, [&](const auto& s) { return s.thread == thread && s.ended < from; });
  t.dropped += std::erase_if(t.takes, [&](const auto& x) { return x.at < from && own(x); });
  return t;
}
}  // namespace

TEST_CASE("timeline: a batch whose beginning was overwritten is marked, and those that are not have theirs") {
  const watchdog guard("timeline: overwritten beginnings");
  const auto work = [](std::int64_t x) {
    std::this_thread::sleep_for(50us);
    return x;
  };
  const auto check = [](const auto& p) {
    for (const std::size_t threads : {1U, 3U}) {
      auto s = pl::run<pl::tracing::timeline>(p, with(threads, 5));
      drained(s);
      const auto whole = s.timeline();
      REQUIRE(whole.dropped == 0);
      std::map<std::uint64_t, std::int64_t> begun;
      for (const auto& b : pl::batches_of(whole).batches) {
        CHECK(!b.begun_lost);
        begun[b.index] = b.begun;
      }
      std::size_t lost = 0, kept = 0;
      for (std::uint32_t thread = 1; thread != whole.threads.size(); ++thread)
        for (const std::size_t part : {1U, 2U, 3U}) {
          INFO("threads " << threads << ", thread " << thread << ", from part " << part);
          const auto t = without(whole, thread, whole.work[part * whole.work.size() / 4].ended);
          if (t.dropped == 0) continue;
          const auto log = pl::batches_of(t);
          for (const auto& b : log.batches) {
            ++(b.begun_lost ? lost : kept);
            if (!b.begun_lost) CHECK(b.begun == begun[b.index]);
          }
          const auto r = pl::report(log);
          CHECK(r.preparation.count + r.begun_lost == r.batches);
        }
      CHECK(lost > 0);
      CHECK(kept > 0);
    }
  };
  check(pl::range(600) | pl::map(work) | pl::batch(6));
  check(pl::range(600) | pl::map(work) | pl::filter([](std::int64_t x) { return x % 3 != 0; }) | pl::batch(4) |
        pl::map([](auto b) { return b; }));
  check(pl::zip(pl::range(300) | pl::map(work), pl::range(300) | pl::filter([](std::int64_t) { return true; })) |
        pl::batch(3));
}

TEST_CASE("timeline: of a run whose events were overwritten, no figure of preparation has what is not known") {
  for (const std::size_t threads : {0U, 2U}) {
    auto options = with(threads, 10);
    options.timeline_bytes = 64 * 1024;  // 1,024 events
    auto s = pl::run<pl::tracing::timeline>(pl::range(20000) | pl::map([](std::int64_t x) { return x; }), options);
    drained(s);
    const auto t = s.timeline();
    CHECK((t.dropped > 0 && t.since > 0));
    const auto log = pl::batches_of(t);
    const auto r = pl::report(log);
    CHECK(r.begun_lost < r.batches);
    CHECK(r.preparation.count + r.begun_lost == r.batches);
    for (const auto& b : log.batches) CHECK((b.begun_lost || b.begun >= t.since));
  }
}
