#pragma once
/// busy_process: other processes that compute all the time, while it lives. Tests use it, too.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <vector>

namespace bench {

class busy_process {
 public:
  explicit busy_process(std::size_t processes = 1) {
    for (std::size_t i = 0; i != processes; ++i) {
      const auto child = ::fork();
      if (child != 0) {
        children_.push_back(child);
        continue;
      }
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should this process be killed
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
