#pragma once
/// part_stats: what one part of a run is recorded in. Each thread at work in the part writes to a thread_stats of its
/// own, so that nothing is shared while elements pass; a snapshot adds them up.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/partition.hpp>
#include <plumbline/exec/clocks.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace plumbline::detail {

/// A number that one thread writes and any may read.
template <class T> class tallied {
 public:
  void add(T n) { x_.store(x_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  void set(T n) { x_.store(n, std::memory_order_relaxed); }
  T get() const { return x_.load(std::memory_order_relaxed); }

 private:
  std::atomic<T> x_{0};
};

/// What one thread writes; in cache lines of its own.
struct alignas(64) thread_stats {
  /// One operator.
  struct alignas(64) cell {
    tallied<std::uint64_t> count, bytes, read, timed;
    tallied<std::uint64_t> each;  ///< bytes of every element, where they are plain; beside `bytes`
    tallied<double> squares;      ///< sum of the squares of each element's bytes
    tallied<double> wall, cpu;    ///< ticks of the sample, each block weighted with what it stands for
    tallied<double> visits;       ///< elements of the sample, weighted alike
    std::int64_t wall_lap = 0, cpu_lap = 0, seen = 0;  ///< of the block that is being timed; the writer's alone
  };
  explicit thread_stats(std::size_t operators) : cells(operators + 1) {}

  std::vector<cell> cells;  ///< the executor's own, then the operators
  tallied<std::uint64_t> messages, turns;
  tallied<std::int64_t> cpu, wall, queued;  ///< ticks
  /// Turns that the thread went on from at once, and how long (ticks) until then: what it took to hand over and to take
  /// up the next.
  tallied<std::uint64_t> handings;
  tallied<std::int64_t> handing;
  const void* owner = nullptr;  ///< the thread
  // the writer's alone
  bool busy = false;
  std::int64_t allowance = 0;             ///< ticks that may yet go into timing
  std::int64_t cost = 0;                  ///< what timing a block lately cost
  std::int64_t usual = 0;                 ///< ticks that a message lately took
  double fused_each = 0, timed_each = 0;  ///< ticks of an element, fused and in a timed block; 0: not known
  std::uint64_t stretch = 0;              ///< elements passed since one was timed
  std::uint64_t ahead = 0, block = 0;     ///< elements before the next that are timed, and how many these are
  double weight = 1;                      ///< what each of them stands for
  std::uint64_t random = 0;
};

/// A number that nothing else in the process has, now or later: an address may come again.
inline std::uint64_t unused_id() {
  static std::atomic<std::uint64_t> n{0};
  return ++n;
}

class tracer;

class part_stats {
 public:
  part_stats(tracer& of, const built_part& p, bool does_hand_over);
  tracer& all;
  const built_part part;
  const bool hands_over;  ///< to other threads
  std::uint32_t reader;   ///< who reads, where it is not seen
  const std::uint32_t before = part.operators.empty() ? 0 : part.operators.front() - 1;  ///< operators of other parts
  /// So long (ticks) may what was taken for processor time go unchecked: the clock then costs one percent.
  const std::int64_t unchecked = 100 * clock_costs::known().cpu_clock;
  /// Which cell of a thread_stats is operator `number`; 0 is the executor.
  std::uint32_t cell_index(std::uint32_t number) const { return number == 0 ? 0 : number - before; }

  /// This thread's own, so that no cache line goes from core to core; the only one, where any number of threads may
  /// come one after the other.
  thread_stats* take();
  static void put_back(thread_stats* s) { s->busy = false; }
  template <class F> void each_thread(F&& f) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& s : threads_) f(*s);
  }

 private:
  /// What this thread used lately.
  struct last {
    std::uint64_t in = 0;
    thread_stats* is = nullptr;
  };
  static std::array<last, 8>& recently_used() {
    thread_local std::array<last, 8> recent;
    return recent;
  }
  /// One of this thread's: several, where a message is worked at while another waits inside a function of the user's.
  thread_stats* own();
  void add_thread();
  const std::uint64_t id_ = unused_id();
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<thread_stats>> threads_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/part_stats_inl.hpp>
#endif
