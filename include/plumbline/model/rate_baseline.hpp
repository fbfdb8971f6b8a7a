#pragma once
/// rate_baseline: what a pipeline cost once, in units of a calibration loop that ran alternately with it. Plain data,
/// kept in a file (ext/require.hpp).

#include <cstddef>
#include <string>
#include <vector>

namespace plumbline {

/// What an operator costs for each element of the pipeline's end.
struct operator_cost {
  std::string name;
  double cpu = 0;           ///< processor time, in that of a unit of calibration
  double wait_seconds = 0;  ///< time that it waits in its calls
};

struct rate_baseline {
  std::size_t threads = 0;              ///< compute threads
  std::size_t calibration_threads = 0;  ///< how many cores the pipeline kept busy, rounded
  /// Elements in the processor time of a unit of calibration, by round. The time in which other processes had the cores
  /// of the run's threads does not count.
  std::vector<double> ratios;
  std::vector<operator_cost> operators;
};

}  // namespace plumbline
