#pragma once
/// set_storage: the rate S at which an analysed pipeline's files come from storage, measured or as stated.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/model/files_of_epoch.hpp>
#include <plumbline/model/limits.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/model/stall_analysis.hpp>
#include <plumbline/tune/analyze_options.hpp>
#include <plumbline/tune/read_cost.hpp>
#include <plumbline/tune/set_read_ahead.hpp>
#include <plumbline/tune/storage_of.hpp>
#include <plumbline/tune/training.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::detail {

using files_read = std::map<std::string, file_read>;

/// The least that measure_disk takes.
inline constexpr double least_to_measure = 0x1p20;
inline bool measures_storage(const analyze_options& how) { return !how.disk.known() && !how.run.read_bytes_per_second; }
inline bool enough_to_measure(const files_read& files) {
  double all = 0;
  for (const auto& [path, read] : files) all += static_cast<double>(read.size);
  return all >= least_to_measure;
}

/// True if at least twice these files' size was read, as of an endless stream of the same ones.
inline bool read_twice(const files_read& files) {
  double read = 0, all = 0;
  for (const auto& [path, f] : files) read += static_cast<double>(f.bytes), all += static_cast<double>(f.size);
  return all > 0 && read >= 2 * all;
}

/// The files that `seen` read or, if these are too few to measure the storage with, those that a run reads in an epoch,
/// or in `seconds` of it, by the clock `now` (ns).
inline files_read files_to_measure(const trace& seen, const open_training& open, const run_options& how, double seconds,
                                   std::int64_t (*now)() = wall_now) {
  const double known = files_of_epoch_of(seen).bytes;
  if (seen.files.empty() || enough_to_measure(seen.files) || (known > 0 && known < least_to_measure)) return seen.files;
  const auto more = open(how, nullptr);
  const auto begin = now();
  const auto since = [&](std::int64_t t) { return 1e-9 * static_cast<double>(now() - t); };
  std::size_t had = 0;
  for (auto looked = begin; more->stream().next();) {
    if (since(looked) < seconds / 50) continue;
    looked = now();
    auto files = more->traced().files;
    const bool all_known = files.size() == std::exchange(had, files.size()) && read_twice(files);
    if (enough_to_measure(files) || all_known || since(begin) > seconds) return files;
  }
  return more->traced().files;
}

/// Sets S, its processor time and errors, what the model has for S, and how far reading is ahead. `files`: to measure
/// with; if they are too few, nothing is set.
inline void set_storage(stall_analysis& of, const trace& t, const pipeline_rates& r, const files_read& files,
                        const analyze_options& how) {
  auto disk = how.disk;
  const bool measures = measures_storage(how);
  auto stored = t;
  stored.files = files;
  if (measures) {
    if (!enough_to_measure(files)) return;
    disk = storage_of(stored, how.measure);
  }
  // as many reads at a time as the run makes; without threads, one
  const auto threads = how.run.threads.value_or(machine::cores_here());
  const auto in_run = threads == 0 ? 1 : static_cast<double>(io_threads_of(how.run, threads));
  const double at_once = std::min(in_run, of.needs.reads_most);
  const bool limited = how.run.read_bytes_per_second && *how.run.read_bytes_per_second < disk.at(at_once);
  if (limited) disk = disk.at_most(*how.run.read_bytes_per_second);
  // a curve or a limit that is stated is not measured
  const auto storage =
      measures ? measure_storage(stored, how.measure, static_cast<std::size_t>(std::ceil(std::min(at_once, 1024.0))))
               : measured_rate{disk.at(at_once), 0};
  of.storage_fetch = storage.rate / r.bytes_read;
  of.storage_error = storage.error;
  if (measures) {
    std::vector<std::string> paths;
    for (const auto& [path, read] : files) paths.push_back(path);
    const auto cost = storage_read_cost(paths, how.measure.request_bytes, 0.2 * how.measure.seconds);
    of.storage_cpu_seconds = r.bytes_read * cost.seconds_per_byte;
    of.storage_cpu_error = cost.error;
  }
  const auto reads = how.run.io_threads ? in_run : resources{}.io_threads;  // a plan may use more
  of.modelled_storage = disk.at(std::min(reads, of.needs.reads_most)) / r.bytes_read;
  set_read_ahead(of, t, r, how.run, limited);
}

}  // namespace plumbline::detail
