#pragma once
/// machine: what this process may use of the machine it runs on. Affinity masks and control-group limits are respected.

#include <sched.h>
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

namespace plumbline {

struct machine {
  std::size_t cores = 1;  ///< whole cores, at least one

  /// Looks at the affinity mask and at the control group's CPU quota (v2 `cpu.max`, v1 `cpu.cfs_quota_us`), the group's
  /// own and its parents'. A quota of 1.5 cores counts as 2: threads above a quota are throttled, threads below it
  /// idle.
  static machine here() {
    std::size_t n = std::max(1U, std::thread::hardware_concurrency());
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
    return {std::min(n, quota("/proc/self/cgroup", "/sys/fs/cgroup", n))};
  }

  /// The smallest quota on the way up from this process's control group, in whole cores; `none` when there is no limit.
  static std::size_t quota(const std::string& membership, const std::string& root, std::size_t none) {
    std::size_t best = none;
    const auto limit = [&](double share) {
      if (share > 0) best = std::min(best, std::max<std::size_t>(1, static_cast<std::size_t>(share + 0.999)));
    };
    std::ifstream lines(membership);
    for (std::string line; std::getline(lines, line);) {
      const auto a = line.find(':'), b = line.find(':', a + 1);
      if (a == std::string::npos || b == std::string::npos) continue;
      const std::string kind = line.substr(a + 1, b - a - 1);
      const bool v2 = kind.empty();
      if (!v2 && ("," + kind + ",").find(",cpu,") == std::string::npos) continue;
      for (std::string group = line.substr(b + 1);; group.resize(group.find_last_of('/'))) {
        if (v2) {
          std::ifstream in(root + group + "/cpu.max");
          std::string quota;
          double period = 0;
          if (in >> quota >> period && quota != "max" && period > 0) limit(std::stod(quota) / period);
        } else {
          double quota = 0, period = 0;
          std::ifstream(root + "/cpu" + group + "/cpu.cfs_quota_us") >> quota;
          std::ifstream(root + "/cpu" + group + "/cpu.cfs_period_us") >> period;
          if (quota > 0 && period > 0) limit(quota / period);
        }
        if (group.empty() || group.find('/') == std::string::npos) break;
      }
    }
    return best;
  }
};

}  // namespace plumbline
