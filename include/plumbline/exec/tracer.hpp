#pragma once
/// tracer: holds the part_stats of a traced run, and makes a `trace` from them.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/event_keeper.hpp>
#include <plumbline/exec/part_stats.hpp>
#include <plumbline/exec/run_delay.hpp>
#include <plumbline/exec/runtime.hpp>
#include <plumbline/exec/stopwatch.hpp>
#include <plumbline/exec/taking.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// Holds every part_stats of a run, and the files it read.
class tracer final : public run_watch, public take_watch {
 public:
  tracer(std::vector<layout_row> rows, bool samples);
  tracer(const tracer&) = delete;
  PLUMBLINE_INLINE ~tracer() override;
  const std::uint64_t id = unused_id();

  /// Returns the part_stats of a part. `most`: how many parts with the same number get one each, which the others
  /// share; 0: all.
  PLUMBLINE_INLINE part_stats* open(const built_part& of, bool hands_over, std::size_t most) override;
  /// True while recording is paused. May be called from any thread.
  bool paused() const { return paused_.load(std::memory_order_relaxed); }
  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size);
  /// Keeps events from now on.
  void keep_events(std::unique_ptr<event_keeper> to);
  /// Null: no events are kept.
  event_keeper* events() const { return events_.get(); }

  PLUMBLINE_INLINE bool counts() const override;
  PLUMBLINE_INLINE void begun() override;
  PLUMBLINE_INLINE void ended() override;
  PLUMBLINE_INLINE void entered() override;
  PLUMBLINE_INLINE void left(std::size_t elements) override;
  PLUMBLINE_INLINE void asked() override;
  PLUMBLINE_INLINE void had(std::uint32_t segment, std::uint64_t sequence, std::size_t elements) override;
  PLUMBLINE_INLINE void took(std::int64_t entered, std::int64_t left, std::uint64_t epoch, std::uint64_t position,
                             bool got) override;
  PLUMBLINE_INLINE void waited(std::int64_t ns) override;
  /// Takes a sample if one is due. At `most_samples`, every other one is dropped and their interval is doubled.
  PLUMBLINE_INLINE void fetched() override;
  PLUMBLINE_INLINE void record(bool wanted) override;
  PLUMBLINE_INLINE void watch(taking& calls) override;
  /// While the run continues, some figures may include a message that others do not include yet.
  PLUMBLINE_INLINE trace snapshot(std::size_t threads) const override;
  PLUMBLINE_INLINE trace counted(std::size_t threads) const override;
  PLUMBLINE_INLINE bool timeline(plumbline::timeline& to, const pipeline_info& of) const override;

 private:
  trace so_far() const;  ///< without the files
  struct sum;            ///< of a part_stats' threads
  static sum sum_of(const part_stats& a, trace& t);
  void share_out(const part_stats& a, sum& s, double seconds_a_tick, trace& t) const;

  std::vector<layout_row> rows_;
  const bool takes_samples_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<part_stats>> stats_;
  std::map<std::string, file_read, std::less<>> files_;
  run_delay delay_;     ///< of the threads that work in parts that do not block
  run_delay io_delay_;  ///< of those that work in parts that do
  std::atomic<bool> paused_{false};
  taking* calls_ = nullptr;
  std::unique_ptr<event_keeper> events_;
  std::int64_t asked_at_ = 0, had_at_ = 0;  ///< ticks of the last fetch
  std::size_t had_ = 0;                     ///< elements of the last fetch
  std::optional<timeline_event> end_{};     ///< the last fetch, if it found the end
  std::vector<std::uint64_t> know_end_;     ///< numbers of the consumer's threads that have an event of it
  bool running_ = false;
  std::map<std::uint32_t, std::vector<part_stats*>> alike_;  ///< by part number
  std::size_t shared_ = 0;
  stopwatch elapsed_;
  tallied<std::int64_t> consumer_waited_;  // ns
  tallied<std::uint64_t> epochs_;
  static constexpr std::size_t most_samples = 2048;
  std::vector<trace_sample> samples_;
  std::int64_t sample_due_ = 0, sample_every_ = 10'000'000;  // ns
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/tracer_events_inl.hpp>
#include <plumbline/exec/tracer_inl.hpp>
#endif
