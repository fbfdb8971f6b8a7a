#pragma once
/// How a run records itself. `tracing::off` is no code in the loops. Otherwise each part of the graph has an account
/// (account.hpp), and every message of a stage and every turn of a serial part is entered there by a meter (meter.hpp).
/// The tracer holds the accounts and makes a `trace` of them.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/account.hpp>
#include <plumbline/exec/taking.hpp>
#include <plumbline/model/trace.hpp>

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

/// All accounts of a run, and the files it read.
class tracer {
 public:
  explicit tracer(std::vector<layout_row> rows) : rows_(std::move(rows)) {}
  const std::uint64_t id = unused_id();

  /// `most`: parts of the same operators that get one each, the others share them; 0: all do.
  account* open(const built_part& of, bool hands_over, std::size_t most);
  /// From any thread: is nothing to be recorded?
  bool paused() const { return paused_.load(std::memory_order_relaxed); }
  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size);
  /// The consumer's side: one caller at a time.
  void begun() {
    ++epochs_;
    running_ = true;
    if (asked_since_ == 0 && !paused()) asked_since_ = wall_now();
  }
  void ended() {
    running_ = false;
    if (asked_since_ != 0) elapsed_ += wall_now() - std::exchange(asked_since_, 0);
  }
  /// Messages that are begun from here on are recorded, or are not.
  void record(bool wanted);
  void waited(std::int64_t ns) {
    if (!paused()) consumer_waited_ += ns;
  }
  /// The consumer's calls from here on, and what they fetch.
  void watch(taking& calls) { calls_ = &calls; }
  void entered() {
    if (!paused()) calls_->entered();
  }
  void left(std::size_t elements) {
    if (!paused()) calls_->left(elements);
  }
  /// Takes a sample if it is time for one. There are never more than so many: then every other one goes, and the
  /// distance between them doubles.
  void sample();

  /// While the run goes on: figures of one message may be missing in one place and there in another.
  trace snapshot(std::size_t threads) const;

 private:
  trace so_far() const;
  struct sum;  ///< of an account's shards
  static sum sum_of(const account& a, trace& t);
  void share_out(const account& a, sum& s, double seconds_a_tick, trace& t) const;

  std::vector<layout_row> rows_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<account>> accounts_;
  std::map<std::string, file_read, std::less<>> files_;
  std::atomic<bool> paused_{false};
  taking* calls_ = nullptr;
  bool running_ = false;
  std::map<std::uint32_t, std::vector<account*>> alike_;  ///< by the part
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
