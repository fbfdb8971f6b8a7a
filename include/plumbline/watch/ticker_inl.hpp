#pragma once
/// Definitions of watch/ticker.hpp.

#include <plumbline/watch/ticker.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE void ticker::start(double seconds, std::function<void()> f) {
  constexpr double most = 1e9;  // 30 years; more ns than a clock can count would be a time in the past
  const auto every =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(std::min(seconds, most)));
  thread_ = std::thread([this, every, f = std::move(f)] {
    std::unique_lock lock(mutex_);
    auto due = std::chrono::steady_clock::now() + every;
    while (!stops_.wait_until(lock, due, [&] { return stopped_; })) {
      lock.unlock();
      f();
      lock.lock();
      // after a pause, in which the machine slept or was busy, ticks are not made up for
      due = std::max(due + every, std::chrono::steady_clock::now());
    }
  });
}
PLUMBLINE_INLINE void ticker::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  stops_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace plumbline::detail
