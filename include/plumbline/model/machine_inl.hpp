#pragma once
/// Definitions of model/machine.hpp.

#include <plumbline/model/machine.hpp>

#include <sched.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace plumbline {

namespace detail {
/// Calls f(is_v2, path) for this process's control group and each of its parents, in the hierarchies that have the
/// controller.
template <class F> void for_each_group(const std::string& membership, const std::string& controller, F&& f) {
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const auto a = line.find(':'), b = line.find(':', a + 1);
    if (a == std::string::npos || b == std::string::npos) continue;
    const std::string kind = line.substr(a + 1, b - a - 1);
    const bool v2 = kind.empty();
    if (!v2 && ("," + kind + ",").find("," + controller + ",") == std::string::npos) continue;
    for (std::string group = line.substr(b + 1);; group.resize(group.find_last_of('/'))) {
      f(v2, group);
      if (group.empty() || group.find('/') == std::string::npos) break;
    }
  }
}
}  // namespace detail

PLUMBLINE_INLINE std::size_t machine::cores_here() {
  std::size_t n = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) n = static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
  return std::min(n, quota("/proc/self/cgroup", "/sys/fs/cgroup", n));
}
PLUMBLINE_INLINE double machine::room(const std::string& meminfo, const std::string& membership,
                                      const std::string& root) {
  double best = 0;
  std::ifstream in(meminfo);
  for (std::string line; best == 0 && std::getline(in, line);)
    if (line.starts_with("MemAvailable:")) best = 1024 * std::strtod(line.c_str() + 13, nullptr);
  detail::for_each_group(membership, "memory", [&](bool v2, const std::string& group) {
    const auto folder = root + (v2 ? "" : "/memory") + group;
    double most = 0, used = 0;
    std::ifstream(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes")) >> most;
    std::ifstream(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes")) >> used;
    // what files have in the page cache is used, and given back when it is needed
    std::ifstream stat(folder + "/memory.stat");
    std::string key;
    for (double bytes = 0; stat >> key >> bytes;)
      if (key == (v2 ? "inactive_file" : "total_inactive_file") || key == (v2 ? "active_file" : "total_active_file"))
        used -= bytes;
    used = std::max(used, 0.0);
    if (most > used) best = best == 0 ? most - used : std::min(best, most - used);
  });
  return best;
}
PLUMBLINE_INLINE std::size_t machine::quota(const std::string& membership, const std::string& root, std::size_t none) {
  std::size_t best = none;
  const auto limit = [&](double share) {
    if (share > 0) best = std::min(best, std::max<std::size_t>(1, static_cast<std::size_t>(share + 0.999)));
  };
  detail::for_each_group(membership, "cpu", [&](bool v2, const std::string& group) {
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
  });
  return best;
}

}  // namespace plumbline
