#pragma once
/// Segments with a fast stage and a slow one, on threads of different kinds: how long the consumer waits for the first
/// elements of a run, and how fast elements come that a filter leaves to a function that waits.

#include <plumbline/plumbline.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "support/measure.hpp"
#include "support/report.hpp"

namespace framework {

inline void measure_stages(bench::report& report, std::size_t rounds) {
  namespace pl = plumbline;
  using clock = std::chrono::steady_clock;
  const pl::run_options how{.threads = 2, .io_threads = 16};
  const auto fast = [](std::int64_t x) { return x; };
  const auto slow = [](std::int64_t x) {
    for (const auto end = clock::now() + std::chrono::microseconds(1300); clock::now() < end;) ++x;
    return x;
  };
  const auto waits = [](std::int64_t x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return x;
  };
  const auto few = [](std::int64_t x) { return x % 1000 == 7; };
  bench::series longest, rate;
  for (std::size_t round = 0; round != rounds; ++round) {
    auto slowly = pl::run(pl::range(std::int64_t{1} << 40) | pl::map(pl::blocking(fast)) | pl::map(slow), how);
    double most = 0;
    for (int i = 0; i != 512; ++i) most = std::max(most, bench::seconds([&] { (void)slowly.next(); }));
    longest.rounds.push_back(1e3 * most);
    auto kept = pl::run(pl::range(2'000'000) | pl::filter(few) | pl::map(pl::blocking(waits)), how);
    double n = 0;
    const double took = bench::seconds([&] {
      while (kept.next()) ++n;
    });
    rate.rounds.push_back(n / took);
  }
  report.table("range | map(blocking, fast) | map(1.3 ms): the longest wait for one of the first 512", "ms", 1,
               {{"2 threads, 16 I/O threads", longest}});
  report.table("range | filter(one of 1000) | map(blocking, 5 ms): elements that are kept", "elements/s", 0,
               {{"2 threads, 16 I/O threads", rate}});
}

}  // namespace framework
