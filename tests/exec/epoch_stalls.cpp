// stream::stalls: what an epoch waited for. Bounds on shares are wide; bench_stalls measures how close they are.
#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/report/explain_epochs.hpp>
#include <plumbline/sources.hpp>

#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/tries.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {
void spin(std::chrono::nanoseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}
template <class T> std::size_t all_of(pl::stream<T>& s) {
  std::size_t n = 0;
  for ([[maybe_unused]] auto& x : s) ++n;
  return n;
}
}  // namespace

TEST_CASE("stalls: each epoch has its figures") {
  const watchdog guard("stalls: epochs");
  for (const auto threads : {0U, 2U}) {
    auto s = pl::run(pl::range(1000) | pl::batch(10), {.threads = threads});
    CHECK(s.stalls().empty());
    CHECK_THAT(pl::explain(s).text, Contains("no epoch has begun"));
    CHECK(all_of(s) == 100);
    s.restart();
    for (int i = 0; i != 7; ++i) s.next();
    auto seen = s.stalls();
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].epoch == 0);
    CHECK(seen[0].whole);
    CHECK(seen[0].elements == 100);
    CHECK(seen[0].seconds > 0);
    CHECK(seen[1].epoch == 1);
    CHECK(!seen[1].whole);
    CHECK(seen[1].elements == 7);
    s.restart(9);
    seen = s.stalls();
    REQUIRE(seen.size() == 3);
    CHECK(seen[1].elements == 7);
    CHECK(seen[2].epoch == 9);
    CHECK(seen[2].elements == 0);
    for (const auto& e : seen) {
      CHECK(e.prep_seconds >= 0);
      CHECK(e.io_seconds == 0);  // nothing blocks
      CHECK(e.prep_seconds <= e.seconds);
    }
    CHECK_THAT(pl::explain(s).text, Contains("0 % of the last epoch waited for I/O") && Contains("1, part"));
    for (int i = 0; i != 100; ++i) s.restart();
    CHECK(s.stalls().size() == 65);  // the latest 64, and the running one
  }
}

TEST_CASE("stalls: an epoch of which all elements were taken is whole, though it was not asked for its end") {
  const watchdog guard("stalls: counted epochs");
  for (const auto threads : {0U, 2U}) {
    auto s = pl::run(pl::range(1000) | pl::batch(10), {.threads = threads});
    for (const std::uint64_t batches : {100U, 99U, 100U}) {
      for (std::uint64_t i = 0; i != batches; ++i) s.next();
      if (batches == 99) CHECK_THAT(pl::explain(s).text, Contains(" of the last epoch waited for I/O"));
      s.restart();
    }
    const auto seen = s.stalls();
    REQUIRE(seen.size() == 4);
    CHECK(seen[0].whole);
    CHECK(!seen[1].whole);
    CHECK(seen[2].whole);
    CHECK(!seen[3].whole);
  }
  auto s = pl::run(pl::range(1000) | pl::filter([](std::int64_t x) { return x < 10; }), {.threads = 0});
  for (int i = 0; i != 10; ++i) s.next();  // whether these are all is not known
  s.restart(4);
  CHECK(!s.stalls()[0].whole);
  CHECK_THAT(pl::explain(s).text, Contains(" of the time so far in epoch 4 waited for I/O"));
}

TEST_CASE("stalls: an epoch that fails, and one that is loaded") {
  const watchdog guard("stalls: odd epochs");
  const auto p = pl::range(100) | pl::map([](std::int64_t x) {
                   if (x == 60) throw std::runtime_error("sixty");
                   return x;
                 });
  auto s = pl::run(p, {.threads = 2});
  CHECK_THROWS_AS(all_of(s), pl::failure);
  REQUIRE(s.stalls().size() == 1);
  CHECK(!s.stalls()[0].whole);
  CHECK(s.stalls()[0].elements == 60);
  const auto q = pl::range(100) | pl::map([](std::int64_t x) { return x; });
  auto first = pl::run(q, {.threads = 2});
  for (int i = 0; i != 30; ++i) first.next();
  auto second = pl::run(q, {.threads = 2});
  second.load(first.save());
  while (second.next()) {
  }
  REQUIRE(second.stalls().size() == 1);
  CHECK(second.stalls()[0].whole);
  CHECK(second.stalls()[0].elements == 70);
  // loading another state ends the running epoch, with what was taken of it
  auto early = pl::run(q, {.threads = 2});
  for (int i = 0; i != 10; ++i) early.next();
  for (int i = 0; i != 5; ++i) first.next();
  first.load(early.save());
  first.next();
  REQUIRE(first.stalls().size() == 2);
  CHECK(first.stalls()[0].elements == 35);
  CHECK(first.stalls()[1].elements == 1);
}

TEST_CASE("stalls: waiting for reads and for preparation") {
  const watchdog guard("stalls: for what");
  const temp_folder at;
  for (int i = 0; i != 40; ++i) at.write(std::to_string(i) + ".bin", std::string(50'000, 'x'));
  const auto files = pl::files(at / "*.bin") | pl::read_file();
  const auto size = [](const pl::file_contents& f) { return f.data.size(); };
  const auto in_time = [](const std::string& what, auto&& share) {
    CHECK(holds_in_time(what, [&](auto& measured) {
      const double is = share();
      measured << is;
      return is > 0.5;
    }));
  };
  in_time("share of reads", [&] {  // 2 MB at 4 MB/s
    auto reads = pl::run(files | pl::map(size), {.threads = 2, .read_bytes_per_second = 4e6});
    CHECK(all_of(reads) == 40);
    CHECK_THAT(pl::explain(reads).text, Contains("of the last epoch waited for I/O"));
    return reads.stalls().back().io();
  });
  // a serial operator, behind a service that answers at once: one of the two compute threads is idle
  in_time("share of preparation", [&] {
    auto prepares = pl::run(files | pl::scan(std::size_t{0},
                                             [&](std::size_t sum, const pl::file_contents& f) {
                                               spin(4ms);
                                               return std::pair(sum + size(f), sum);
                                             }),
                            {.threads = 2});
    CHECK(all_of(prepares) == 40);
    return prepares.stalls().back().prep();
  });
  in_time("share of the consumer's work", [&] {
    auto ready = pl::run(files | pl::map(size), {.threads = 2});
    for ([[maybe_unused]] auto& x : ready) std::this_thread::sleep_for(5ms);
    return ready.stalls().back().step();
  });
}
