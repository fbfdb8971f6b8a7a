// Limits that change while a run goes on: the elements stay the same and in order, and the limits hold.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <plumbline/model/live_limits.hpp>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

using namespace plumbline_test;
using namespace std::chrono_literals;

namespace {
/// A run whose limits may change, and its stream.
template <class P> struct adjustable_run {
  pl::detail::runtime* run;
  pl::stream<typename P::element> s;
};
template <class P> adjustable_run<P> adjustable(const P& p, pl::run_options o) {
  auto env = pl::detail::setting_of(p, std::move(o));
  env.adjustable = true;
  auto made = std::make_unique<pl::detail::graph_runtime<pl::tracing::counters, P>>(p, std::move(env));
  auto* run = made.get();
  return {run, pl::stream<typename P::element>(std::move(made), 0)};
}
/// How many calls of a function there are at once, at most.
class crowd {
 public:
  auto counted(std::chrono::microseconds pause) {
    return [this, pause](std::int64_t x) {
      const int now = ++here_;
      for (int most = most_; most < now && !most_.compare_exchange_weak(most, now);) {
      }
      {
        const std::scoped_lock lock(mutex_);
        threads_.insert(std::this_thread::get_id());
      }
      std::this_thread::sleep_for(pause);
      --here_;
      return x;
    };
  }
  int most() const { return most_; }
  void forget() { most_ = 0; }
  std::size_t threads() {
    const std::scoped_lock lock(mutex_);
    return threads_.size();
  }

 private:
  std::atomic<int> here_{0}, most_{0};
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};
const auto plus_one = [](std::int64_t x) { return x + 1; };
}  // namespace

TEST_CASE("adjusting: any limits at any time leave the elements and their order as they are") {
  const watchdog guard("adjusting: at random");
  const auto check = [](const auto& p, pl::run_options o, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto [run, s] = adjustable(p, o);
    const auto want = reference_texts(p, {o.seed, 0});
    for (int epoch = 0; epoch != 2; ++epoch) {
      texts got;
      for (auto& x : s) {
        got.push_back(text(x));
        if (random() % 4 != 0) continue;
        auto to = run->limits();
        for (auto& part : to.parts) {
          part.at_once = 1 + random() % 5;
          if (random() % 10 == 0) part.waits = !part.waits;
        }
        to.io_threads = 1 + random() % 9;
        for (auto& b : to.buffers) {
          b.messages = 1 + random() % b.most;
          b.elements = random() % 7;
        }
        run->adjust(to);
      }
      CHECK(got == (epoch == 0 ? want : reference_texts(p, {o.seed, 1})));
    }
  };
  for (const std::size_t threads : {1U, 2U, 4U})
    for (std::uint64_t seed = 0; seed != 4; ++seed) {
      CAPTURE(threads, seed);
      check(pl::range(700) | pl::shuffle(3) | pl::map(plus_one) | pl::batch(4), with(threads, {}, 11), seed);
      check(pl::range(400) | reads(plus_one) | pl::map(plus_one) | pl::prefetch(8) | pl::map(plus_one) | pl::batch(3),
            with(threads, {}, 11), seed);
      check(serial(500) | pl::map(plus_one) | pl::filter([](std::int64_t x) { return x % 3 != 0; }) | pl::shuffle(9, 1),
            with(threads, {}, 11), seed);
    }
}

TEST_CASE("adjusting: a part processes as many messages at a time as it may now") {
  const watchdog guard("adjusting: at a time");
  crowd all;
  const auto p = pl::range(1 << 20) | pl::map(all.counted(1ms)) | pl::batch(2);
  auto [run, s] = adjustable(p, with(6, 1));
  const auto most_of = [&](std::size_t at_once) {
    auto to = run->limits();
    for (auto& part : to.parts) part.at_once = at_once;
    run->adjust(to);
    for (int i = 0; i != 40; ++i) s.next();  // what had begun before
    all.forget();
    for (int i = 0; i != 40; ++i) s.next();
    return static_cast<std::size_t>(all.most());
  };
  CHECK(most_of(1) == 1);
  CHECK(most_of(6) > 1);
  CHECK(most_of(2) <= 2);
  CHECK(most_of(1) == 1);
}

