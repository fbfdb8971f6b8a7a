#pragma once
/// stopwatch: adds up periods of time. One thread at a time starts and stops it; any thread may read it, also while a
/// period lasts.

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace plumbline::detail {

class stopwatch {
 public:
  bool runs() const { return (word() & 1) != 0; }
  /// `now`: in ns, as are all. No effect if it runs.
  void start(std::int64_t now) {
    if (!runs()) word_.store(word() - 2 * now + 1, std::memory_order_release);
  }
  /// No effect if it does not run.
  void stop(std::int64_t now) {
    if (runs()) word_.store(word() - 1 + 2 * now, std::memory_order_relaxed);
  }
  /// The sum so far. Never less than it was, although a period ends at a time that was read before others see its end.
  template <class Clock> std::int64_t total(Clock&& clock) const {
    const auto w = word_.load(std::memory_order_acquire);
    const std::int64_t now = (w & 1) == 0 ? w / 2 : (w - 1) / 2 + clock();
    auto most = most_.load(std::memory_order_relaxed);
    while (most < now && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
    return std::max(most, now);
  }

 private:
  std::int64_t word() const { return word_.load(std::memory_order_relaxed); }
  /// Twice the sum or, while it runs, twice the sum without the time of the start, and one. One word, so that a reader
  /// never counts a period twice.
  std::atomic<std::int64_t> word_{0};
  mutable std::atomic<std::int64_t> most_{0};  ///< that total() returned
};

}  // namespace plumbline::detail
