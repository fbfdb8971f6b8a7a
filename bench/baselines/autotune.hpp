#pragma once
/// tf.data's analytical model of a pipeline's latency, which AUTOTUNE minimises: each iterator is an M/M/1/k queue, and
/// its output latency follows from those of its inputs (tensorflow/core/framework/model.cc; Murray et al., VLDB 2021,
/// section 3.3). For comparison only: the model ignores that cores can be busy, so with enough parallelism its latency
/// goes to 0 (Plumber, section 2.2). The searches are in autotune_search.hpp.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace baselines::autotune {

/// The time that the consumer of a buffer waits for an element, and its derivatives by the three arguments of wait_for.
struct wait {
  double time = 0, by_producer = 0, by_consumer = 0, by_buffer = 0;
};
/// The wait for a buffer of n elements, if the producer takes p per element and the consumer takes c between two. The
/// buffer is empty with probability 1 / (n + 1) if p = c, else (1 - c/p) / (1 - (c/p)^(n+1)). O(1).
inline wait wait_for(double p, double c, double n) {
  if (p == 0) return {0, n == 0 || c == 0 ? 1.0 : 0.0, 0, 0};
  if (c == 0) return {p, 1, n == 0 ? 0.0 : -1.0, 0};
  if (c == p) {
    const double empty = 1 / (n + 1), slope = -n / (2 * n + 2);
    return {empty * p, empty - slope, slope, -p / ((n + 1) * (n + 1))};
  }
  // x is the smaller of c/p and p/c, so that no power overflows
  const double x = c > p ? p / c : c / p, power = std::pow(x, n), rest = 1 - power * x;
  if (c > p) {
    const double empty = power * (1 - x) / rest;
    const double slope = (n - (n + 1) * x + power * x) * power / x / (rest * rest);
    return {empty * p, empty + slope * x, -slope * x * x, empty / rest * std::log(x) * p};
  }
  const double empty = (1 - x) / rest, slope = ((n + 1 - n * x) * power - 1) / (rest * rest);
  return {empty * p, empty - slope * x, slope, empty / rest * power * x * std::log(x) * p};
}

enum class kind : unsigned char {
  known_ratio,  ///< takes `ratio` elements of each input per output element; 0: a source
  async_known_ratio,
  interleave,  ///< its first input creates the others, of which `cycle_length` are open
  async_interleave,
  unknown_ratio,  ///< the ratio follows from the observed element counts
  unknown         ///< only forwards elements
};
struct parameter {
  double value = 1, least = 1, most = 1;
};
struct node {
  autotune::kind kind = autotune::kind::known_ratio;
  double ratio = 0;
  std::vector<std::size_t> inputs{};  ///< earlier nodes
  double processing_time = 0, elements = 0;
  double bytes_each = 0;  ///< bytes of an element in its buffer
  std::optional<parameter> parallelism{}, buffer{};
  std::optional<double> cycle_length{};
  bool deterministic = false;
  bool active = true;  ///< false: an input that is not open yet
  double recent = 0;   ///< moving average of the time per element; 0: none

  bool async() const { return kind == kind::async_known_ratio || kind == kind::async_interleave; }
  double self_time() const { return elements > 0 ? processing_time / elements : 0; }
  double at_once() const { return parallelism ? parallelism->value : 1; }
  /// Time per element in the model of stages: the moving average if there is one, divided by the parallelism if the
  /// node has its own threads.
  double stage_time() const {
    if (elements <= 0) return 0;
    return (recent > 0 ? recent : self_time()) / (async() ? at_once() : 1);
  }
  /// Records one more element that took `time`; its weight in the moving average is a tenth.
  void record(double time) {
    const double before = recent > 0 ? recent : self_time();
    recent = elements > 0 ? 0.9 * before + 0.1 * time : time;
    processing_time += time;
    ++elements;
  }
};
/// The nodes, upstream first, the root last.
using model = std::vector<node>;

namespace detail {

using baselines::autotune::kind;

/// The number of an interleave's inputs without the first, which creates the others.
inline double opened(const node& n) { return static_cast<double>(n.inputs.size()) - 1; }
inline double ratio_of(const model& m, const node& n) {
  switch (n.kind) {
    case kind::interleave:
    case kind::async_interleave:
      return 1 / n.cycle_length.value_or(std::max(1.0, opened(n)));
    case kind::unknown_ratio:
      return n.inputs.empty() || n.elements == 0 ? 0 : m[n.inputs.front()].elements / n.elements;
    case kind::unknown:
      return 1;
    default:
      return n.ratio;
  }
}
/// The mean over the opened inputs of an interleave; the sum over the inputs of any other node.
inline double over_inputs(const model& m, const node& n, const std::vector<double>& of) {
  double sum = 0;
  for (const auto i : n.inputs) sum += m[i].active ? of[i] : 0;
  if (n.kind != kind::interleave && n.kind != kind::async_interleave) return sum;
  return (sum - of[n.inputs.front()]) / opened(n);
}
inline bool opens(const node& n) { return n.kind == kind::interleave || n.kind == kind::async_interleave; }

}  // namespace detail

