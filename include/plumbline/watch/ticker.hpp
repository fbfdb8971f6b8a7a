#pragma once
/// ticker: calls a function at intervals, on a thread of its own.

#include <plumbline/core/compiled.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace plumbline::detail {

class ticker {
 public:
  ticker() = default;
  ticker(const ticker&) = delete;
  ~ticker() { stop(); }
  /// Calls f(), which must not throw, every `seconds`, the first time after that time. `seconds` may be infinity: f is
  /// never called.
  void start(double seconds, std::function<void()> f);
  /// Returns when f is not running and will not be called again.
  void stop();

 private:
  std::mutex mutex_;
  std::condition_variable stops_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/ticker_inl.hpp>
#endif
