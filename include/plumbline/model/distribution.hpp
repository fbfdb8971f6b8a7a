#pragma once
/// distribution: a series of numbers in short: its mean, deviation and quantiles, and the shares above limits.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline {

/// The share of the numbers that are above `limit`.
struct share_above {
  double limit = 0, share = 0;
};

/// Quantiles are interpolated linearly between the two nearest numbers, as numpy does. All zero if there are no
/// numbers.
struct distribution {
  std::uint64_t count = 0;
  double mean = 0;
  double deviation = 0;  ///< of the numbers themselves: the root of their mean squared distance from the mean
  double least = 0, q25 = 0, median = 0, q75 = 0, q90 = 0, most = 0;
  std::vector<share_above> above{};  ///< in the order of the limits

  double total() const { return mean * static_cast<double>(count); }
};

namespace detail {
/// `sorted`: ascending, not empty; q from 0 to 1.
inline double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}
}  // namespace detail

/// O(n log n).
inline distribution distribution_of(std::vector<double> numbers, const std::vector<double>& limits = {}) {
  distribution d;
  for (const double limit : limits) d.above.push_back({limit, 0});
  if (numbers.empty()) return d;
  std::sort(numbers.begin(), numbers.end());
  const auto n = static_cast<double>(numbers.size());
  double sum = 0, squares = 0;
  for (const double x : numbers) sum += x;
  d.count = numbers.size();
  d.mean = sum / n;
  for (const double x : numbers) squares += (x - d.mean) * (x - d.mean);
  d.deviation = std::sqrt(squares / n);
  d.least = numbers.front();
  d.q25 = detail::quantile(numbers, 0.25);
  d.median = detail::quantile(numbers, 0.5);
  d.q75 = detail::quantile(numbers, 0.75);
  d.q90 = detail::quantile(numbers, 0.9);
  d.most = numbers.back();
  for (auto& a : d.above)
    a.share = static_cast<double>(numbers.end() - std::upper_bound(numbers.begin(), numbers.end(), a.limit)) / n;
  return d;
}

/// A number that stands for several.
struct weighted_number {
  double value = 0, weight = 1;
};
/// The same of weighted numbers; `count` is how many of these there are. If their weights differ, a quantile is the
/// least number up to which there is as much of the weight. O(n log n).
inline distribution weighted_distribution(std::vector<weighted_number> numbers,
                                          const std::vector<double>& limits = {}) {
  std::vector<double> values;
  for (const auto& x : numbers) values.push_back(x.value);
  auto d = distribution_of(std::move(values), limits);
  const auto other = [&](const auto& x) { return x.weight != numbers.front().weight; };
  if (std::none_of(numbers.begin(), numbers.end(), other)) return d;
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  double weight = 0, sum = 0, squares = 0;
  for (const auto& x : numbers) weight += x.weight, sum += x.weight * x.value;
  d.mean = sum / weight;
  for (const auto& x : numbers) squares += x.weight * (x.value - d.mean) * (x.value - d.mean);
  d.deviation = std::sqrt(squares / weight);
  const auto quantile = [&](double q) {
    double below = 0;
    for (const auto& x : numbers)
      if ((below += x.weight) >= q * weight) return x.value;
    return numbers.back().value;
  };
  d.q25 = quantile(0.25), d.median = quantile(0.5), d.q75 = quantile(0.75), d.q90 = quantile(0.9);
  for (auto& a : d.above) {
    a.share = 0;
    for (const auto& x : numbers) a.share += x.value > a.limit ? x.weight / weight : 0;
  }
  return d;
}

}  // namespace plumbline
