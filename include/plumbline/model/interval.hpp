#pragma once
/// interval: a measured value with its uncertainty.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace plumbline {

struct interval {
  double mean = 0, low = 0, high = 0;
  static interval around(double mean, double half_width) { return {mean, mean - half_width, mean + half_width}; }
  double half_width() const { return (high - low) / 2; }
  /// Half the width, relative to the mean: a trace has settled when this is small.
  double relative() const { return half_width() / std::abs(mean); }
};

namespace detail {

/// The mean of samples and its standard error, by the means of `batches` batches of neighbouring samples. If they do
/// not divide evenly, the first ones are left out. At least two samples and two batches. O(samples).
struct batch_means {
  double mean = 0, error = 0;
  std::size_t batches = 0;

  explicit batch_means(std::span<const double> samples, std::size_t most_batches = 20)
      : batches(std::min(most_batches, samples.size())) {
    const auto each = samples.size() / batches;
    const auto used = samples.last(batches * each);
    for (const double x : used) mean += x / static_cast<double>(used.size());
    double squares = 0;
    for (std::size_t b = 0; b != batches; ++b) {
      double own = 0;
      for (const double x : used.subspan(b * each, each)) own += x;
      squares += std::pow(own / static_cast<double>(each) - mean, 2);
    }
    const auto n = static_cast<double>(batches);
    error = std::sqrt(squares / (n - 1) / n);
  }
};

}  // namespace detail
}  // namespace plumbline
