#pragma once
/// interval: a measured value with its uncertainty.

#include <cmath>

namespace plumbline {

struct interval {
  double mean = 0, low = 0, high = 0;
  static interval around(double mean, double half_width) { return {mean, mean - half_width, mean + half_width}; }
  double half_width() const { return (high - low) / 2; }
  /// Half the width, relative to the mean: a trace has settled when this is small.
  double relative() const { return half_width() / std::abs(mean); }
};

}  // namespace plumbline
