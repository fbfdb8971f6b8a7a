#pragma once
/// set_read_ahead: how far a run's reading may be ahead of its preparation, for model/read_ahead.hpp.

#include <plumbline/core/buffering.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/model/demand.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/stalls.hpp>
#include <plumbline/model/trace.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace plumbline::detail {

/// The mean of the squared sizes by the square of the mean.
inline double scatter_of(const std::map<std::string, file_read>& files) {
  double sum = 0, squares = 0;
  for (const auto& [path, read] : files) {
    const auto size = static_cast<double>(read.size);
    sum += size, squares += size * size;
  }
  return sum > 0 ? squares * static_cast<double>(files.size()) / (sum * sum) : 1;
}
/// How far reading may be ahead of the preparation and of the step: the segment whose stage reads has so many messages.
/// Nothing where files are not read whole.
inline void set_read_ahead(stall_analysis& of, const trace& t, const pipeline_rates& r, const run_options& how) {
  if (!(of.memory_bytes > 0)) return;
  of.file_scatter = scatter_of(t.files);
  const auto threads = how.threads.value_or(machine::cores_here());
  const auto& d = of.needs;
  for (const auto& s : d.segments)
    for (const auto i : s.parts) {
      if (d.parts[i].serial || !d.parts[i].reads) continue;
      double files = 0;  // in a batch
      for (const auto number : d.parts[i].operators)
        if (const auto& o = r.operators[number - 1]; o.bytes_read > 0) files = std::max(files, o.visits);
      if (!(files > 0) || threads == 0) return;
      const auto messages =
          s.messages != 0 ? s.messages : buffering::default_messages(true, true, threads, io_threads_of(how, threads));
      of.files_ahead = static_cast<double>(messages) * std::max(1.0, files * inverse(r.parts[i].messages));
      if (how.read_bytes_per_second) {  // and what the limit lets pass at once after a pause
        const double burst = how.read_burst_bytes.value_or(default_read_burst(*how.read_bytes_per_second));
        of.files_ahead += burst / r.bytes_read * files;
      }
      of.files_ahead_of_step = of.files_ahead + files * static_cast<double>(how.prefetch.value_or(2));
      return;
    }
}

}  // namespace plumbline::detail
