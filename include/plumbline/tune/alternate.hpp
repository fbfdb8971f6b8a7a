#pragma once
/// alternate: measures several rates alternately, so that what changes on the machine meanwhile changes all of them.

#include <plumbline/tune/measured_rate.hpp>
#include <plumbline/tune/relative_error.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace plumbline::detail {

/// Measures for about so many seconds, and returns the rate.
using measurement = std::function<double(double seconds)>;

/// The median of each one's rates in `rounds` rounds of `seconds` each.
inline std::vector<measured_rate> alternate(const std::vector<measurement>& of, std::size_t rounds, double seconds) {
  std::vector<std::vector<double>> seen(of.size());
  for (std::size_t round = 0; round != rounds; ++round)
    for (std::size_t i = 0; i != of.size(); ++i) {
      const auto one = (i + round) % of.size();  // none always follows the same other one
      seen[one].push_back(of[one](seconds));
    }
  std::vector<measured_rate> out;
  for (auto& rates : seen) {
    const double error = relative_error(rates);
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::nth_element(rates.begin(), middle, rates.end());
    out.push_back({*middle, error});
  }
  return out;
}

}  // namespace plumbline::detail
