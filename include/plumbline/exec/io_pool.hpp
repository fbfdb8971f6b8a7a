#pragma once
/// io_pool: a few threads that may block. Reads wait here, never on a compute worker.

#include <plumbline/core/read_limit.hpp>
#include <plumbline/exec/threads.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace plumbline::detail {

class io_pool {
 public:
  io_pool() = default;
  /// `limit`: of what they read; null: none. Throws std::runtime_error when the system refuses a thread; then there are
  /// none.
  void start(std::size_t threads, read_limit* limit) {
    const auto body = [this, limit] {
      const limited_reads on(limit);
      work();
    };
    threads_.start(threads, "io_threads", body, [this] { close(); });
  }
  /// Finishes what was submitted, then joins.
  ~io_pool() { close(); }
  io_pool(const io_pool&) = delete;
  io_pool& operator=(const io_pool&) = delete;

  void submit(std::function<void()> job) {
    {
      const std::scoped_lock lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    ready_.notify_one();
  }

 private:
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }
  void work() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> jobs_;
  bool closed_ = false;
  thread_team threads_;  // goes first: they use everything above
};

}  // namespace plumbline::detail