TEST_CASE("adjusting: a part that waits moves to I/O threads, which are added") {
  const watchdog guard("adjusting: I/O threads");
  crowd all;
  const auto p = pl::range(1 << 20) | pl::map(all.counted(3ms)) | pl::batch(2);
  auto [run, s] = adjustable(p, with(2, 1));
  CHECK(run->limits().io_threads == 0);
  for (int i = 0; i != 5; ++i) s.next();
  CHECK(all.most() <= 2);
  auto to = run->limits();
  for (auto& part : to.parts) {
    if (part.serial) continue;
    part.waits = true;
    part.at_once = 12;
  }
  to.io_threads = 12;
  run->adjust(to);
  for (int i = 0; i != 100; ++i) s.next();
  CHECK(run->limits().io_threads == 12);
  CHECK(all.most() > 4);
  CHECK(all.most() <= 12);
  CHECK(all.threads() > 4);
}

TEST_CASE("adjusting: a buffer holds as many messages as it may now") {
  const watchdog guard("adjusting: buffers");
  std::atomic<std::int64_t> made{0};
  const auto p = pl::range(1 << 20) | pl::map([&made](std::int64_t x) {
                   ++made;
                   return x;
                 });
  auto [run, s] = adjustable(p, with(2, 1));
  std::int64_t taken = 0;
  const auto ahead = [&] { return made - taken; };
  const auto may_hold = [&](std::size_t messages) {
    auto to = run->limits();
    REQUIRE(to.buffers.size() == 1);
    to.buffers[0].messages = messages;
    run->adjust(to);
    for (int i = 0; i != 200; ++i) taken = *s.next() + 1;  // what was made before
    std::this_thread::sleep_for(50ms);
  };
  may_hold(3);
  CHECK(ahead() <= 3);
  may_hold(50);
  while (ahead() <= 3) std::this_thread::yield();
  may_hold(2);
  CHECK(ahead() <= 2);
}

TEST_CASE("adjusting: buffers before reads may change for any number of I/O threads") {
  for (const std::size_t io : {1U, 4U, 64U, 100U}) {
    auto o = with(2);
    o.io_threads = io;
    auto [run, s] = adjustable(pl::range(10) | reads(plus_one), o);
    auto to = run->limits();
    REQUIRE(to.buffers.size() == 1);
    CHECK_FALSE(to.buffers[0].stated);
    to.buffers[0].messages = 3;
    run->adjust(to);
    CHECK(run->limits().buffers[0].messages == 3);
    CHECK(drained(s).size() == 10);
  }
}

TEST_CASE("adjusting: what the user stated stays, and other runs change nothing") {
  const auto p = pl::range(1000) | pl::map(plus_one) | pl::batch(2);
  auto o = with(2, 5);
  o.parallelism = {{"map", 1}};
  o.prefetch = 3;
  auto [run, s] = adjustable(p, o);
  auto to = run->limits();
  const auto before = to;
  REQUIRE(std::any_of(to.parts.begin(), to.parts.end(), [](const auto& part) { return part.stated && !part.serial; }));
  CHECK(to.buffers.back().stated);
  for (auto& part : to.parts) part.at_once = 7;
  for (auto& b : to.buffers) b.messages = 1;
  run->adjust(to);
  for (std::size_t i = 0; i != before.parts.size(); ++i)
    if (before.parts[i].stated) CHECK(run->limits().parts[i] == before.parts[i]);
  CHECK(run->limits().buffers.back().messages == before.buffers.back().messages);
  CHECK(drained(s) == reference_texts(p, {0, 0}));
}
