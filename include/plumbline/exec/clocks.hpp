#pragma once
/// The clocks of tracing: the thread's processor time, the wall, and ticks, the cheapest there is; and what each costs.

#include <time.h>

#include <algorithm>
#include <array>
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
/// The same between two pieces of work: the one before has been done, the one behind not begun. Without the second
/// fence the work behind runs while the clock is being read, and some of it is not seen.
inline std::int64_t ticks_between() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
  const auto now = ticks_now();
  __builtin_ia32_lfence();
  return now;
#else
  return ticks_now();
#endif
}

/// Time that goes to one operator after another.
struct lap_clock {
  struct operator_laps {
    std::int64_t wall = 0, cpu = 0;  ///< ticks, with what the borders cost
    std::int64_t borders = 0;
    std::uint64_t seen = 0;
  };
  operator_laps* laps = nullptr;
  double ticks_a_ns = 0;  ///< 0: processor time is not looked at
  std::int64_t cpu_clock = 0;
  std::int64_t last = 0, last_cpu = 0;
  std::uint32_t current = 0;

  void begin() {
    last_cpu = cpu_now();
    current = 0;
    last = ticks_between();
  }
  /// What comes is that of `next`. Never inlined, so that it costs the same wherever it is called.
  [[gnu::noinline]] void to(std::uint32_t next) {
    const auto now = ticks_between();
    auto& own = laps[current];
    own.wall += now - last;
    ++own.borders;
    last = now;
    if (ticks_a_ns != 0) [[unlikely]] {
      const auto cpu = cpu_now();
      own.cpu += static_cast<std::int64_t>(static_cast<double>(cpu - last_cpu) * ticks_a_ns) - cpu_clock;
      last_cpu = cpu;
      last = ticks_between();
    }
    current = next;
  }
};

/// What reading a clock costs, in ticks: the least of many.
struct clock_costs {
  std::int64_t tick = 1 << 30, border = 0, cpu_clock = 1 << 30;
  double ticks_a_ns = 1e9;

  static const clock_costs& known() {
    static const clock_costs c;
    return c;
  }

 private:
  clock_costs() {
    std::array<std::int64_t, 2> least{1 << 30, 1 << 30};
    for (int i = 0; i != 64; ++i) {
      for (std::size_t k = 0; k != 2; ++k) least[k] = std::min(least[k], two_operators()[k]);
      auto since = ticks_now();
      for (int k = 0; k != 15; ++k) (void)ticks_now();
      tick = std::min(tick, (ticks_now() - since) / 16);
      since = ticks_now();
      (void)cpu_now();
      cpu_clock = std::min(cpu_clock, std::max<std::int64_t>(ticks_now() - since, 1));
    }
    border = std::max((2 * least[0] - least[1]) / 2, tick);
    for (int i = 0; i != 4; ++i) {  // an interruption makes it larger, never smaller
      const auto ticks = ticks_now(), wall = wall_now();
      auto now = wall;
      while (now - wall < 50'000) now = wall_now();
      ticks_a_ns = std::min(ticks_a_ns, static_cast<double>(ticks_now() - ticks) / static_cast<double>(now - wall));
    }
  }
  /// Two borders and the work of an operator, and of one that does it twice: what twice the one is more than the other
  /// is the borders' share. (Beside no work at all a border costs something else.)
  static std::array<std::int64_t, 2> two_operators() {
    std::array<lap_clock::operator_laps, 3> laps{};
    lap_clock clock;
    clock.laps = laps.data();
    std::uint64_t y = 1;
    const auto work = [&] {
      for (int i = 0; i != 16; ++i) {
        y = y * 6364136223846793005ULL + 1;
        asm volatile("" : "+r"(y));
      }
    };
    constexpr int often = 16;
    clock.begin();
    for (int i = 0; i != often; ++i) {
      clock.to(1);
      work();
      ++laps[1].seen;
      clock.to(2);
      work();
      work();
      ++laps[2].seen;
      clock.to(0);
      clock.to(2);
      clock.to(1);
      clock.to(0);
    }
    return {laps[1].wall / often, laps[2].wall / often};
  }
};

/// What a thread was on a processor for, told by its CPU clock now and then: that takes as long as very many elements
/// of the smallest operators do.
struct cpu_window {
  std::int64_t since = 0, cpu = 0;  ///< ticks and ns when the clock was last read
  std::int64_t charged = 0;         ///< ticks since then that were taken for processor time

  static cpu_window& here() {
    thread_local cpu_window w;
    return w;
  }
  void open(std::int64_t now) { *this = {now, cpu_now(), 0}; }
  /// What of the ticks charged was no processor time; and begins anew.
  std::int64_t close(std::int64_t now) {
    const auto had = cpu_now();
    const auto spent = static_cast<std::int64_t>(static_cast<double>(had - cpu) * clock_costs::known().ticks_a_ns);
    const auto blocked = std::max<std::int64_t>(charged - spent, 0);
    *this = {now, had, 0};
    return blocked;
  }
};

}  // namespace plumbline::detail
