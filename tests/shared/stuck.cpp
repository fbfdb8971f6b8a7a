// run_shared: who waits for whom, and for how long.
#include "jobs.hpp"

#include <support/watchdog.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {

const auto numbers = pl::range(80) | pl::shuffle(2) | pl::batch<4>();
auto options(const std::string& name, std::size_t jobs = 1) {
  return pl::shared_options{.name = own_name(name), .jobs = jobs, .ahead = 4, .run = {.threads = 2, .seed = 11}};
}
std::size_t rest_of(auto& s) {
  std::size_t n = 0;
  while (s.next()) ++n;
  return n;
}

}  // namespace

TEST_CASE("shared stream: a job that waits for what it holds gets an error, and may go on") {
  watchdog limit("holds");
  auto how = options("holds");
  how.stuck_seconds = 0.5;
  auto s = pl::run_shared(numbers, how);
  std::vector<std::shared_ptr<const pl::tensor<std::int64_t>>> held;
  const auto why = error_of([&] {
    while (auto b = s.next()) held.push_back(std::move(b));
  });
  CHECK_THAT(why, Contains("holds those that keep it from being made") && Contains("which is 4") &&
                      Contains("was not released for 0.5 s. Release batches, or give the first job a larger ahead"));
  CHECK(held.size() == 4);
  CHECK_THAT(error_of([&] { s.next(); }), Contains("holds those"));
  held.clear();
  CHECK(rest_of(s) == 16);
}

TEST_CASE("shared stream: batches that another thread releases later are no error") {
  watchdog limit("releases later");
  auto s = pl::run_shared(numbers, options("releases later"));
  std::vector<std::shared_ptr<const pl::tensor<std::int64_t>>> held;
  for (int k = 0; k != 4; ++k) held.push_back(s.next());
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    held.clear();
  });
  CHECK(rest_of(s) == 16);
  other.join();
}

TEST_CASE("shared stream: no job waits for one that left its epoch or was stopped") {
  watchdog limit("left");
  const int way = GENERATE(0, 1, 2, 3);
  INFO(way);
  auto how = options("left", 2);
  how.wait_seconds = 0.3;
  auto a = pl::run_shared(numbers, how), b = pl::run_shared(numbers, how);
  std::size_t n = 0;
  std::thread other([&] {
    a.restart();
    n = rest_of(a);
  });
  if (way == 0) {
    for (const auto& x : b)
      if (!x.empty()) break;
  } else if (way == 1) {
    auto held = b.next();
    b.stop();
    held = nullptr;
  } else if (way == 2) {
    CHECK(b.next() != nullptr);
    b.leave();
    CHECK(b.next() == nullptr);
  } else {
    CHECK_THROWS_AS(
        [&] {
          for (const auto& x : b) throw std::out_of_range(std::to_string(x.size()));
        }(),
        std::out_of_range);
  }
  other.join();
  CHECK(n == 20);
  a.restart();  // nor in the next one, but for a while
  CHECK(rest_of(a) == 20);
  if (way == 1) return;
  b.restart();
  a.restart();
  auto of_a = std::async(std::launch::async, [&] { return rest_of(a); });
  CHECK(rest_of(b) == 20);
  CHECK(of_a.get() == 20);
}

TEST_CASE("shared stream: batches of a stopped job are as they were until they are released") {
  watchdog limit("stopped and held");
  auto how = options("stopped", 2);
  auto b = pl::run_shared(numbers, how);
  how.stuck_seconds = 0.2;
  auto a = pl::run_shared(numbers, how);
  a.restart();
  auto held = b.next();
  const auto first = held->operator()(0);
  b.stop();
  std::atomic<std::size_t> n{0};
  std::string why;
  std::thread other([&] {
    why = error_of([&] {
      while (a.next()) ++n;
    });
  });
  while (n != 4) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // longer than a process that does not run is waited for
  CHECK(n == 4);
  CHECK((*held)(0) == first);
  held = nullptr;
  other.join();
  CHECK(why == "");
  CHECK(n == 20);
}

TEST_CASE("shared stream: jobs that all leave their epochs early are together in the next ones") {
  watchdog limit("steps of an epoch");
  auto a = pl::run_shared(numbers, options("steps", 2)), b = pl::run_shared(numbers, options("steps", 2));
  std::vector<std::uint64_t> epochs[2];
  const auto takes = [](auto& s, auto& all, int pause) {
    for (int e = 0; e != 4; ++e) {
      int n = 0;
      for (const auto& x : s) {
        if (n == 0) all.push_back(s.epoch());
        if (x.empty() || ++n == 3) break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(pause));  // in turn later than the other
    }
  };
  std::thread other([&] { takes(a, epochs[0], 1); });
  takes(b, epochs[1], 120);
  other.join();
  CHECK(epochs[0] == std::vector<std::uint64_t>{0, 1, 2, 3});
  CHECK(epochs[1] == epochs[0]);
}

TEST_CASE("run_shared: a stopped process is named to those that wait for it") {
  watchdog limit("a stopped process");
  temp_folder folder;
  work w{.name = own_name("sigstop"), .jobs = 2, .epochs = 1000, .size = 400, .step_us = 300};
  const bool prepares = GENERATE(true, false);
  INFO(prepares);
  const auto how = [&] {
    return pl::shared_options{.name = w.name, .jobs = 2, .stuck_seconds = 2, .run = {.threads = 2, .seed = 11}};
  };
  std::optional<job> other;
  std::optional<decltype(pl::run_shared(pictures(400), how()))> own;
  if (prepares) {
    other.emplace(w, folder / "other");
    own.emplace(pl::run_shared(pictures(400), how()));
    while (own->stats().jobs != 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } else {
    own.emplace(pl::run_shared(pictures(400), how()));
    while (!own->stats().prepares) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    other.emplace(w, folder / "other");
  }
  REQUIRE(own->next() != nullptr);
  other->signal(SIGSTOP);
  const auto why = error_of([&] {
    for (;;) own->next();
  });
  CHECK_THAT(why, Contains("run_shared: process " + std::to_string(other->pid()) + ", which ") &&
                      Contains("has not run for 2 s: it is stopped (kill -CONT continues it)"));
  other->signal(SIGCONT);
  CHECK(own->next() != nullptr);
}

TEST_CASE("run_shared: processes that are all stopped and continued go on") {
  watchdog limit("all stopped");
  temp_folder folder;
  work w{.name = own_name("all stopped"), .jobs = 2, .step_us = 5000, .stuck = 2};
  std::vector<job> jobs;
  for (std::size_t k = 0; k != w.jobs; ++k) jobs.emplace_back(w, folder / std::to_string(k));
  while (jobs[0].result().epochs.empty() || jobs[1].result().epochs.empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (auto& j : jobs) j.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  for (auto& j : jobs) j.signal(SIGCONT);
  for (auto& j : jobs) {
    j.wait();
    const auto found = j.result();
    CHECK(found.error.empty());
    CHECK(found.ended);
    CHECK(found.epochs.size() == 3);
    for (std::uint64_t e = 0; e != 3; ++e) CHECK(found.epochs.at(e) == epoch_of(pictures(200), e));
  }
}
