// run_shared when something around it goes wrong: signals, forks, failing functions, deaths at a bad moment.
#include "jobs.hpp"

#include <support/watchdog.hpp>

#include <sys/time.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <future>
#include <optional>
#include <thread>

using namespace plumbline_test;

namespace {

const auto numbers = pl::range(40) | pl::shuffle(2) | pl::batch<4>();
auto options(const std::string& name, std::size_t jobs = 1) {
  return pl::shared_options{.name = own_name(name), .jobs = jobs, .run = {.threads = 2, .seed = 11}};
}
std::size_t count(auto& s) {
  std::size_t n = 0;
  for (const auto& b : s) n += b.empty() ? 0 : 1;
  return n;
}

// Signals that interrupt the calls of this process, as a profiler's do.
struct many_signals {
  explicit many_signals(int us) {
    struct sigaction ignore {};
    ignore.sa_handler = [](int) {};
    ignore.sa_flags = SA_RESTART;
    ::sigaction(SIGALRM, &ignore, nullptr);
    const itimerval often{{0, us}, {0, us}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~many_signals() {
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
  }
};

}  // namespace

TEST_CASE("shared faults: what is written next is none of the items that are published") {
  for (const auto ahead : std::vector<std::uint64_t>{1, 2, 1024}) {
    const auto segment = std::make_shared<pl::detail::shared_segment>(std::size_t{1} << 20);
    segment->header().ahead = ahead;
    for (std::uint64_t q = 0; q != 5; ++q)  // if its writer dies there, the one before it says where to go on
      CHECK(&segment->item(q + ahead) != &segment->item(q + ahead - 1));
    CHECK(&segment->item(7) != &segment->item(7 + ahead));
  }
}

TEST_CASE("shared faults: signals interrupt joining, and the reservation of much memory") {
  watchdog limit("signals");
  const auto large = pl::range(2) | pl::map([](std::int64_t i) {
                       return pl::tensor<float>({64, 1024, 1024}, static_cast<float>(i));
                     }) |
                     pl::batch<1>();  // of 256 MiB
  auto a = pl::run_shared(numbers, options("signals"));
  auto big = pl::run_shared(large, options("signals, large"));
  const many_signals on(700);
  for (int k = 0; k != 300; ++k) {
    std::optional<pl::shared_stream<pl::tensor<std::int64_t>>> b;
    CHECK_NOTHROW(b.emplace(pl::run_shared(numbers, options("signals"))));
  }
  CHECK(count(big) == 2);
  CHECK(big.stats().copied == 0);
}

TEST_CASE("shared faults: a child of fork that stops its copy does not disturb the parent's") {
  watchdog limit("child stops");
  auto a = pl::run_shared(numbers, options("child stops"));
  REQUIRE(a.next() != nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    a.stop();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  std::optional<pl::shared_stream<pl::tensor<std::int64_t>>> b;
  CHECK_NOTHROW(b.emplace(pl::run_shared(numbers, options("child stops"))));
  if (b) CHECK(b->stats().jobs == 2);
}

TEST_CASE("shared faults: what fails while an epoch is prepared again is a failure of that epoch, for all") {
  watchdog limit("prepared again");
  static std::atomic<bool> fails;
  fails = false;
  const auto p = pl::range(40) | pl::filter([](std::int64_t i) {
                   if (i == 1 && fails) throw std::runtime_error("not now");
                   return true;
                 }) |
                 pl::batch<4>();
  auto how = options("prepared again", 2);
  auto a = std::optional(pl::run_shared(p, how));
  while (!a->stats().prepares) std::this_thread::yield();
  auto b = pl::run_shared(p, how), c = pl::run_shared(p, how);
  auto of_a = std::async(std::launch::async, [&] { return a->next() != nullptr; });
  REQUIRE(b.next() != nullptr);
  CHECK(of_a.get());
  fails = true;
  a.reset();
  bool failed = false;
  try {
    while (b.next()) {
    }
  } catch (const pl::failure& f) {
    failed = true;
    CHECK(f.operator_name() == "filter");
  }
  CHECK(failed);
  fails = false;
  CHECK(count(b) == 10);
}

TEST_CASE("shared faults: the first epoch is that of the first job, though another prepares it") {
  watchdog limit("first epoch");
  auto how = options("first epoch", 2), other = how;
  how.run.first_epoch = 5;
  auto a = std::optional(pl::run_shared(numbers, how));
  auto b = pl::run_shared(numbers, other);
  a.reset();
  auto c = pl::run_shared(numbers, other);
  auto of_c = std::async(std::launch::async, [&] { return count(c); });
  CHECK(b.next() != nullptr);
  CHECK(b.epoch() == 5);
  while (b.next()) {
  }
  CHECK(of_c.get() == 10);
}
