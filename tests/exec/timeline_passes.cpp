// A timeline where epochs are repeated, by restart(epoch) or a loaded state: each pass has its own batches, with
// their own times, and only what the consumer was given counts.
#include <support/op_laws.hpp>
#include <support/watchdog.hpp>

#include <plumbline/ext/chrome_trace.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>

#include <set>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
// A time between two events, further from both than the conversion of clocks is off.
std::int64_t moment() {
  std::this_thread::sleep_for(3ms);
  const auto at = now();
  std::this_thread::sleep_for(3ms);
  return at;
}
const auto slowly = [](std::int64_t x) {
  std::this_thread::sleep_for(2ms);
  return x;
};
// Takes at most `most` elements, slowly enough that each call has an event.
template <class S> std::size_t take(S& s, std::size_t most = 1'000'000) {
  std::size_t n = 0;
  while (n != most && s.next()) {
    std::this_thread::sleep_for(20us);
    ++n;
  }
  return n;
}
// The batches of a pass through epoch 0, which have the indices from `first` on.
std::vector<pl::batch_record> pass(const pl::batch_log& log, std::uint64_t pass, std::uint64_t first) {
  std::vector<pl::batch_record> all;
  for (const auto& b : log.batches)
    if (b.epoch == 0 && b.pass == pass) all.push_back(b);
  for (std::size_t i = 0; i != all.size(); ++i) CHECK(all[i].index == first + i);
  return all;
}
// How many timed elements of range are in batches, each of which must be in batch (element / each).
std::size_t elements_in_place(const pl::batch_log& log, std::int64_t each) {
  std::size_t n = 0;
  for (const auto& b : log.batches)
    for (const auto& e : b.elements) {
      const auto& name = log.names[e.name];
      if (e.seconds < 1e-3 || name.find("element ") != 0) continue;
      CHECK(std::stoll(name.substr(8)) / each == static_cast<std::int64_t>(b.index));
      ++n;
    }
  return n;
}

}  // namespace

TEST_CASE("timeline: a repeated epoch has its batches twice, each with its own times") {
  for (const std::size_t threads : {0U, 2U}) {
    INFO("threads " << threads);
    auto s =
        pl::run<pl::tracing::timeline>(pl::range(60) | pl::map([](std::int64_t x) { return x; }), with(threads, 10));
    CHECK(take(s) == 60);
    const auto between = moment();
    s.restart(0);
    CHECK(take(s) == 60);
    const auto t = s.timeline();
    if (threads != 0) CHECK(t.calls.size() >= 10);  // of the first message; of others where calls are far enough apart
    const auto log = pl::batches_of(t);
    CHECK(log.batches.size() == 120);
    const auto before = pass(log, 0, 0), after = pass(log, 1, 0);
    REQUIRE((before.size() == 60 && after.size() == 60));
    for (const auto& b : before)
      CHECK((b.begun < between && b.asked < between && b.had < between && b.released < between && b.released != 0));
    for (const auto& b : after)
      CHECK((b.begun > between && b.asked > between && b.had > between && b.released >= b.had));
    const auto r = pl::report(log);
    CHECK((r.batches == 120 && r.epochs == 2));
    CHECK_THAT(pl::explain(r).text, Contains("120 batches of 2 epochs"));
    CHECK_NOTHROW(pl::page(log));
    CHECK(pl::report(pl::read_batch_csv(pl::write_csv(log))).epochs == 2);
    CHECK(pl::write_json(pl::read_chrome_trace(pl::chrome_trace(t))) == pl::write_json(t));
  }
}

TEST_CASE("timeline: an earlier state that is loaded begins another pass") {
  for (const std::size_t threads : {0U, 2U}) {
    INFO("threads " << threads);
    auto s = pl::run<pl::tracing::timeline>(pl::range(100) | pl::map(slowly) | pl::batch(2), with(threads, 4));
    CHECK(take(s, 10) == 10);
    const auto state = s.save();
    CHECK(take(s, 20) == 20);
    const auto between = moment();
    s.load(state);
    CHECK(take(s) == 40);
    const auto log = pl::batches_of(s.timeline());
    const auto before = pass(log, 0, 0), after = pass(log, 1, 10);
    CHECK(after.size() == 40);
    CHECK(before.size() >= 30);  // the rest of the message in hand had been fetched, too
    for (const auto& b : before) CHECK((b.asked < between && b.released < between));
    for (const auto& b : after) CHECK((b.begun > between && b.asked > between));
    CHECK(elements_in_place(log, 2) > 0);
    CHECK(pl::report(log).epochs == 2);
  }
}

// An element whose moves sometimes take long, so that serial parts give messages of any size.
struct slow_to_move {
  std::int64_t x = 0;
  slow_to_move() = default;
  explicit slow_to_move(std::int64_t v) : x(v) {}
  slow_to_move(slow_to_move&& o) noexcept : x(o.x) { pause(); }
  slow_to_move& operator=(slow_to_move&& o) noexcept {
    x = o.x;
    pause();
    return *this;
  }
  slow_to_move(const slow_to_move&) = default;
  slow_to_move& operator=(const slow_to_move&) = default;
  ~slow_to_move() = default;

