#pragma once
/// thread_team: threads that all run the same function until they are joined. If the system refuses one, those already
/// started are joined, and the error names the option to lower.

#include <plumbline/exec/clocks.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

namespace plumbline::detail {

class thread_team {
 public:
  thread_team() = default;
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;
  ~thread_team() { join(); }

  /// `option`: the run option that set n. `give_up` makes the threads that were already started return.
  void start(std::size_t n, const char* option, const std::function<void()>& work,
             const std::function<void()>& give_up) {
    try {
      threads_.reserve(n);
      for (std::size_t i = 0; i != n; ++i) threads_.emplace_back(work);
    } catch (const std::exception& e) {
      const auto had = threads_.size();
      give_up();
      join();
      throw std::runtime_error("plumbline: run: the system started only " + std::to_string(had) + " of " +
                               std::to_string(n) + " threads (" + e.what() + "); set run option " + option +
                               " lower, or raise the limit (ulimit -u, the control group's pids.max)");
    }
  }
  /// Starts more of them, until there are n; returns how many there are, fewer if the system refuses them.
  std::size_t grow(std::size_t n, const std::function<void()>& work) {
    try {
      threads_.reserve(n);
      while (threads_.size() < n) threads_.emplace_back(work);
    } catch (const std::exception&) {
    }
    return threads_.size();
  }
  /// CPU time of the threads since they started. One system call for each.
  double cpu_seconds() const {
    double all = 0;
    for (const auto& t : threads_) {
      clockid_t clock{};
      if (::pthread_getcpuclockid(const_cast<std::thread&>(t).native_handle(), &clock) == 0)
        all += 1e-9 * static_cast<double>(read_clock(clock));
    }
    return all;
  }
  void join() {
    for (auto& t : threads_) t.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace plumbline::detail
