#pragma once
/// files_ahead: how far a run's reading may be ahead of its preparation, for model/read_ahead.hpp.

#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/trace.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

namespace plumbline::detail {

/// The standard deviation of the files' sizes, divided by their mean.
inline double size_variation(const std::map<std::string, file_read>& files) {
  double sum = 0, squares = 0;
  for (const auto& [path, read] : files) {
    const auto size = static_cast<double>(read.size);
    sum += size, squares += size * size;
  }
  return sum > 0 ? std::sqrt(std::max(squares * static_cast<double>(files.size()) / (sum * sum) - 1, 0.0)) : 0;
}

/// The threads and minibatches that limit how much of a run is in flight.
struct in_flight_limits {
  double threads = 1, io_threads = 1, prefetch = 2;
  double read_burst = 0;  ///< bytes that a limit on reading lets through at once
};
struct files_ahead {
  double of_preparation = 0;  ///< files that are read, or being read, and not prepared, at most
  double of_step = 0;         ///< the same until the step takes their minibatch
};
/// As the messages of the segment whose stage reads allow, the first of several. Nullopt if no stage of a run reads.
inline std::optional<files_ahead> files_ahead_in(const demand& d, const pipeline_rates& r,
                                                 const in_flight_limits& run) {
  for (const auto& s : d.segments)
    for (const auto i : s.parts) {
      if (d.parts[i].serial || !d.parts[i].reads || !(r.parts[i].messages > 0)) continue;
      double files = 0;  // in a minibatch
      for (const auto number : d.parts[i].operators)
        if (const auto& o = r.operators[number - 1]; o.bytes_read > 0) files = std::max(files, o.visits);
      files_ahead out;
      out.of_preparation = messages_at_once(d, s, run.threads, run.io_threads, run.prefetch) *
                               std::max(1.0, files / r.parts[i].messages) +
                           (r.bytes_read > 0 ? run.read_burst / r.bytes_read * files : 0);
      // what the output segment holds is ready for the step already
      out.of_step = out.of_preparation + (s.output ? 0 : files * run.prefetch);
      return out;
    }
  return std::nullopt;
}

}  // namespace plumbline::detail
