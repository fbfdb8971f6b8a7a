#pragma once
/// busy_process: other processes that compute all the time, while it lives. Tests use it, too.
/// cores_awake: the same on each core while it has nothing else to do. A core of a virtual machine that sleeps may have
/// to wait for its turn when it wakes, for as long as other machines are busy.

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace bench {

class busy_process {
 public:
  /// `core`: the only one that they may use. `only_spare`: they use only time that nothing else would use.
  explicit busy_process(std::size_t processes = 1, std::optional<int> core = {}, bool only_spare = false) {
    for (std::size_t i = 0; i != processes; ++i) {
      const auto child = ::fork();
      if (child != 0) {
        children_.push_back(child);
        continue;
      }
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should this process be killed
      if (only_spare) {
        const sched_param none{};
        ::sched_setscheduler(0, SCHED_IDLE, &none);
        ::nice(19);  // so that /proc/stat counts it separately
      }
      if (core) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(*core), &one);
        ::sched_setaffinity(0, sizeof one, &one);
      }
      for (volatile unsigned x = 0;;) x = x + 1;
    }
  }
  busy_process(const busy_process&) = delete;
  ~busy_process() {
    for (const auto child : children_) ::kill(child, SIGKILL);
    for (const auto child : children_) ::waitpid(child, nullptr, 0);
  }

 private:
  std::vector<pid_t> children_;
};

class cores_awake {
 public:
  cores_awake() {
    cpu_set_t all;
    ::sched_getaffinity(0, sizeof all, &all);
    for (int core = 0; core != CPU_SETSIZE; ++core)
      if (CPU_ISSET(static_cast<std::size_t>(core), &all))
        each_.push_back(std::make_unique<busy_process>(1, core, true));
  }

 private:
  std::vector<std::unique_ptr<busy_process>> each_{};
};

}  // namespace bench
