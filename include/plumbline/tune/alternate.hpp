#pragma once
/// alternate: measures several rates alternately, so that what changes on the machine meanwhile changes all of them.

#include <plumbline/model/distribution.hpp>
#include <plumbline/tune/measured_rate.hpp>
#include <plumbline/tune/relative_error.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace plumbline::detail {

/// Measures for about so many seconds, and returns the rate.
using measurement = std::function<rate_in_parts(double seconds)>;

/// The median of each one's rates in `rounds` rounds of `seconds` each. The error is that of the rounds' mean or,
/// if these are too few to show one, that of the mean of their parts; the median is less certain, so of normally
/// distributed rates it holds in 93 to 95 % of cases (tests/model/confidence.cpp).
inline std::vector<measured_rate> alternate(const std::vector<measurement>& of, std::size_t rounds, double seconds) {
  constexpr std::size_t enough = 4;
  std::vector<std::vector<double>> seen(of.size()), parts(of.size());
  for (std::size_t round = 0; round != rounds; ++round)
    for (std::size_t i = 0; i != of.size(); ++i) {
      const auto one = (i + round) % of.size();  // none always follows the same other one
      const auto measured = of[one](seconds);
      seen[one].push_back(measured.rate);
      parts[one].insert(parts[one].end(), measured.parts.begin(), measured.parts.end());
    }
  std::vector<measured_rate> out;
  for (std::size_t i = 0; i != of.size(); ++i) {
    auto& rates = seen[i];
    const double error = relative_error(rounds < enough ? parts[i] : rates);
    std::sort(rates.begin(), rates.end());
    out.push_back({quantile(rates, 0.5), error});
  }
  return out;
}

}  // namespace plumbline::detail
