#pragma once
/// Data stalls: how much of a training step waits for data, for its preparation or for its fetching, and what other
/// hardware would change. Mohan, Phanishayee, Raniwala, Chidambaram: Analyzing and Mitigating Data Stalls in DNN
/// Training, VLDB 2021 (DS-Analyzer, section 5). Plain data; analyze(p, step) of tune/analyze.hpp measures it.
///   G  steps a second on batches that are there
///   P  batches prepared a second, with all files in memory
///   C  batches' worth of files read a second from memory, S: from storage
///   F  the same where a share x of the files is in memory: 1 / (x / C + (1 - x) / S)
/// Training runs at min(G, P, F). Beyond the paper, it is less where F is about as large as the others: misses come in
/// bursts, and reading is ahead only by so many files (model/read_ahead.hpp). P depends on x, as reading costs
/// processor time: P itself is that of files read from the page cache on compute threads; a cache copies a file
/// instead, and from storage files are read on I/O threads, and their data moves to another core. A step that computes
/// takes cores from the preparation; and what both lose to each other beyond that, as it was measured, makes G and P
/// less by the same factor.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/demand.hpp>
#include <plumbline/model/limits.hpp>

#include <cstddef>
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
  double step_cpu_seconds = 0;                                     ///< processor time of a step
  double together = 0;      ///< steps a second while batches are prepared, all files in memory; 0: not measured
  double cores = 1;         ///< compute threads when P was observed
  double all_cores = 0;     ///< of the machine, for a step that computes, too; 0: same as `cores`
  double bytes_read = 0;    ///< of files, for a batch
  double data_bytes = 0;    ///< of all files of an epoch
  double memory_bytes = 0;  ///< of all files, kept by cache(bytes) after their reader; 0: they cannot be kept so
  /// Files that are read and not yet prepared, at most, and those that the limit on reading lets pass after a pause; 0:
  /// not known, then any number. With the analysed threads; a what_if does not change it.
  double files_ahead = 0;
  double files_ahead_of_step = 0;  ///< the same until the step takes their batch
  double size_variation = 0;       ///< the standard deviation of the files' sizes by their mean
  demand needs{};                  ///< of the preparation, for other numbers of cores
  /// If there are any, all rates are of batches with what these held when they were measured: what they had kept was
  /// neither read nor prepared, so `cached`, C and S are of the other elements only.
  std::vector<own_cache> caches{};
  /// Relative errors of G, P, C and S, by 95 % intervals within the measurement; 0: stated, not measured. They do not
  /// show what changes from one run to the next, as the clock rate or other processes.
  double step_error = 0, prep_error = 0, memory_error = 0, storage_error = 0;
  double together_error = 0;  ///< of `together`, in the same way
  /// P and S as the planner's program predicts them, from the operators' costs and the disk's curve.
  double modelled_prep = 0, modelled_storage = std::numeric_limits<double>::infinity();
};

/// Other hardware than the analysed one. What is not stated stays as it is. All numbers are above 0; memory may be 0.
struct what_if {
  std::optional<double> cores{};   ///< compute threads, and cores for them
  std::optional<double> memory{};  ///< bytes of files that stay in memory, as in cache(bytes); default: none
  double storage = 1;              ///< times the bandwidth
  double step = 1;                 ///< times the speed of the step, on the same cores
  /// That train at once on each machine, each at its own accelerator, with its share of cores, memory and storage.
  std::size_t jobs = 1;
  bool shared_preparation = false;  ///< each batch is prepared once for all jobs, as by run_shared
  bool shared_memory = false;       ///< the jobs have one cache of `memory` bytes, as cache(shared_memory, bytes)
  std::size_t servers = 1;  ///< such machines; each job trains on all of them, each with its share of the data, and
                            ///< with one cache in common
  double network_bytes_per_second = 1.25e9;  ///< between servers
};

struct stall_prediction {
  double rate = 0;  ///< batches a second, of one job on all servers together; all jobs have `jobs` times as many
  double compute = 0, prep = 0, fetch = 0;  ///< shares of the time: in the step, waiting for the one or the other
  double interference = 0;  ///< of `prep`: what it and the step lose to each other, which more cores do not change
  double fetch_rate = 0, prep_rate = 0;  ///< F and P with share_in_memory, of one job on one server
  double share_in_memory = 0;            ///< x
  std::string limit{};                   ///< what limits the rate, as text
  /// The half-widths of 95 % intervals, from the analysis' errors; 0: not known.
  double rate_error = 0, compute_error = 0, prep_error = 0, fetch_error = 0;
};

/// This and the next two throw std::invalid_argument for a member of what_if that is not above 0 (memory: below 0).
stall_prediction predict(const stall_analysis& of, const what_if& other = {});
/// The fewest bytes of the machine's memory with which fetching takes at most 1 % of the time; infinite if none
/// suffice. 60 predictions.
double least_memory(const stall_analysis& of, what_if other = {});
/// The share of reads that a cache finds which holds the share x of the files and evicts the least recently used one,
/// if each epoch reads all files in a new random order: 1 - (1 - x) (1 - ln(1 - x)). cache(bytes) finds x. Linux's page
/// cache is between the two.
double lru_hits(double x);
/// The fewest cores of the machine with which preparation never stalls, but for stall_prediction::interference;
/// infinite if a serial part would stall with any number.
double least_cores(const stall_analysis& of, what_if other = {});

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/stalls_inl.hpp>
#endif
