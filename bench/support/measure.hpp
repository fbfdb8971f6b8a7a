#pragma once
/// How every benchmark here measures: contenders run in turn within one program, several rounds; a figure is the median
/// of its rounds, with the lowest and the highest beside it; a ratio is taken within each round, so that a machine
/// whose speed drifts changes both of its sides.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace bench {

using clock = std::chrono::steady_clock;

template <class F> double seconds(F&& f) {
  const auto begin = clock::now();
  f();
  return std::chrono::duration<double>(clock::now() - begin).count();
}

/// What one contender showed, round by round.
struct series {
  std::vector<double> rounds{};

  double low() const { return *std::min_element(rounds.begin(), rounds.end()); }
  double high() const { return *std::max_element(rounds.begin(), rounds.end()); }
  double median() const { return quantile(0.5); }
  double quantile(double q) const {
    auto sorted = rounds;
    std::sort(sorted.begin(), sorted.end());
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  }
  /// The same series in other units.
  template <class F> series as(F&& f) const {
    series out;
    for (const double x : rounds) out.rounds.push_back(f(x));
    return out;
  }
};

/// a / b, round by round.
inline series ratio(const series& a, const series& b) {
  series out;
  for (std::size_t i = 0; i < a.rounds.size(); ++i) out.rounds.push_back(a.rounds[i] / b.rounds[i]);
  return out;
}

/// Runs each contender once unmeasured, then all of them `rounds` times; each round begins with the next one.
/// A contender returns what is to be noted: usually the seconds it took.
inline std::vector<series> in_turns(const std::vector<std::function<double()>>& contenders, std::size_t rounds) {
  std::vector<series> out(contenders.size());
  for (const auto& c : contenders) c();
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::size_t k = (r + i) % contenders.size();
      out[k].rounds.push_back(contenders[k]());
    }
  }
  return out;
}

}  // namespace bench
