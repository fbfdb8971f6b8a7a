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

/// What reading a clock costs, in ticks: the least of many readings.
struct clock_costs {
  std::int64_t tick = 1 << 30, cpu_clock = 1 << 30;
  double ticks_a_ns = 1e9;

  static const clock_costs& known() {
    static const clock_costs c;
    return c;
  }
  std::int64_t of_ns(std::int64_t ns) const { return static_cast<std::int64_t>(static_cast<double>(ns) * ticks_a_ns); }

 private:
  clock_costs() {
    for (int i = 0; i != 64; ++i) {
      auto since = ticks_now();
      for (int k = 0; k != 15; ++k) (void)ticks_now();
      tick = std::min(tick, (ticks_now() - since) / 16);
      since = ticks_now();
      (void)cpu_now();
      cpu_clock = std::min(cpu_clock, std::max<std::int64_t>(ticks_now() - since, 1));
    }
    for (int i = 0; i != 4; ++i) {  // an interruption makes it larger, never smaller
      const auto ticks = ticks_now(), wall = wall_now();
      auto now = wall;
      while (now - wall < 50'000) now = wall_now();
      ticks_a_ns = std::min(ticks_a_ns, static_cast<double>(ticks_now() - ticks) / static_cast<double>(now - wall));
    }
  }
};

/// The processor time of a thread, from its CPU clock. Reading that costs as much as very many elements of the smallest
/// operators: so it is read now and then, and time in between counts as processor time until it is.
struct cpu_window {
  std::int64_t since = 0, cpu = 0;  ///< ticks and ns when the clock was last read
  std::int64_t charged = 0;         ///< ticks since then that were counted as processor time

  static cpu_window& here() {
    thread_local cpu_window w;
    return w;
  }
  void open(std::int64_t now) { *this = {now, cpu_now(), 0}; }
  /// Of the ticks charged, those that were not processor time; and begins anew.
  std::int64_t close(std::int64_t now) {
    const auto had = cpu_now();
    const auto blocked = std::max<std::int64_t>(charged - clock_costs::known().of_ns(had - cpu), 0);
    *this = {now, had, 0};
    return blocked;
  }
};

}  // namespace plumbline::detail
