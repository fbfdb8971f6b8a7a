#pragma once
/// part_stats: the recorded statistics of one part of a run. Each thread that works in the part writes to a
/// thread_stats of its own, so that nothing is shared while elements pass; a snapshot adds them up.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/partition.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/run_delay.hpp>
#include <plumbline/exec/unused_id.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace plumbline::detail {

/// A number that one thread writes and any thread may read.
template <class T> class tallied {
 public:
  void add(T n) { x_.store(x_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  void set(T n) { x_.store(n, std::memory_order_relaxed); }
  T get() const { return x_.load(std::memory_order_relaxed); }

 private:
  std::atomic<T> x_{0};
};

/// The statistics that one thread writes, in cache lines of its own.
struct alignas(64) thread_stats {
  /// The statistics of one operator.
  struct alignas(64) cell {
    tallied<std::uint64_t> count, bytes, read, timed;
    tallied<std::uint64_t> each;  ///< bytes per element, if the type is plain; in addition to `bytes`
    tallied<double> squares;      ///< sum of the squares of the elements' bytes
    tallied<std::uint64_t> unrecorded, unrecorded_bytes;  ///< count and bytes while recording is paused
    tallied<double> wall, cpu;  ///< ticks of the sample; each block has the weight of the elements it represents
    tallied<double> visits;     ///< elements of the sample, weighted in the same way
    std::int64_t wall_lap = 0, cpu_lap = 0, seen = 0;  ///< of the block being timed; used by the writing thread only
  };
  explicit thread_stats(std::size_t operators) : cells(operators + 1) {}

  std::vector<cell> cells;  ///< the executor's own, then one for each operator
  tallied<std::uint64_t> messages, turns;
  tallied<std::int64_t> cpu, wall, queued;  ///< ticks
  /// Turns after which the thread went straight on to the next, and the ticks until then: the cost of handing over one
  /// message and taking up the next.
  tallied<std::uint64_t> handings;
  tallied<std::int64_t> handing;
  const void* owner = nullptr;  ///< the thread
  // used by the writing thread only
  bool busy = false;
  std::int64_t allowance = 0;             ///< ticks that may still be spent on timing
  std::int64_t watching = 0;              ///< ticks that may still be spent on watching elements
  std::int64_t cost = 0;                  ///< ticks that timing the last block cost
  std::int64_t usual = 0;                 ///< ticks that the last message took
  double fused_each = 0, timed_each = 0;  ///< ticks per element, fused and in a timed block; 0: not known
  std::uint64_t stretch = 0;              ///< elements passed since the last timed one
  std::uint64_t unseen = 0;               ///< those of them that were not watched
  std::uint64_t ahead = 0, block = 0;     ///< elements before the next timed block, and in that block
  double weight = 1;                      ///< how many elements each timed one represents
  std::uint64_t random = 0;
};

class tracer;

class part_stats {
 public:
  part_stats(tracer& of, run_delay& delay, const built_part& p, bool does_hand_over, std::int64_t first_allowance);
  tracer& all;
  const built_part part;
  const bool hands_over;  ///< true if it passes messages to other threads
  std::uint32_t reader;   ///< the operator to charge with bytes read while no operator is timed
  const std::uint32_t before = part.operators.empty() ? 0 : part.operators.front() - 1;  ///< operators before its own
  const std::int64_t allowance;  ///< ticks that each thread may spend on timing at the beginning
  /// How long, in ticks, assumed CPU time may go unchecked: reading the CPU clock then costs a quarter of a percent.
  const std::int64_t unchecked = 400 * clock_costs::known().cpu_clock;
  /// The cell of operator `number` in a thread_stats; 0 is the executor.
  std::uint32_t cell_index(std::uint32_t number) const { return number == 0 ? 0 : number - before; }

  /// Returns this thread's own statistics, so that no cache line moves between cores. Without threads there is only
  /// one, as the consumer may be any number of threads, one after the other.
  thread_stats* take();
  static void put_back(thread_stats* s) { s->busy = false; }
  template <class F> void each_thread(F&& f) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& s : threads_) f(*s);
  }

 private:
  /// A thread_stats that this thread used recently.
  struct last {
    std::uint64_t in = 0;
    thread_stats* is = nullptr;
  };
  static std::array<last, 8>& recently_used() {
    thread_local std::array<last, 8> recent;
    return recent;
  }
  /// Returns one of this thread's. It has several if it works on a message while another waits inside a user's
  /// function.
  thread_stats* own();
  void add_thread();
  /// Makes the statistics those of the calling thread.
  void take_over(thread_stats& s);
  run_delay& delay_;
  const std::uint64_t id_ = unused_id();
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<thread_stats>> threads_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/part_stats_inl.hpp>
#endif
