#pragma once
/// busy_process: other processes that compute all the time, while it lives. Tests use it, too.

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <optional>
#include <vector>

namespace bench {

class busy_process {
 public:
  /// `core`: the only one that they may use.
  explicit busy_process(std::size_t processes = 1, std::optional<int> core = {}) {
    for (std::size_t i = 0; i != processes; ++i) {
      const auto child = ::fork();
      if (child != 0) {
        children_.push_back(child);
        continue;
      }
      ::alarm(600);  // should this process be killed
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

}  // namespace bench
