#pragma once
/// Data stalls: how much of a training step waits for data, for its preparation or for its fetching, and what other
/// hardware would change. Mohan, Phanishayee, Raniwala, Chidambaram: Analyzing and Mitigating Data Stalls in DNN
/// Training, VLDB 2021 (DS-Analyzer, section 5). Plain data; analyze(p, step) of tune/analyze.hpp measures it.
///   G  steps a second on batches that are already in memory
///   P  batches prepared a second, with all files in memory
///   C  batches' worth of files read a second from memory, S: from storage
///   F  the same where a share x of the files is in memory: min(C / x, S / (1 - x)), or with one I/O thread, which
///      fetches one file after another, 1 / (x / C + (1 - x) / S) as in the paper
/// Training runs at min(G, P, F). Beyond the paper, it is less where F is about as large as the others: misses come in
/// bursts, and reading is ahead only by so many files (model/read_ahead.hpp). P depends on x, as reading costs
/// processor time: P itself is that of files read from the page cache on compute threads; a cache copies a file
/// instead, and from storage files are read on I/O threads, their data moves to another core, and the system must find
/// memory for them. A step that computes takes cores from the preparation; and what both lose to each other beyond
/// that, as it was measured, makes G and P less by the same factor.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/stall_analysis.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace plumbline {

/// Other hardware than the analysed one. What is not stated is as analysed, but for the memory. All numbers are above
/// 0; memory may be 0.
struct what_if {
  std::optional<double> cores{};   ///< compute threads, and cores for them
  std::optional<double> memory{};  ///< bytes of files that stay in memory, as in cache(bytes); default: none
  double storage = 1;              ///< times the bandwidth
  double step = 1;                 ///< times the speed of the step, on the same cores
  /// That train at once on each machine, each at its own accelerator, with its share of the storage, of the cores
  /// (unless shared_preparation) and of the memory (unless shared_memory or shared_preparation).
  std::size_t jobs = 1;
  bool shared_preparation = false;  ///< each batch is prepared once for all jobs, as by run_shared
  bool shared_memory = false;       ///< the jobs have one cache of `memory` bytes, as cache(shared_memory, bytes)
  std::size_t servers = 1;  ///< such machines; each job trains on all of them, each with its share of the data, and
                            ///< with one cache in common
  double network_bytes_per_second = 1.25e9;  ///< between servers
};

struct stall_prediction {
  double rate = 0;  ///< batches a second, of one job on all servers together; all jobs have `jobs` times as many
  double compute = 0, prep = 0, fetch = 0;  ///< shares of the time: in the step, waiting for preparation, for files
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
