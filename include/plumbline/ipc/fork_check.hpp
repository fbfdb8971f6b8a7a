#pragma once
/// fork_check: detects a stream that was started in the parent of this process: fork() copies the stream, but not the
/// threads that make its elements, so a call that waits for them would never return.

#include <pthread.h>

#include <atomic>

namespace plumbline::detail {

/// Counts the forks that led to this process.
inline std::atomic<unsigned> forks{0};

class fork_check {
 public:
  /// `has_threads`: false for a run without threads, which a child may continue.
  explicit fork_check(bool has_threads) : has_threads_(has_threads) {
    [[maybe_unused]] static const int registered =
        pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  }
  /// True in a child of the process that started the run.
  bool lost() const { return has_threads_ && started_in_ != forks.load(std::memory_order_relaxed); }

 private:
  bool has_threads_;
  unsigned started_in_ = forks.load(std::memory_order_relaxed);
};

}  // namespace plumbline::detail
