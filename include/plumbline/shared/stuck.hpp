#pragma once
/// stuck_check: distinguishes a wait that takes long from one that cannot end: the job itself holds what is in the way,
/// or a process that it waits for does not run (it is stopped, or frozen). Each process counts its own time only, so
/// that jobs which are all stopped and continued together do not blame each other.

#include <plumbline/core/compiled.hpp>
#include <plumbline/shared/segment.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

/// For one wait of one thread.
class stuck_check {
 public:
  /// `job`: the number of the one that waits. `seconds`: after how long it is stuck.
  stuck_check(const shared_segment& segment, std::size_t job, double seconds);
  /// Called now and then while it waits. Throws std::runtime_error, which says why, if it is stuck. O(jobs).
  void look();

 private:
  struct quiet {
    std::uint64_t seen = 0;
    double seconds = 0;  ///< since that has changed
  };
  /// The item `next` keeps the next one from being published.
  bool in_the_way(const shared_job& job) const;
  void throw_if_still(std::size_t j, const char* what) const;

  const shared_segment* segment_;
  std::size_t job_;
  double most_;
  std::int64_t last_ = 0;  ///< when it looked, ns; 0: not yet
  quiet held_{};
  std::array<quiet, most_shared_jobs> beats_{};
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/stuck_inl.hpp>
#endif
