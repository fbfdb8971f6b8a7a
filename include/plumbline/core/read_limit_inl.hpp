#pragma once
/// Definitions of core/read_limit.hpp.

#include <plumbline/core/read_limit.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace plumbline::detail {

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

PLUMBLINE_INLINE read_limit::read_limit(double bytes_per_second, double burst_bytes, const std::atomic<bool>& stop)
    : each_(1 / bytes_per_second), burst_(burst_bytes / bytes_per_second), stop_(stop), begin_(steady_seconds()) {}
PLUMBLINE_INLINE double read_limit::now() const { return steady_seconds() - begin_; }
PLUMBLINE_INLINE double read_limit::book(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  return empty_ = std::max(empty_, now() - burst_) + static_cast<double>(bytes) * each_;
}
PLUMBLINE_INLINE void read_limit::take(std::uint64_t bytes) {
  const double due = book(bytes);
  for (double left = due - now(); left > 0 && !stop_.load(std::memory_order_relaxed); left = due - now())
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 0.01)));
}

}  // namespace plumbline::detail
