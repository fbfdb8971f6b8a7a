#pragma once
/// Definitions of exec/run_delay.hpp.

#include <plumbline/exec/run_delay.hpp>

#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <string>

namespace plumbline::detail {

/// Returns a thread's run delay since it started, in ns; 0 if the system does not say.
PLUMBLINE_INLINE std::int64_t run_delay_of(pid_t thread) {
  // "CPU time, run delay, number of time slices"
  long long ran = 0, delay = 0;
  if (auto* f = std::fopen(("/proc/self/task/" + std::to_string(thread) + "/schedstat").c_str(), "re")) {
    if (std::fscanf(f, "%lld %lld", &ran, &delay) != 2) delay = 0;
    std::fclose(f);
  }
  return delay;
}
PLUMBLINE_INLINE void run_delay::add_thread() {
  const auto own = static_cast<pid_t>(syscall(SYS_gettid));
  const std::scoped_lock lock(mutex_);
  if (std::none_of(threads_.begin(), threads_.end(), [&](const thread& t) { return t.id == own; }))
    threads_.push_back({own, run_delay_of(own)});
}
PLUMBLINE_INLINE void run_delay::pause(bool paused) {
  const std::scoped_lock lock(mutex_);
  until_pause_ = sum();
  paused_ = paused;
  for (auto& t : threads_) t.since = run_delay_of(t.id);
}
PLUMBLINE_INLINE std::int64_t run_delay::ns() const {
  const std::scoped_lock lock(mutex_);
  return sum();
}
PLUMBLINE_INLINE std::int64_t run_delay::sum() const {
  auto all = until_pause_;
  if (!paused_)
    for (const auto& t : threads_) all += std::max<std::int64_t>(run_delay_of(t.id) - t.since, 0);
  return all;
}

}  // namespace plumbline::detail
