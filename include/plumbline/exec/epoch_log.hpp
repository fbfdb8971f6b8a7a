#pragma once
/// epoch_log: a run's stalls, epoch by epoch, from the run's totals at the beginning and the end of each.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/epoch_stalls.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
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

/// May be used from any thread. `begin` and `end` come from the thread that has the stream's lock.
class epoch_log {
 public:
  static constexpr std::size_t most_epochs = 64;

  /// `taken`: the consumer's position in the epoch, in elements.
  void begin(const run_totals& now, std::uint64_t epoch, std::uint64_t taken);
  void end(const run_totals& now, std::uint64_t taken, bool whole);
  /// The latest epochs, the last of which may be running. `whole`: that one.
  std::vector<epoch_stalls> epochs(const run_totals& now, std::uint64_t taken, bool whole) const;
  /// A failure was thrown to the consumer.
  void failed(std::string what);

  /// All epochs together, and the latest.
  struct sums {
    std::uint64_t elements = 0, failures = 0;
    double seconds = 0, waited = 0;
    bool begun = false;  ///< an epoch has begun: `latest` is its
    epoch_stalls latest{};
    std::string last_failure{};  ///< if there was one
  };
  sums so_far(const run_totals& now, std::uint64_t taken) const;

 private:
  epoch_stalls stalls(const run_totals& now, std::uint64_t taken, bool whole) const;
  static void add(sums& to, const epoch_stalls& e);
  mutable std::mutex mutex_;
  std::deque<epoch_stalls> past_;
  sums all_{};  // of the epochs that have ended
  std::optional<std::uint64_t> running_;
  std::uint64_t taken_ = 0;
  std::int64_t begun_ = 0;  // ns
  run_totals before_{};
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/epoch_log_inl.hpp>
#endif
