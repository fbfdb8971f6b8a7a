// The clocks of traced runs.
#include <plumbline/exec/taking.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <thread>

using plumbline::detail::clock_pair;

TEST_CASE("clocks: two are read at one moment, whenever the thread loses its core") {
  for (int at = 0; at != 30; ++at) {
    CAPTURE(at);
    std::int64_t now = 1'000'000;
    int readings = 0;
    const auto clock = [&] {
      if (readings++ == at) now += 300'000'000;
      return now += 20;
    };
    const auto both = clock_pair::read(clock, clock);
    CHECK(std::abs(both.ticks - both.ns) <= 20);
  }
  // a counter that steps back while it is read
  std::int64_t now = 0, shift = 0;
  int readings = 0;
  const auto ticks = [&] { return (now += 20) - (shift += ++readings == 2 ? 1000 : 0); };
  const auto wall = [&] { return now += 20; };
  const auto both = clock_pair::read(ticks, wall);
  CHECK(both.ns - both.ticks == shift);
}

TEST_CASE("clocks: the CPU times of two threads are not compared, though one lies where the other did") {
  using namespace plumbline::detail;
  taking calls;
  const auto fetches = [&](int n) {
    for (int i = 0; i != n; ++i) calls.entered(), calls.left(1);
  };
  // of eight fetches the fifth is timed, the time since the fourth, and what share of it calls after the first have
  std::thread([&] {
    fetches(1);
    for (int i = 0; i != 2; ++i) {
      const auto now = ticks_now();
      calls.called({now, now + 1000 * clock_costs::known().tick, false, true, 0, 0});
    }
    fetches(3);
  }).join();
  std::thread([&] {
    for (const auto since = cpu_now(); cpu_now() - since < 100'000'000;) {
    }
    fetches(1);
  }).join();
  CHECK(calls.seconds() < 0.1);
}
