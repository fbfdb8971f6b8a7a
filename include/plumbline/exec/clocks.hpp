#pragma once
/// The clocks of tracing: the thread's processor time, the wall, and ticks, the cheapest there is; and what each costs.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace plumbline::detail {

inline std::int64_t cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}
inline std::int64_t wall_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
/// The cheapest clock there is, in units of its own.
inline std::int64_t ticks_now() {
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
  return wall_now();
#endif
}
/// What reading a clock costs, in ns and in its own units: the least of many.
struct clock_costs {
  std::int64_t border_ns, border_ticks, cpu_clock_ns;
  static const clock_costs& known() {
    static const clock_costs c = [] {
      clock_costs best{1 << 30, 1 << 30, 1 << 30};
      for (int i = 0; i != 64; ++i) {
        const auto a = wall_now();
        const auto t = ticks_now();
        for (int k = 0; k != 15; ++k) (void)ticks_now();
        const auto u = ticks_now();
        const auto b = wall_now();
        best.border_ticks = std::min(best.border_ticks, (u - t) / 16);
        best.border_ns = std::min(best.border_ns, std::max<std::int64_t>((b - a) / 16, 1));
        const auto c0 = wall_now();
        (void)cpu_now();
        best.cpu_clock_ns = std::min(best.cpu_clock_ns, std::max<std::int64_t>(wall_now() - c0, 1));
      }
      return best;
    }();
    return c;
  }
};

}  // namespace plumbline::detail