 private:
  void pause() const {
    if (x % 7 == 3) std::this_thread::sleep_for(1200us);
  }
};

TEST_CASE("timeline: elements are in the batch that they belong to, in every pass") {
  const auto p = pl::range(100) | pl::map([](std::int64_t x) { return slow_to_move(slowly(x)); }) | pl::group(2);
  for (const std::size_t threads : {0U, 2U, 3U})
    for (const std::size_t some : {3U, 10U, 13U, 26U}) {
      INFO("threads " << threads << ", some " << some);
      auto s = pl::run<pl::tracing::timeline>(p, with(threads, 4));
      s.save();  // states are recorded from now on, so that a pass can begin inside the epoch
      CHECK(take(s, some) == some);
      const auto state = s.save();
      CHECK(take(s, 15) == 15);  // leaves elements that were taken, but are in no batch yet
      s.load(state);
      CHECK(take(s) == 50 - some);
      s.restart(0);
      CHECK(take(s, 5) == 5);
      CHECK(elements_in_place(pl::batches_of(s.timeline()), 2) > 50);
    }
}

TEST_CASE("timeline: what was in use when an epoch was left is not in the batches of its next pass") {
  const auto most = [](std::int64_t x) { return x % 10 != 0; };
  auto s = pl::run<pl::tracing::timeline>(pl::range(3000) | pl::filter(most) | pl::batch(2), with(2, 10));
  CHECK(take(s, 3) == 3);
  for (std::size_t n = 0, last = 1; n != last; std::this_thread::sleep_for(100ms))  // until no thread works
    last = std::exchange(n, s.timeline().work.size());
  const auto between = moment();
  s.restart(0);
  take(s);
  for (const auto& b : pass(pl::batches_of(s.timeline()), 1, 0)) CHECK(b.begun > between);
}

TEST_CASE("timeline: batches that a loaded state counts as taken are not there again") {
  const auto p = pl::range(100) | pl::map(slowly);
  auto first = pl::run(p, with(0));
  for (int i = 0; i != 30; ++i) first.next();
  for (const std::size_t threads : {0U, 2U}) {
    INFO("threads " << threads);
    auto s = pl::run<pl::tracing::timeline>(p, with(threads, 7));
    s.load(first.save());
    CHECK(take(s) == 70);
    const auto t = s.timeline();
    std::uint64_t given = 0, skipped = 0;
    for (const auto& f : t.fetches) given += f.elements, skipped += f.skipped;
    CHECK((given == 70 && skipped == 30));
    CHECK(pl::detail::mistake_in(t).empty());  // so it can be read back
    const auto log = pl::batches_of(t);
    CHECK(pass(log, 0, 30).size() == 70);
    CHECK(pl::report(log).batches == 70);
    CHECK(elements_in_place(log, 1) > 0);
    for (const auto& d : pl::queue_depths(t)) CHECK(d.messages >= 0);
  }
}

TEST_CASE("timeline: a message without elements is not ready until the end of its epoch") {
  auto s = pl::run<pl::tracing::timeline>(
      pl::range(50) | pl::filter([](std::int64_t x) { return x >= 10 && x % 3 == 0; }), with(1, 1));
  CHECK(take(s) == 13);
  const auto t = s.timeline();
  CHECK(t.work.front().elements == 0);
  std::int64_t last = 0;
  for (const auto& f : t.fetches)
    if (f.elements != 0) last = f.had;
  const auto depths = pl::queue_depths(t);
  REQUIRE(!depths.empty());
  CHECK((depths.back().at == last && depths.back().messages == 0));
}

TEST_CASE("timeline: without threads, work has its epoch and the position of its first element") {
  const auto p = pl::range(100) | pl::map([](std::int64_t x) { return x; });
  auto s = pl::run<pl::tracing::timeline>(p, with(0, 7));
  CHECK(take(s) == 100);
  s.restart(5);
  CHECK(take(s, 40) == 40);
  const auto state = s.save();
  auto other = pl::run<pl::tracing::timeline>(p, with(0, 7));
  other.load(state);
  CHECK(take(other) == 60);
  for (const auto& t : {s.timeline(), other.timeline()}) {
    std::set<std::uint64_t> epochs;
    for (const auto& f : t.fetches) {
      const auto made = std::ranges::find_if(t.work, [&](const auto& w) { return w.made && w.sequence == f.sequence; });
      REQUIRE(made != t.work.end());
      CHECK((made->epoch == f.epoch && made->first == f.first - f.skipped));
      CHECK(made->elements == f.elements + f.skipped);
      epochs.insert(made->epoch);
    }
    CHECK(epochs.count(5) == 1);
  }
}