/// CPU time per element of each node, including that of its inputs. O(nodes).
inline std::vector<double> total_processing_times(const model& m) {
  std::vector<double> total(m.size());
  for (std::size_t i = 0; i != m.size(); ++i) {
    const auto& n = m[i];
    const double own = n.kind == kind::unknown ? 0 : n.self_time();
    const bool alone = detail::opens(n) ? n.inputs.size() <= 1 : detail::ratio_of(m, n) == 0 || n.inputs.empty();
    const double weight = detail::opens(n) ? 1 : detail::ratio_of(m, n);
    total[i] = own + (alone ? 0 : weight * detail::over_inputs(m, n, total));
  }
  return total;
}

/// The time that the consumer of the root waits for an element, if it requests one `input_time` after the last.
/// O(nodes).
inline double output_time(const model& m, double input_time = 0) {
  std::vector<double> in(m.size(), input_time), out(m.size());
  for (auto i = m.size(); i-- != 0;) {  // the time between two requests of each node to its inputs
    const auto& n = m[i];
    const double ratio = detail::ratio_of(m, n), self = n.self_time();
    double each = in[i];
    if (detail::opens(n))
      each = n.inputs.size() <= 1 ? in[i] : (in[i] + self) * detail::opened(n);
    else if (n.kind == kind::async_known_ratio)
      each = (in[i] + self / n.at_once()) / (ratio == 0 ? 1 : ratio);
    else if (n.kind != kind::unknown && ratio != 0)
      each = (in[i] + self) / ratio;
    in[i] = each;
    for (const auto k : n.inputs) in[k] = each;
  }
  for (std::size_t i = 0; i != m.size(); ++i) {
    const auto& n = m[i];
    const double ratio = detail::ratio_of(m, n), self = n.self_time();
    const double inputs =
        n.inputs.empty() || (detail::opens(n) && n.inputs.size() <= 1) ? 0 : detail::over_inputs(m, n, out);
    if (n.kind == kind::unknown) {
      out[i] = inputs;
    } else if (n.kind == kind::async_known_ratio) {
      const double buffer = n.parallelism ? n.at_once() / (ratio == 0 ? 1 : ratio) : n.buffer ? n.buffer->value : 0;
      out[i] = self / n.at_once() + wait_for(ratio * inputs, ratio == 0 ? in[i] : in[i] * ratio, buffer).time;
    } else if (n.kind == kind::async_interleave && n.inputs.size() > 1) {
      const double open = detail::opened(n), at_once = n.parallelism ? std::min(open, n.at_once()) : open;
      out[i] = self + wait_for(inputs / at_once, in[i] / open, at_once).time;
    } else {
      out[i] = self + (detail::opens(n) ? inputs : ratio * inputs);
    }
  }
  return out.back();
}

/// Bytes that the buffers hold when they are full. O(nodes).
inline double buffered_bytes(const model& m) {
  double sum = 0;
  for (const auto& n : m) {
    if (!n.async()) continue;
    const double held = n.buffer ? n.buffer->value : n.parallelism ? n.at_once() : 0;
    sum += held * n.bytes_each / (n.kind == kind::async_known_ratio && n.ratio > 0 ? n.ratio : 1);
  }
  return sum;
}

/// Times at one node. A stage is a node with its own threads, and the nodes upstream of it that run on those threads.
struct stage_timing {
  double pipeline_ratio = 1;  ///< elements per element of the root
  double self_time = 0, total_time = 0;
};
/// The timing of each node. O(nodes).
inline std::vector<stage_timing> stage_timings(const model& m) {
  std::vector<stage_timing> t(m.size());
  for (auto i = m.size(); i-- != 0;) {
    const double ratio = detail::ratio_of(m, m[i]);
    for (const auto k : m[i].inputs)
      t[k].pipeline_ratio = m[k].active ? t[i].pipeline_ratio * (ratio > 0 ? ratio : 1) : 0;
  }
  for (std::size_t i = 0; i != m.size(); ++i) {
    const auto& n = m[i];
    t[i].self_time = n.stage_time();
    if (!n.active || n.elements <= 0) continue;
    double sum = 0, longest = 0, rate = 0, active = 0;
    for (std::size_t k = 0; k != n.inputs.size(); ++k) {
      const auto& in = m[n.inputs[k]];
      if (in.async() || !in.active || in.elements <= 0 || (k == 0 && n.kind == kind::async_interleave)) continue;
      const double total = t[n.inputs[k]].total_time;
      sum += total;
      longest = std::max(longest, total);
      if (total > 0) rate += 1 / total;
      ++active;
    }
    if (n.kind != kind::async_interleave) {
      t[i].total_time = t[i].self_time + sum * detail::ratio_of(m, n);
      continue;
    }
    const double at_once = std::min(n.at_once(), n.cycle_length.value_or(active));
    if (!n.deterministic && active > 0) rate *= std::min(1.0, at_once / active);
    t[i].total_time = t[i].self_time + (n.deterministic ? longest / at_once : rate > 0 ? 1 / rate : 0);
  }
  return t;
}

}  // namespace baselines::autotune
