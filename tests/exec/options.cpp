// Run options: stated options are used as given.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <atomic>
#include <set>

using namespace plumbline_test;
using namespace std::chrono_literals;

namespace {

// Records the highest number of calls in progress at once, and their threads.
struct crowd {
  std::atomic<int> now{0}, most{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  void enter() {
    const int n = ++now;
    int seen = most.load();
    while (seen < n && !most.compare_exchange_weak(seen, n)) {
    }
    const std::scoped_lock lock(mutex);
    threads.insert(std::this_thread::get_id());
  }
  auto watched(std::chrono::microseconds pause = 300us) {
    return [this, pause](auto x) {
      enter();
      std::this_thread::sleep_for(pause);
      --now;
      return x;
    };
  }
  // A call waits until there have been two at once: however late the threads begin, they are, if that may be.
  auto meeting() {
    return [this](auto x) {
      const auto until = std::chrono::steady_clock::now() + 30s;
      enter();
      while (most < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      --now;
      return x;
    };
  }
};
const auto nothing = [](std::int64_t x) { return x; };

}  // namespace

TEST_CASE("options: threads") {
  const watchdog guard("options: threads");
  for (const std::size_t threads : {1U, 2U, 5U}) {
    crowd c;
    const auto call = [&, meets = c.meeting(), alone = c.watched()](std::int64_t x) {
      return threads > 1 ? meets(x) : alone(x);
    };
    auto s = pl::run(pl::range(60) | pl::map(call), with(threads, 1));
    CHECK(drained(s).size() == 60);
    CHECK(c.most <= static_cast<int>(threads));
    CHECK((threads == 1 || c.most > 1));
  }
  crowd c;
  auto s = pl::run(pl::range(60) | pl::map(c.watched(1us)), with(0));
  CHECK(drained(s).size() == 60);
  CHECK(c.most == 1);
  CHECK(c.threads == std::set{std::this_thread::get_id()});
}

TEST_CASE("options: threads not stated: at most the cores that this process may use") {
  crowd c;
  auto s = pl::run(pl::range(200) | pl::map(c.watched()), {.chunk = 1});
  CHECK(drained(s).size() == 200);
  CHECK(c.most <= static_cast<int>(pl::machine::here().cores));
}

TEST_CASE("options: parallelism by an operator's name or number") {
  const watchdog guard("options: parallelism");
  const auto most_at_once = [](auto p, crowd& c, std::string which, std::size_t n) {
    auto how = with(6, 1);
    how.parallelism = {{std::move(which), n}};
    auto s = pl::run(p, how);
    CHECK(drained(s).size() == 60);
    return c.most.load();
  };
  for (const std::string which : {"map", "2"}) {
    for (const std::size_t n : {1U, 2U}) {
      crowd c;
      CHECK(most_at_once(pl::range(60) | pl::map(c.watched()), c, which, n) <= static_cast<int>(n));
    }
  }
  {
    crowd c;
    CHECK(most_at_once(serial(60) | pl::batch(1) | pl::map(c.meeting()), c, "batch", 1) > 1);  // limits batch, not map
  }
  {
    crowd c;
    CHECK(most_at_once(pl::range(60) | reads(c.watched()), c, "reads", 2) <= 2);
  }
  {
    crowd c;
    CHECK(most_at_once(serial(60) | pl::map(nothing) | pl::map(c.watched()), c, "3", 1) == 1);
  }
}

TEST_CASE("options: parallelism of a source, and of operators folded into a view") {
  const watchdog guard("options: parallelism of a source");
  {
    crowd c;
    auto how = with(6, 1);
    how.parallelism = {{"generate", 1}};
    auto s = pl::run(pl::generate(60, [f = c.watched()](std::uint64_t i) { return f(i); }), how);
    CHECK(drained(s).size() == 60);
    CHECK(c.most == 1);
  }
  {
    crowd c;
    auto how = with(6, 1);
    how.parallelism = {{"map", 2}};
    auto s = pl::run(pl::zip(pl::range(60) | pl::map(c.watched()), pl::range(60)), how);
    CHECK(drained(s).size() == 60);
    CHECK(c.most <= 2);
  }
  {
    crowd c;
    auto how = with(6, 1);
    how.parallelism = {{"map", 2}};
    auto s = pl::run(pl::range(60) | pl::map(c.watched()) | pl::enumerate() | pl::shuffle(1), how);
    CHECK(drained(s).size() == 60);
    CHECK(c.most <= 2);
  }
}

TEST_CASE("options: io_threads") {
  const watchdog guard("options: io_threads");
  for (const std::size_t n : {1U, 3U}) {
    crowd c;
    auto how = with(2, 1);
    how.io_threads = n;
    const auto call = [&, meets = c.meeting(), alone = c.watched()](std::int64_t x) {
      return n > 1 ? meets(x) : alone(x);
    };
    auto s = pl::run(pl::range(60) | reads(call) | pl::map(nothing), how);
    CHECK(drained(s).size() == 60);
    CHECK(c.most <= static_cast<int>(n));
    CHECK((n == 1 || c.most > 1));
    CHECK(c.threads.count(std::this_thread::get_id()) == 0);
    // more blocking sources than I/O threads
    auto many = pl::run(
        pl::range(20) | pl::interleave([](std::int64_t i) { return waiting(i % 5, 50us); }, {.cycle_length = 7}), how);
    CHECK(drained(many).size() == 40);
  }
}

TEST_CASE("options: blocking operators keep the laws") {
  const watchdog guard("options: blocking operators");
  const auto draw = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(1'000'000)); };
  op_laws(pl::range(100) | reads(nothing));
  op_laws(serial(100) | pl::map(draw) | reads(nothing) | pl::map(draw) |
          pl::filter([](std::int64_t x) { return x % 3 != 0; }) | reads(nothing) |
          pl::map([](std::int64_t x) { return std::to_string(x); }) | pl::batch(7));
  op_laws(pl::range(30) | reads(nothing) | pl::shuffle(1) | pl::repeat(3) | pl::map(draw));
  op_laws(pl::range(9) | pl::interleave([](std::int64_t n) { return pl::range(n) | reads(nothing); }));
  op_laws(pl::zip(pl::range(30) | reads(nothing), pl::range(30)));
}

