#pragma once
/// Definitions of exec/clocks.hpp.

#include <plumbline/exec/clocks.hpp>

#include <cstdio>
#include <string>

namespace plumbline::detail {

PLUMBLINE_INLINE const clock_costs& clock_costs::known() {
  static const clock_costs c;
  return c;
}
PLUMBLINE_INLINE clock_costs::clock_costs() {
  for (int i = 0; i != 64; ++i) {
    auto since = ticks_now();
    for (int k = 0; k != 15; ++k) (void)ticks_now();
    tick = std::min(tick, (ticks_now() - since) / 16);
    since = ticks_now();
    (void)cpu_now();
    cpu_clock = std::min(cpu_clock, std::max<std::int64_t>(ticks_now() - since, 1));
  }
  for (int i = 0; i != 4; ++i) {  // an interruption makes the value larger, never smaller
    const auto ticks = ticks_now(), wall = wall_now();
    auto now = wall;
    while (now - wall < 50'000) now = wall_now();
    ticks_a_ns = std::min(ticks_a_ns, static_cast<double>(ticks_now() - ticks) / static_cast<double>(now - wall));
  }
}

PLUMBLINE_INLINE std::int64_t run_delay_of(int thread_id) {
  // "CPU time, run delay, number of time slices"
  long long ran = 0, delay = 0;
  if (auto* f = std::fopen(("/proc/self/task/" + std::to_string(thread_id) + "/schedstat").c_str(), "re")) {
    if (std::fscanf(f, "%lld %lld", &ran, &delay) != 2) delay = 0;
    std::fclose(f);
  }
  return delay;
}

}  // namespace plumbline::detail
