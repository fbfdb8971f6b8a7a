#pragma once
/// Confidence intervals of a mean from a run's samples, by batch means: neighbouring minibatches are correlated
/// (queues, caches, the processor's clock rate), so single samples understate the spread; means of long batches are
/// nearly independent (Law and Kelton, Simulation Modeling and Analysis, 9.5.3).

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/interval.hpp>
#include <plumbline/model/trace.hpp>

#include <boost/math/distributions/students_t.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumbline {

/// Returns the interval that contains the mean with probability `level`, from one value per minibatch, in order. If the
/// samples do not divide evenly into batches, the first ones are left out, as the warm-up is there. Throws
/// std::invalid_argument for fewer than two batches, or a level outside (0, 1). O(samples).
inline interval confidence(std::span<const double> samples, double level = 0.95, std::size_t batches = 20) {
  if (!(level > 0) || !(level < 1))
    throw std::invalid_argument("plumbline: confidence: level is " + detail::exact_number(level) +
                                "; it must be within 0 and 1");
  const auto k = std::min(batches, samples.size());
  if (k < 2)
    throw std::invalid_argument("plumbline: confidence: " + std::to_string(samples.size()) + " samples in " +
                                std::to_string(batches) + " batches; at least two batches are needed");
  const detail::batch_means m(samples, k);
  const boost::math::students_t t(static_cast<double>(k - 1));
  return interval::around(m.mean, m.error * boost::math::quantile(boost::math::complement(t, (1 - level) / 2)));
}

/// Returns the intervals of the CPU seconds per minibatch of each operator, in order, and of all operators last, for a
/// run with tracing::full. The first tenth is left out as warm-up. Throws std::invalid_argument if there are too few
/// samples or minibatches. O(samples x operators).
inline std::vector<interval> cost_intervals(const trace& t, double level = 0.95, std::size_t batches = 20) {
  const auto few = [&] {
    throw std::invalid_argument("plumbline: confidence: the trace has " + std::to_string(t.samples.size()) +
                                " samples; run longer, with tracing::full");
  };
  if (t.samples.size() < 3) few();
  const std::size_t from = t.samples.size() / 10, there = t.samples.size() - 1 - from, operators = t.operators.size();
  const std::size_t k = std::min(batches, there);
  std::vector<std::vector<double>> costs(operators + 1);  // by operator, then by batch of samples
  for (std::size_t b = 0; b != k; ++b) {
    const auto& first = t.samples[from + b * there / k];
    const auto& last = t.samples[from + (b + 1) * there / k];
    if (last.minibatches <= first.minibatches) continue;
    const auto n = static_cast<double>(last.minibatches - first.minibatches);
    double all = 0;
    for (std::size_t i = 0; i != operators; ++i) {
      const double spent = last.cpu_seconds[i] - first.cpu_seconds[i];
      costs[i].push_back(spent / n);
      all += spent;
    }
    costs.back().push_back(all / n);
  }
  if (costs.back().size() < 2) few();
  std::vector<interval> found;
  for (const auto& c : costs) found.push_back(confidence(c, level, c.size()));
  return found;
}

}  // namespace plumbline
