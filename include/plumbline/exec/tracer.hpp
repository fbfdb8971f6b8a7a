#pragma once
/// How a run records itself. `tracing::off` is no code in the loops. Otherwise each part of the graph has a part_stats
/// (part_stats.hpp), and every message of a stage and every turn of a serial part is entered there by a part_timer
/// (part_timer.hpp). The tracer holds them and makes a `trace` of them.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/part_stats.hpp>
#include <plumbline/exec/runtime.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

/// How much a run records of itself: run<tracing::counters>(p).
namespace tracing {
struct off {
  static constexpr bool on = false, samples = false;
};
/// What each operator and part did in all.
struct counters {
  static constexpr bool on = true, samples = false;
};
/// The same, and how it came together: a sample about every 10 ms, for confidence intervals.
struct full {
  static constexpr bool on = true, samples = true;
};
}  // namespace tracing

namespace detail {

/// Every part_stats of a run, and the files it read.
class tracer final : public run_watch {
 public:
  tracer(std::vector<layout_row> rows, bool samples);
  tracer(const tracer&) = delete;
  PLUMBLINE_INLINE ~tracer() override;
  const std::uint64_t id = unused_id();

  /// `most`: parts of the same operators that get one each, the others share them; 0: all do.
  part_stats* open(const built_part& of, bool hands_over, std::size_t most);
  /// From any thread: is nothing to be recorded?
  bool paused() const { return paused_.load(std::memory_order_relaxed); }
  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size);

  PLUMBLINE_INLINE void begun() override;
  PLUMBLINE_INLINE void ended() override;
  PLUMBLINE_INLINE void entered() override;
  PLUMBLINE_INLINE void left(std::size_t elements) override;
  PLUMBLINE_INLINE void waited(std::int64_t ns) override;
  /// There are never more than so many samples: then every other one goes, and the distance between them doubles.
  PLUMBLINE_INLINE void fetched() override;
  PLUMBLINE_INLINE void record(bool wanted) override;
  PLUMBLINE_INLINE void watch(taking& calls) override;
  /// While the run goes on: figures of one message may be missing in one place and there in another.
  PLUMBLINE_INLINE trace snapshot(std::size_t threads) const override;

 private:
  trace so_far() const;
  struct sum;  ///< of a part_stats' threads
  static sum sum_of(const part_stats& a, trace& t);
  void share_out(const part_stats& a, sum& s, double seconds_a_tick, trace& t) const;

  std::vector<layout_row> rows_;
  const bool takes_samples_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<part_stats>> stats_;
  std::map<std::string, file_read, std::less<>> files_;
  std::atomic<bool> paused_{false};
  taking* calls_ = nullptr;
  bool running_ = false;
  std::map<std::uint32_t, std::vector<part_stats*>> alike_;  ///< by the part
  std::size_t shared_ = 0;
  std::int64_t asked_since_ = 0, elapsed_ = 0, consumer_waited_ = 0;
  std::uint64_t epochs_ = 0;
  static constexpr std::size_t most_samples = 2048;
  std::vector<trace_sample> samples_;
  std::int64_t sample_due_ = 0, sample_every_ = 10'000'000;  // ns
};

}  // namespace detail
}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/tracer_inl.hpp>
#endif
