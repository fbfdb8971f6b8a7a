#pragma once
/// stall_analysis: the measured rates of training and of its parts, as analyze finds them; see stalls.hpp.

#include <plumbline/model/demand.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace plumbline {

/// Rates with a share of the files in a cache after their reader and the others read on I/O threads, as from storage
/// that is never slow.
struct cached_rates {
  double share = 0;
  double prep = 0;      ///< batches a second
  double together = 0;  ///< steps a second on such batches while they are prepared; 0: not known, then as in memory
  double error = 0, together_error = 0;  ///< relative, as those of stall_analysis; 0: not known, then as in memory
};

namespace detail {
inline constexpr double run_to_run = 0.02;  ///< how much a rate may change from one run to the next, relative
}

/// A cache that the analysed pipeline has itself.
struct own_cache {
  std::uint32_t number = 0;  ///< of the operator
  std::string name{};
};

struct stall_analysis {
  double step = 0;                     ///< G; rates are in batches a second
  double prep = 0;                     ///< P, as observed with `cores`
  std::vector<cached_rates> cached{};  ///< the same with caches, by share; empty: not known, then as P
  double memory_fetch = std::numeric_limits<double>::infinity();   ///< C
  double storage_fetch = std::numeric_limits<double>::infinity();  ///< S, of as many reads at a time as the run makes;
                                                                   ///< infinite if nothing is read
  /// Processor time that reading a batch's files from storage costs, beyond reading them from memory.
  double storage_cpu_seconds = 0;
  double step_cpu_seconds = 0;  ///< processor time of a step
  double together = 0;          ///< steps a second while batches are prepared, all files in memory; 0: not measured
  double cores = 1;             ///< that the compute threads had when P was observed
  double all_cores = 0;         ///< of the machine, for a step that computes, too; 0: same as `cores`
  /// How many functions can wait at once: the I/O threads that the run's options state or, where functions wait on
  /// compute threads, these if they are more than the cores. 0: as many as a run on those cores has.
  double io_threads = 0;
  bool waits_on_compute = false;  ///< a function waits on compute threads
  /// Whether the storage is idle while a file is fetched from memory, as one I/O thread does both.
  bool fetches_in_turn() const { return io_threads == 1; }
  double bytes_read = 0;  ///< of files, for a batch
  double data_bytes = 0;  ///< of all files of an epoch
  /// Of the files that epochs ask for, kept by cache(bytes) after their reader; 0: they cannot be kept so.
  double memory_bytes = 0;
  /// Files that are read and not yet prepared, at most, and those that the limit on reading lets pass after a pause; 0:
  /// not known, then any number. With the analysed threads; a what_if does not change it.
  double files_ahead = 0;
  double files_ahead_of_step = 0;  ///< the same until the step takes their batch
  double size_variation = 0;       ///< of the files' sizes: standard deviation / mean
  demand needs{};                  ///< of the preparation, for other numbers of cores
  /// If there are any, all rates are of batches with what these held when they were measured: what they had kept was
  /// neither read nor prepared, so `cached`, C and S are of the other elements only.
  std::vector<own_cache> caches{};
  /// Relative errors of G, P, C and S, by 95 % intervals within the measurement; 0: stated, not measured. They do not
  /// show what changes from one run to the next, as the clock rate or other processes.
  double step_error = 0, prep_error = 0, memory_error = 0, storage_error = 0;
  double together_error = 0, storage_cpu_error = 0;  ///< of `together` and `storage_cpu_seconds`, in the same way
  /// P and S as the planner's program predicts them, from the operators' costs and the disk's curve.
  double modelled_prep = 0, modelled_storage = std::numeric_limits<double>::infinity();
};

}  // namespace plumbline
