#pragma once
/// set_read_ahead: how far a run's reading may be ahead of its preparation, for model/read_ahead.hpp.

#include <plumbline/exec/options.hpp>
#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/stalls.hpp>
#include <plumbline/model/trace.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace plumbline::detail {

/// The standard deviation of the files' sizes by their mean.
inline double size_variation(const std::map<std::string, file_read>& files) {
  double sum = 0, squares = 0;
  for (const auto& [path, read] : files) {
    const auto size = static_cast<double>(read.size);
    sum += size, squares += size * size;
  }
  return sum > 0 ? std::sqrt(std::max(squares * static_cast<double>(files.size()) / (sum * sum) - 1, 0.0)) : 0;
}
/// How far reading may be ahead of the preparation and of the step: by the messages of the segment whose stage reads,
/// and if the limit on reading is the storage, by its burst. Nothing where files are not read whole.
inline void set_read_ahead(stall_analysis& of, const trace& t, const pipeline_rates& r, const run_options& how,
                           bool limited) {
  const auto threads = how.threads.value_or(machine::cores_here());
  if (!(of.memory_bytes > 0) || threads == 0) return;
  const auto& d = of.needs;
  const auto io_threads = static_cast<double>(io_threads_of(how, threads));
  const auto prefetch = static_cast<double>(how.prefetch.value_or(2));
  for (const auto& s : d.segments)
    for (const auto i : s.parts) {
      if (d.parts[i].serial || !d.parts[i].reads || !(r.parts[i].messages > 0)) continue;
      double files = 0;  // in a batch
      for (const auto number : d.parts[i].operators)
        if (const auto& o = r.operators[number - 1]; o.bytes_read > 0) files = std::max(files, o.visits);
      of.files_ahead = messages_at_once(d, s, static_cast<double>(threads), io_threads, prefetch) *
                       std::max(1.0, files / r.parts[i].messages);
      if (limited) {
        const double limit = *how.read_bytes_per_second;
        of.files_ahead += how.read_burst_bytes.value_or(default_read_burst(limit)) / r.bytes_read * files;
      }
      // what the output segment holds is ready for the step already
      of.files_ahead_of_step = of.files_ahead + (s.output ? 0 : files * prefetch);
      of.size_variation = size_variation(t.files);
      return;
    }
}

}  // namespace plumbline::detail
