#pragma once
/// The clocks used for tracing: the thread's CPU time, wall time, and ticks (the cheapest clock); and what reading them
/// costs.

#include <time.h>

#include <plumbline/core/compiled.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace plumbline::detail {

inline std::int64_t read_clock(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}
inline std::int64_t cpu_now() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }  ///< ns
inline std::int64_t wall_now() { return read_clock(CLOCK_MONOTONIC); }         ///< ns
/// The cheapest clock available, in its own unit.
inline std::int64_t ticks_now() {
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
  return wall_now();
#endif
}

/// A moment by two clocks. If a thread loses its core after it has read the first, the second is late by as long, and
/// so is each time that is converted by the pair: of some pairs the one that was read fastest counts.
struct clock_pair {
  std::int64_t ticks = 0, ns = 0;  ///< the second is wall time

  template <class Ticks, class Wall> static clock_pair read(Ticks&& ticks, Wall&& wall) {
    clock_pair best;
    auto least = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i != 8; ++i) {
      const std::int64_t before = ticks(), ns = wall(), took = ticks() - before;
      if (took < 0 || took >= least) continue;  // a counter may step back
      least = took;
      best = {before + took / 2, ns};
    }
    return best;
  }
  static clock_pair now() { return read(ticks_now, wall_now); }
};

/// The cost of reading a clock, in ticks: the minimum of many readings.
struct clock_costs {
  std::int64_t tick = 1 << 30, cpu_clock = 1 << 30;
  double ticks_a_ns = 1e9;

  static const clock_costs& known();
  std::int64_t of_ns(std::int64_t ns) const { return static_cast<std::int64_t>(static_cast<double>(ns) * ticks_a_ns); }

 private:
  clock_costs();
};

/// The CPU time of a thread. Reading the CPU clock costs as much as many elements of a cheap operator, so it is read
/// only now and then. Until the next reading, elapsed time is counted as CPU time.
struct cpu_window {
  std::int64_t since = 0, cpu = 0;  ///< at the last reading: ticks, and CPU time in ns
  std::int64_t charged = 0;         ///< ticks since then that were counted as CPU time

  static cpu_window& here() {
    thread_local cpu_window w;
    return w;
  }
  /// An address unique to this thread while it lives.
  static const void* thread() { return &here(); }
  void open(std::int64_t now) { *this = {now, cpu_now(), 0}; }
  /// Returns how many of the charged ticks were not CPU time, and opens a new window.
  std::int64_t close(std::int64_t now) {
    const auto had = cpu_now();
    const auto blocked = std::max<std::int64_t>(charged - clock_costs::known().of_ns(had - cpu), 0);
    *this = {now, had, 0};
    return blocked;
  }
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/clocks_inl.hpp>
#endif
