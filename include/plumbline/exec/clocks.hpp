#pragma once
/// The clocks of tracing: the thread's processor time, the wall, and ticks, the cheapest there is; and what each costs.

#include <time.h>

#include <plumbline/core/compiled.hpp>

#include <algorithm>
#include <cstdint>

namespace plumbline::detail {

inline std::int64_t read_clock(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}
inline std::int64_t cpu_now() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }  ///< ns
inline std::int64_t wall_now() { return read_clock(CLOCK_MONOTONIC); }         ///< ns
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

  static const clock_costs& known();
  std::int64_t of_ns(std::int64_t ns) const { return static_cast<std::int64_t>(static_cast<double>(ns) * ticks_a_ns); }

 private:
  clock_costs();
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
  /// An address that no other thread has while this one lives.
  static const void* thread() { return &here(); }
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

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/clocks_inl.hpp>
#endif
