// Arguments out of range, and resources that the system refuses: the result is an error with a message, never a hang, a
// crash or unbounded memory.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <ranges>

using namespace plumbline_test;
using namespace std::chrono_literals;

namespace {
std::size_t resident_bytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<std::size_t>(use.ru_maxrss) * 1024;
}
// The bytes of address space that this process uses.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}
template <class F> std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing thrown";
}
}  // namespace

TEST_CASE("limits: counts that are negative or too large") {
  using Catch::Matchers::Contains;
  CHECK_THAT(message_of([] { pl::range(10) | pl::repeat(-1); }), Contains("repeat(-1)") && Contains("repeat()"));
  CHECK_THAT(message_of([] { pl::range(10) | pl::take(-5); }), Contains("take(-5)"));
  CHECK_THAT(message_of([] { pl::range(10) | pl::skip(-5L); }), Contains("skip(-5)"));
  CHECK_THAT(message_of([] { pl::range(10) | pl::batch(-2); }), Contains("batch(-2)"));
  CHECK_THAT(message_of([] { pl::range(10) | pl::batch(-2, pl::drop_remainder); }), Contains("batch(-2)"));
  CHECK_THAT(message_of([] { pl::range(10) | pl::prefetch(-2); }), Contains("prefetch(-2)"));
  CHECK_THAT(message_of([] { pl::range(10) | pl::shuffle(-2, 1); }), Contains("shuffle(-2)"));
  CHECK_THAT(message_of([] { pl::generate(-1, [](std::uint64_t i) { return i; }); }), Contains("generate(-1)"));
  CHECK_THAT(message_of([] { pl::range(INT64_MIN, INT64_MAX); }), Contains("range"));
  CHECK(pl::run(pl::range(INT64_MIN, INT64_MAX - 1), with(0)).next() == INT64_MIN);
  CHECK(shown(pl::range(INT64_MAX - 2, INT64_MAX)).size() == 2);
  CHECK_THAT(
      message_of([] { pl::range(3) | pl::interleave([](auto n) { return pl::range(n); }, {.cycle_length = 5000}); }),
      Contains("5000 streams open"));
  for (const std::size_t threads : {0U, 2U})
    CHECK_THAT(message_of([&] {
                 const auto many = pl::range(INT64_MAX) | pl::repeat(3);
                 pl::run(many | pl::shuffle(1), with(threads)).next();
               }),
               Contains("2^63"));
  // the largest possible count
  auto s = pl::run(pl::generate(std::uint64_t{1} << 63, [](std::uint64_t i) { return i; }) | pl::shuffle(1), with(0));
  CHECK(*s.next() < std::uint64_t{1} << 63);
}

TEST_CASE("limits: threads") {
  using Catch::Matchers::Contains;
  CHECK_THAT(message_of([] { pl::run(pl::range(3), {.threads = 2000}); }), Contains("threads is 2000"));
  CHECK_THAT(message_of([] { pl::run(pl::range(3), {.io_threads = 1'000'000}); }), Contains("io_threads is 1000000"));
}

TEST_CASE("limits: a system that refuses threads") {
  if (sanitized) return;  // sanitizers need all of the address space
  const watchdog guard("limits: refused threads");
  for (const bool reading : {false, true}) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto room = address_space() + (std::size_t{256} << 20);  // room for some tens of stacks
      rlimit most{room, room};
      setrlimit(RLIMIT_AS, &most);
      const auto what = message_of([&] {
        pl::run_options how;
        how.threads = reading ? 1 : 900;
        how.io_threads = 900;
        if (reading)
          pl::run(pl::range(100) | plumbline_test::reads([](std::int64_t x) { return x; }), how).next();
        else
          pl::run(pl::range(100), how).next();
      });
      (void)!write(ends[1], what.data(), what.size());
      _exit(0);
    }
    close(ends[1]);
    std::string what;
    char buffer[512];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) what.append(buffer, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK_THAT(what, Catch::Matchers::Contains("of 900 threads") &&
                         Catch::Matchers::Contains(reading ? "io_threads lower" : "threads lower"));
  }
}

TEST_CASE("limits: elements that become large use bounded memory") {
  if (sanitized) return;
  const auto p =
      pl::range(200'000) | pl::map([](std::int64_t i) { return std::vector<char>(i < 150'000 ? 8U : 100'000U, 'x'); });
  auto s = pl::run(p, with(4));
  for (int i = 0; i != 150'000; ++i) REQUIRE(s.next().has_value());
  const auto before = resident_bytes();
  std::this_thread::sleep_for(300ms);  // time to run ahead as far as possible
  for (int i = 0; i != 100; ++i) REQUIRE(s.next().has_value());
  CHECK(resident_bytes() - before < std::size_t{300} << 20);
}

TEST_CASE("limits: elements that become slow are delayed by one message of the old size") {
  const watchdog guard("limits: slow");
  std::atomic<int> made_slow{0};
  const auto p = pl::range(200'000) | pl::map([&](std::int64_t i) {
                   if (i >= 90'000) ++made_slow, std::this_thread::sleep_for(1ms);
                   return i;
                 });
  auto s = pl::run(p, with(2));
  for (int i = 0; i != 90'001; ++i) REQUIRE(s.next().has_value());
  // a message of at most 4,096 on each thread; while elements were cheap, 100 us of work were 16,000
  CHECK(made_slow <= 6 * 4096);
}

TEST_CASE("limits: a very long expansion is abandoned when the stream is stopped") {
  const watchdog guard("limits: long expansion");
  const auto many = [](std::int64_t) { return std::views::iota(std::int64_t{0}, std::int64_t{1} << 40); };
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(pl::range(3) | pl::flat_map(many) | pl::filter([](std::int64_t) { return false; }), with(threads));
    std::thread stopper([&] {
      std::this_thread::sleep_for(50ms);
      s.stop();
    });
    CHECK(!s.next().has_value());
    stopper.join();
  }
}

TEST_CASE("limits: a stream that was moved from throws when used; its iterators stay valid") {
  auto s = pl::run(pl::range(10), with(2));
  auto i = s.begin();
  auto t = std::move(s);
  CHECK(*i == 0);
  ++i;
  CHECK(*i == 1);
  CHECK_THROWS_AS(s.next(), std::logic_error);
  CHECK_THROWS_AS(s.begin(), std::logic_error);
  CHECK(t.next() == 2);
}

TEST_CASE("limits: an exception between operators is a failure too") {
  struct heavy {
    std::int64_t x;
    explicit heavy(std::int64_t v) : x(v) {}
    heavy(heavy&& o) : x(o.x) {
      if (x == 7) throw std::runtime_error("cannot move");
    }
    heavy& operator=(heavy&&) = default;
  };
  for (const std::size_t threads : {0U, 2U}) {
    // a filter moves the elements that it passes on; map constructs its result in place
    auto s = pl::run(pl::range(20) | pl::map([](std::int64_t x) { return heavy(x); }) |
                         pl::filter([](const heavy&) { return true; }),
                     with(threads));
    CHECK_THROWS_AS(
        [&] {
          while (s.next()) {
          }
        }(),
        pl::failure);
  }
}
