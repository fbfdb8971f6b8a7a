#pragma once
/// measured_rate: a rate and its error.

#include <vector>

namespace plumbline::detail {

struct measured_rate {
  double rate = 0;
  double error = 0;  ///< the half-width of its 95 % interval, relative; 0: not known
};

/// A rate, and those of the measurement's consecutive parts.
struct rate_in_parts {
  double rate = 0;
  std::vector<double> parts{};
};

}  // namespace plumbline::detail
