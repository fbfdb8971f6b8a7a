#pragma once
/// The parallelism that tf.data's AUTOTUNE would give each part of a traced pipeline: the traced operators become nodes
/// of its model, and hill climbing sets their parallelism. For comparison (caps.hpp).

#include "autotune_search.hpp"
#include "caps.hpp"

namespace baselines {

namespace autotune {

/// The model of a trace. An operator that runs in parallel becomes a node with at most `cores` threads of its own; any
/// other becomes a node without threads. Times are in nanoseconds. O(operators).
inline model model_of(const pl::trace& t, const pl::pipeline_rates& r, double cores) {
  model m;
  for (std::size_t i = 0; i != t.operators.size(); ++i) {
    const auto& row = t.operators[i];
    const auto& did = t.counters[i];
    node n{.processing_time = did.cpu_seconds * 1e9, .elements = static_cast<double>(did.completions)};
    for (const auto from : row.inputs) n.inputs.push_back(from - 1);
    if (!n.inputs.empty() && r.operators[i].visits > 0)
      n.ratio = r.operators[n.inputs.front()].visits / r.operators[i].visits;
    n.bytes_each = n.elements > 0 ? static_cast<double>(did.bytes) / n.elements : 0;
    if (row.how == pl::form::element || row.how == pl::form::scatter) {
      n.kind = kind::async_known_ratio;
      n.parallelism = {1, 1, std::max(1.0, cores)};
    }
    m.push_back(std::move(n));
  }
  return m;
}

}  // namespace autotune

/// One value per part, in the order of `d.parts`: the largest of the operators fused into it.
inline part_caps autotune_caps(const pl::trace& t, const pl::pipeline_rates& r, const pl::demand& d,
                               const pl::resources& have) {
  auto m = autotune::model_of(t, r, have.cores);
  autotune::hill_climb(m, {have.cores, have.memory});
  auto caps = naive_caps(d);
  for (std::size_t i = 0; i != caps.size(); ++i)
    for (const auto number : d.parts[i].operators)
      if (!d.parts[i].serial) caps[i] = std::max(caps[i], m[number - 1].at_once());
  return caps;
}

}  // namespace baselines
