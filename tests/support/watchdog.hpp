#pragma once
// watchdog: aborts the test program with a message if what it guards hangs. It waits for ten minutes, as a machine that
// others use may be ten times slower.

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace plumbline_test {

class watchdog {
 public:
  explicit watchdog(std::string what)
      : thread_([this, what = std::move(what)] {
          std::unique_lock lock(mutex_);
          if (!done_.wait_for(lock, std::chrono::minutes(10), [&] { return over_; })) {
            std::fprintf(stderr, "HANGS: %s\n", what.c_str());
            std::abort();
          }
        }) {}
  ~watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    done_.notify_all();
    thread_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool over_ = false;
  std::thread thread_;
};

// True in sanitized builds, where tests use looser bounds on time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

// True in optimized builds without a sanitizer: only there, measured costs say something about an operator.
#if defined(__OPTIMIZE__)
inline constexpr bool optimized = !sanitized;
#else
inline constexpr bool optimized = false;
#endif

}  // namespace plumbline_test