TEST_CASE("options: seed and first_epoch") {
  const auto p = pl::range(50) | pl::shuffle(4) | pl::map([](std::int64_t x, pl::rng& r) {
                   return x + static_cast<std::int64_t>(r.below(1'000'000'000));
                 });
  for (const std::size_t threads : {0U, 3U}) {
    auto how = with(threads, {}, 99);
    how.first_epoch = 7;
    auto s = pl::run(p, how);
    CHECK(s.epoch() == 7);
    CHECK(drained(s) == reference_texts(p, {99, 7}));
    CHECK(s.epoch() == 8);
    s.restart();
    CHECK(s.epoch() == 8);
    CHECK(drained(s) == reference_texts(p, {99, 8}));
  }
}

TEST_CASE("options: invalid options are rejected") {
  const auto refused = [](auto change) {
    pl::run_options o;
    change(o);
    CHECK_THROWS_AS(pl::run(pl::range(3), o), std::invalid_argument);
  };
  refused([](auto& o) { o.chunk = 0; });
  refused([](auto& o) { o.io_threads = 0; });
  refused([](auto& o) { o.prefetch = 0; });
  refused([](auto& o) { o.timeline_bytes = 0; });
  refused([](auto& o) { o.parallelism = {{"range", 0}}; });
  refused([](auto& o) { o.parallelism = {{"filter", 2}}; });
  refused([](auto& o) { o.parallelism = {{"2", 2}}; });
  CHECK_THROWS_WITH(pl::run(pl::zip(pl::range(3), pl::range(3) | pl::map(nothing)),
                            {.parallelism = {{"range", 1}, {"4", 1}, {"mapp", 3}}}),
                    "plumbline: run: parallelism of \"mapp\": this pipeline has no such operator; it has 1 range, "
                    "2 range, 3 map, 4 zip");
  CHECK_THROWS_WITH(pl::run(pl::range(3), {.threads = static_cast<std::size_t>(-1)}),
                    "plumbline: run: threads is -1; give 0 to 1024");
}

TEST_CASE("options: a paused consumer bounds how far a source runs ahead") {
  const watchdog guard("options: back-pressure");
  // The bound is on messages in flight and does not depend on the length of the stream.
  const auto ahead = [](auto make, const pl::run_options& how, std::int64_t length) {
    auto made = std::make_shared<std::atomic<std::int64_t>>(0);
    auto s = pl::run(make(made, length), how);
    std::int64_t most = 0, got = 0;
    for (int i = 0; i != 4; ++i) {
      for (int k = 0; k != 5; ++k, ++got) REQUIRE(s.next().has_value());
      for (std::int64_t before = -1; before != made->load(); std::this_thread::sleep_for(20ms)) before = made->load();
      most = std::max(most, made->load() - got);
    }
    return most;
  };
  const auto indexed = [](auto made, std::int64_t n) {
    return pl::range(n) | pl::map([made](std::int64_t x) {
             ++*made;
             return x;
           });
  };
  const auto serially = [](auto made, std::int64_t n) {
    return pl::generate([made, n, i = std::int64_t{0}]() mutable -> std::optional<std::int64_t> {
             ++*made;
             return i < n ? std::optional(i++) : std::nullopt;
           }) |
           pl::map(nothing) | pl::shuffle(1, 1) | pl::map(nothing);
  };
  for (const std::size_t threads : {1U, 4U}) {
    for (const std::size_t chunk : {1U, 10U}) {
      const auto how = with(threads, chunk);
      // up to 4 segments of at most 2 * threads + 4 messages each, and a chunk in progress at both of their ends
      const auto bound = static_cast<std::int64_t>(4 * (2 * threads + 6) * chunk);
      CHECK(ahead(indexed, how, 1'000'000) <= bound);
      CHECK(ahead(serially, how, 1'000'000) <= bound);
      CHECK(ahead(serially, how, 5'000) <= bound);
    }
  }
  auto how = with(4, 1);
  how.prefetch = 3;
  CHECK(ahead(indexed, how, 1'000'000) <= 3 + 5 + 4);  // 3 are ready, and one is in progress on each thread
}

TEST_CASE("options: elements are processed in order, so the first does not wait for the last in flight") {
  const watchdog guard("options: in order");
  std::mutex mutex;
  std::vector<std::int64_t> order;
  const auto noting = [&](std::int64_t x) {
    {
      const std::scoped_lock lock(mutex);
      order.push_back(x);
    }
    std::this_thread::sleep_for(200us);
    return x;
  };
  for (const std::size_t threads : {1U, 4U}) {
    order.clear();
    auto s = pl::run(pl::range(100) | pl::map(noting), with(threads, 1));
    CHECK(drained(s).size() == 100);
    // off by at most the number of messages in flight, and mostly by at most the number of threads
    int near = 0;
    for (std::size_t i = 0; i != 100; ++i) {
      const auto off = std::abs(order[i] - static_cast<std::int64_t>(i));
      CHECK(off <= static_cast<std::int64_t>(2 * threads + 2));
      near += off <= static_cast<std::int64_t>(threads) ? 1 : 0;
    }
    CHECK(near >= 80);
  }
}
