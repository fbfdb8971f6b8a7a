#pragma once
/// Definitions of exec/clocks.hpp.

#include <plumbline/exec/clocks.hpp>

#include <array>

namespace plumbline::detail {

PLUMBLINE_INLINE const clock_costs& clock_costs::known() {
  static const clock_costs c;
  return c;
}
PLUMBLINE_INLINE clock_costs::clock_costs() {
  for (int i = 0; i != 64; ++i) {
    auto since = ticks_now();
    for (int k = 0; k != 15; ++k) (void)ticks_now();
    tick = std::min(tick, std::max<std::int64_t>((ticks_now() - since) / 16, 1));  // a counter may have stepped back
    since = ticks_now();
    (void)cpu_now();
    cpu_clock = std::min(cpu_clock, std::max<std::int64_t>(ticks_now() - since, 1));
  }
  std::array<double, 5> seen{};
  for (auto& each : seen) {
    const auto ticks = ticks_now(), wall = wall_now();
    auto now = wall;
    while (now - wall < 50'000) now = wall_now();
    each = static_cast<double>(ticks_now() - ticks) / static_cast<double>(now - wall);
  }
  // an interruption makes a value larger, and a counter that steps back, once, makes one smaller
  std::sort(seen.begin(), seen.end());
  ticks_a_ns = seen[1];
}

}  // namespace plumbline::detail
