#pragma once
/// relative_error: of the mean of several measurements.

#include <plumbline/model/interval.hpp>

#include <cmath>
#include <vector>

namespace plumbline::detail {

/// The relative half-width of the mean's 95 % interval; 0 for fewer than four samples, which show none. Student's t is
/// by its expansion around the normal distribution (Abramowitz and Stegun, 26.7.5; 4 % low for four samples), as every
/// file that includes tune.hpp would otherwise compile Boost.Math.
inline double relative_error(const std::vector<double>& samples) {
  if (samples.size() < 4) return 0;
  const batch_means m(samples);
  constexpr double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
  const auto free = static_cast<double>(m.batches - 1);
  const double t = z + (z3 + z) / (4 * free) + (5 * z5 + 16 * z3 + 3 * z) / (96 * free * free);
  return t * m.error / std::abs(m.mean);
}

}  // namespace plumbline::detail
