// What a run with tracing::markers opens and closes in a profiler.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <plumbline/markers.hpp>
#include <plumbline/plumbline.hpp>

#include <map>
#include <mutex>
#include <thread>

using namespace plumbline_test;

namespace {

/// Keeps what it is called with, by thread.
struct noting {
  struct notes {
    std::mutex lock{};
    std::map<std::thread::id, std::vector<std::string>> open{};
    std::map<std::string, int> ended{};
    int wrong = 0;
  };
  static notes& all() {
    static notes n;
    return n;
  }
  static void begin(const char* name) {
    const std::scoped_lock hold(all().lock);
    all().open[std::this_thread::get_id()].emplace_back(name);
  }
  static void end() {
    const std::scoped_lock hold(all().lock);
    auto& mine = all().open[std::this_thread::get_id()];
    if (mine.empty()) {
      ++all().wrong;
      return;
    }
    ++all().ended[mine.back()];
    mine.pop_back();
  }
  static std::map<std::string, int> taken() {
    const std::scoped_lock hold(all().lock);
    CHECK(std::exchange(all().wrong, 0) == 0);
    for (const auto& [id, names] : all().open) CHECK(names.empty());
    all().open.clear();
    return std::exchange(all().ended, {});
  }
};
using marked = pl::tracing::markers<noting>;

}  // namespace

TEST_CASE("markers: a range around each message of a part, and each wait") {
  const auto p = pl::range(1000) | pl::map([](std::int64_t x) { return x + 1; }) |
                 pl::filter([](std::int64_t x) { return x % 2 == 0; }) | pl::batch(10);
  for (const std::size_t threads : {1U, 3U}) {
    INFO(threads << " threads");
    texts got;
    {
      auto s = pl::run<marked>(p, with(threads, 10));
      got = drained(s);
      CHECK(s.traced().operators.empty());
    }
    auto plain = pl::run(p, with(threads, 10));
    CHECK(got == drained(plain));
    auto ranges = noting::taken();
    CHECK(ranges["range | map(lambda) | filter(lambda)"] >= 100);
    CHECK(ranges["batch"] >= 50 / 10);
    CHECK(ranges["wait for a batch"] >= 50 / 10);
    CHECK(ranges.size() == 3);
  }
}

TEST_CASE("markers: without threads, a range around the consumer's calls; states are those of other runs") {
  const auto p = pl::range(100) | pl::map([](std::int64_t x) { return 2 * x; }) | pl::batch(10);
  {
    auto s = pl::run<marked>(p, with(0));
    for (int i = 0; i != 3; ++i) s.next();
    auto other = pl::run(p, with(0));
    other.load(s.save());
    CHECK(drained(other) == drained(s));
  }
  const auto ranges = noting::taken();
  REQUIRE(ranges.size() == 1);
  CHECK(ranges.begin()->first == "range | map(lambda) | batch");
  CHECK(ranges.begin()->second >= 4);
}

TEST_CASE("markers: ranges are closed by failures, and by streams that are left early") {
  const auto p = pl::range(1000) | pl::map([](std::int64_t x) {
                   if (x == 500) throw std::runtime_error("damaged");
                   return x;
                 }) |
                 pl::prefetch(4);
  for (const std::size_t threads : {0U, 2U}) {
    INFO(threads << " threads");
    {
      auto s = pl::run<marked>(p, with(threads, 5));
      CHECK_THROWS_AS(drained(s), pl::failure);
    }
    CHECK(noting::taken().size() >= 1);
    {
      auto s = pl::run<marked>(p, with(threads, 5));
      for (int i = 0; i != 10; ++i) s.next();
    }
    CHECK(noting::taken().size() >= 1);
  }
}
