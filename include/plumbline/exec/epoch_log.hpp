#pragma once
/// epoch_log: a run's stalls, epoch by epoch, from the run's totals at the beginning and the end of each.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/epoch_stalls.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace plumbline::detail {

/// What a run has done so far, in seconds. Finding it reads the CPU clocks of the I/O threads, at about 0.3 us each, if
/// they have worked.
struct run_totals {
  double waited = 0;       ///< the consumer, for elements
  double any_reading = 0;  ///< in which at least one I/O thread was at work
  double all_reading = 0;  ///< the same, the sum over the I/O threads
  double io_computed = 0;  ///< CPU time of the I/O threads
  /// Of each producer and stage of a run with I/O threads: compute threads' time at work, and how many can be at once.
  struct node {
    double busy = 0, cores = 1;
  };
  std::vector<node> nodes{};
  double cores = 1;  ///< compute threads that can run at once
};

/// One call at a time.
class epoch_log {
 public:
  static constexpr std::size_t most_epochs = 64;

  /// `taken`: the consumer's position in the epoch, in elements.
  void begin(const run_totals& now, std::uint64_t epoch, std::uint64_t taken);
  void end(const run_totals& now, std::uint64_t taken, bool whole);
  /// The latest epochs, the last of which may be running.
  std::vector<epoch_stalls> epochs(const run_totals& now, std::uint64_t taken) const;

 private:
  epoch_stalls stalls(const run_totals& now, std::uint64_t taken, bool whole) const;
  std::deque<epoch_stalls> past_;
  std::optional<std::uint64_t> running_;
  std::uint64_t taken_ = 0;
  std::int64_t begun_ = 0;  // ns
  run_totals before_{};
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/epoch_log_inl.hpp>
#endif
