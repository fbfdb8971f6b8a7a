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
inline double size_scatter(const std::map<std::string, file_read>& files) {
  double sum = 0, squares = 0;
  for (const auto& [path, read] : files) {
    const auto size = static_cast<double>(read.size);
    sum += size, squares += size * size;
  }
  return sum > 0 ? squares * static_cast<double>(files.size()) / (sum * sum) : 1;
}
/// How far reading may be ahead of the preparation and of the step: by the messages of the segment whose stage reads,
/// and if the storage is a limit on reading, by its burst. Nothing where files are not read whole.
inline void set_read_ahead(stall_analysis& of, const trace& t, const pipeline_rates& r, const run_options& how,
                           bool limited) {
  const auto threads = how.threads.value_or(machine::cores_here());
  if (!(of.memory_bytes > 0) || threads == 0) return;
  const auto& d = of.needs;
  for (const auto& s : d.segments)
    for (const auto i : s.parts) {
      if (d.parts[i].serial || !d.parts[i].reads || !(r.parts[i].messages > 0)) continue;
      double files = 0;  // in a batch
      for (const auto number : d.parts[i].operators)
        if (const auto& o = r.operators[number - 1]; o.bytes_read > 0) files = std::max(files, o.visits);
      double each = std::max(1.0, files / r.parts[i].messages);
      auto batches = static_cast<double>(how.prefetch.value_or(2));
      auto messages = s.messages;
      if (s.output) {  // as graph_run::output_buffer, and what it holds is ready for the step
        const auto size = buffering::of_elements(std::max<std::uint64_t>(how.prefetch.value_or(2), 1));
        messages = size.messages + threads;
        each = std::min(each, std::max(1.0, files * static_cast<double>(size.elements)));
        batches = 0;
      } else if (messages == 0) {
        messages = buffering::default_messages(true, true, threads, io_threads_of(how, threads));
      }
      of.files_ahead = static_cast<double>(messages) * each;
      if (limited) {
        const double limit = *how.read_bytes_per_second;
        of.files_ahead += how.read_burst_bytes.value_or(default_read_burst(limit)) / r.bytes_read * files;
      }
      of.files_ahead_of_step = of.files_ahead + files * batches;
      of.size_scatter = size_scatter(t.files);
      return;
    }
}

}  // namespace plumbline::detail
