#pragma once
/// machine: what this process may use of the machine it runs on. Affinity masks and control-group limits are respected.

#include <plumbline/core/compiled.hpp>

#include <cstddef>
#include <string>

namespace plumbline {

struct machine {
  std::size_t cores = 1;  ///< whole cores, at least one
  double memory = 0;      ///< bytes that this process may still take; 0: not known

  static machine here() { return {cores_here(), room("/proc/meminfo", "/proc/self/cgroup", "/sys/fs/cgroup")}; }

  /// Returns the cores in the affinity mask, limited by the CPU quotas (v2 `cpu.max`, v1 `cpu.cfs_quota_us`) of the
  /// control group and its parents. A quota of 1.5 cores counts as 2, so that all of it can be used.
  static std::size_t cores_here();

  /// Returns the memory that the system has available, or that the control group and its parents leave if that is less
  /// (v2 `memory.max`, v1 `memory.limit_in_bytes`).
  static double room(const std::string& meminfo, const std::string& membership, const std::string& root);

  /// Returns the smallest quota of this process's control group and its parents, in whole cores; `none` if unlimited.
  static std::size_t quota(const std::string& membership, const std::string& root, std::size_t none);
};

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/machine_inl.hpp>
#endif
