#pragma once
/// io_pool: a few threads that may block. Reads wait here, never on a compute worker; `fortune` decides when to try a
/// read on a compute worker first.

#include <plumbline/core/read_limit.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/epoch_log.hpp>
#include <plumbline/exec/threads.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace plumbline::detail {

class io_pool {
 public:
  io_pool() = default;
  /// `limit`: the limit on their reads; null: none. Throws std::runtime_error if the system refuses a thread; then
  /// there are none.
  void start(std::size_t threads, read_limit* limit) {
    threads_.start(threads, "io_threads", body(limit), [this] { close(); });
    threads_now_.store(threads, std::memory_order_relaxed);
  }
  /// Adds threads until there are so many, or the system refuses. May be called while jobs run.
  void grow(std::size_t threads, read_limit* limit) {
    if (threads <= size()) return;
    const std::scoped_lock lock(mutex_);
    threads_now_.store(threads_.grow(threads, body(limit)), std::memory_order_relaxed);
  }
  std::size_t size() const { return threads_now_.load(std::memory_order_relaxed); }
  /// Finishes the submitted jobs, then joins the threads.
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
  bool started() const { return size() != 0; }
  /// The time at work; see run_totals. Reads the threads' CPU clocks only if they have worked since the last time.
  run_totals totals() {
    const std::scoped_lock lock(mutex_);
    changed(0);
    if (std::exchange(seen_, all_) != all_) cpu_seconds_ = threads_.cpu_seconds();
    return {.any_reading = 1e-9 * static_cast<double>(any_),
            .all_reading = 1e-9 * static_cast<double>(all_),
            .io_computed = cpu_seconds_};
  }

 private:
  std::function<void()> body(read_limit* limit) {
    return [this, limit] {
      const limited_reads on(limit);
      work();
    };
  }
  /// The number of threads at work changes by `by`. Under the lock.
  void changed(int by) {
    const auto now = wall_now();
    if (working_ != 0) any_ += now - since_;
    all_ += working_ * (now - since_);
    since_ = now;
    working_ += by;
  }
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }
  void work() {
    for (bool worked = false;; worked = true) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        if (worked && jobs_.empty()) changed(-1), worked = false;
        ready_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        if (!worked) changed(1);
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }
  std::mutex mutex_;
  std::condition_variable ready_;
  std::int64_t since_ = 0, any_ = 0, all_ = 0;  // ns
  std::int64_t seen_ = 0;                       // all_ when cpu_seconds_ was read
  double cpu_seconds_ = 0;
  int working_ = 0;
  std::deque<std::function<void()>> jobs_;
  bool closed_ = false;
  std::atomic<std::size_t> threads_now_{0};
  thread_team threads_;  // destroyed first: the threads use everything above
};

/// Runs jobs on the pool, begun in order, at most `at_once` at the same time; 0: no limit of its own.
class io_lane {
 public:
  io_lane(io_pool& pool, std::size_t at_once) : pool_(pool), at_once_(at_once) {}

  void submit(std::function<void()> job) {
    if (at_once_ == 0) return pool_.submit(std::move(job));
    {
      const std::scoped_lock lock(mutex_);
      waiting_.push_back(std::move(job));
      if (running_ == at_once_) return;
      ++running_;
    }
    pool_.submit([this] { run_all(); });
  }

 private:
  void run_all() {
    for (;;) {
      std::function<void()> job;
      {
        const std::scoped_lock lock(mutex_);
        if (waiting_.empty()) {
          --running_;
          return;
        }
        job = std::move(waiting_.front());
        waiting_.pop_front();
      }
      job();
    }
  }
  io_pool& pool_;
  std::size_t at_once_, running_ = 0;
  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;
};

/// Decides whether a message is worth a try. A failure costs little, a success saves moving data to another core, so
/// all are tried while one in a few succeeds. After eight failures in a row each one halves the share of messages
/// tried, down to one in 64; a success makes it all of them again.
class fortune {
 public:
  bool worth_a_try() {
    const auto every = 1U << (std::max(failed_.load(std::memory_order_relaxed), enough) - enough);
    return passed_.fetch_add(1, std::memory_order_relaxed) % every == 0;
  }
  void was(bool good) {
    const auto before = failed_.load(std::memory_order_relaxed), now = good ? 0 : std::min(before + 1, enough + 6);
    if (now != before) failed_.store(now, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned enough = 8;
  std::atomic<unsigned> passed_{0}, failed_{0};  ///< failed: in a row
};

}  // namespace plumbline::detail
