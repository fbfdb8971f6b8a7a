#pragma once
/// run_delay: how long threads were ready to run but had no core. Their wall time includes it, yet they waited for
/// nothing that more threads would help with.

#include <plumbline/core/compiled.hpp>

#include <sys/types.h>
#include <cstdint>
#include <mutex>
#include <vector>

namespace plumbline::detail {

/// The run delay (Linux, /proc/self/task/ID/schedstat) of some threads of this process; 0 where the system has none.
class run_delay {
 public:
  /// Adds the calling thread, whose run delay counts from now on. No effect if it was added before.
  void add_thread();
  /// Stops or resumes counting.
  void pause(bool paused);
  /// Returns the sum so far, in ns.
  std::int64_t ns() const;

 private:
  struct thread {
    pid_t id;
    std::int64_t since;  ///< its run delay when counting began, in ns
  };
  std::int64_t sum() const;
  mutable std::mutex mutex_;
  std::vector<thread> threads_;
  std::int64_t until_pause_ = 0;
  bool paused_ = false;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/run_delay_inl.hpp>
#endif
