#pragma once
/// The searches by which tf.data's AUTOTUNE sets parameters with its model (autotune.hpp): hill climbing, gradient
/// descent, and the newer stage-based search. Each stores the parameters that it found in the model.

#include "autotune.hpp"

#include <limits>

namespace baselines::autotune {

struct budget {
  double cores = 1, bytes = std::numeric_limits<double>::infinity();
};

namespace detail {

inline std::vector<parameter*> parameters(model& m, bool parallelism_only = false) {
  std::vector<parameter*> all;
  for (auto& n : m) {
    if (n.parallelism && n.elements > 0) all.push_back(&*n.parallelism);
    if (!parallelism_only && n.buffer && n.elements > 0) all.push_back(&*n.buffer);
  }
  return all;
}
inline bool is_buffer(const model& m, const parameter* p) {
  return std::any_of(m.begin(), m.end(), [&](const node& n) { return n.buffer && &*n.buffer == p; });
}

}  // namespace detail

/// Starts from the least value of each parameter and increments the one that shortens the output time most, until all
/// have their highest value, the output time is below that of all cores busy, or the buffers may exceed the bytes.
/// O(steps x parameters x nodes).
inline void hill_climb(model& m, const budget& b, double input_time = 0) {
  const auto all = detail::parameters(m);
  for (auto* p : all) p->value = p->least;
  const double enough = total_processing_times(m).back() / b.cores;
  for (;;) {
    const double now = output_time(m, input_time);
    const bool full = std::all_of(all.begin(), all.end(), [](const parameter* p) { return p->value >= p->most; });
    if (full || now < enough || buffered_bytes(m) > b.bytes) return;
    double best_gain = -1;
    parameter* best = nullptr;
    for (auto* p : all) {
      if (p->value >= p->most) continue;
      ++p->value;
      const double gain = now - output_time(m, input_time);
      --p->value;
      if (gain <= best_gain || (detail::is_buffer(m, p) && gain <= 1)) continue;  // a buffer must gain over 1 ns
      best_gain = gain;
      best = p;
    }
    if (best == nullptr) return;
    ++best->value;
  }
}

/// Starts from the least value of each parameter and follows the gradient (here by differences) in steps of a tenth,
/// until a step gains less than 100 ns; then rounds.
inline void descend(model& m, const budget& b, double input_time = 0) {
  auto all = detail::parameters(m);
  for (auto* p : all) p->value = p->least;
  double before = 0;
  for (int step = 0; step != 1000; ++step) {
    double at_work = 0;
    for (const auto* p : detail::parameters(m, true)) at_work += std::round(p->value);
    if (at_work > b.cores) std::erase_if(all, [&](const parameter* p) { return !detail::is_buffer(m, p); });
    const bool full = std::all_of(all.begin(), all.end(), [](const parameter* p) { return p->value >= p->most; });
    const double now = output_time(m, input_time);
    if (full || buffered_bytes(m) > b.bytes || std::abs(before - now) < 100) break;
    std::vector<double> slopes;
    double steepest = 1;
    for (auto* p : all) {
      p->value += 1e-5;
      slopes.push_back((output_time(m, input_time) - now) / 1e-5);
      p->value -= 1e-5;
      if (std::round(p->value) != p->most) steepest = std::max(steepest, std::abs(slopes.back()));
    }
    for (std::size_t i = 0; i != all.size(); ++i)
      all[i]->value = std::clamp(all[i]->value - 0.1 * slopes[i] / steepest, all[i]->least, all[i]->most);
    before = now;
  }
  for (auto* p : detail::parameters(m)) p->value = std::round(p->value);
}

/// Starts from the least parallelism and adds threads to the slowest stage, one at a time, until it meets the target,
/// has its highest value, or does not get faster. If the buffers may exceed the bytes, the model stays unchanged.
inline void by_stages(model& m, const budget& b, double target) {
  const auto before = m;
  for (auto* p : detail::parameters(m, true)) p->value = p->least;
  for (;;) {
    const auto t = stage_timings(m);
    const auto time = [&](std::size_t i) { return t[i].total_time * t[i].pipeline_ratio; };
    auto slowest = m.size() - 1;
    for (std::size_t i = 0; i != m.size(); ++i)
      if (m[i].async() && time(i) > time(slowest)) slowest = i;
    auto& p = m[slowest].parallelism;
    if (time(slowest) <= target || !p || p->value >= p->most) return;
    const double was = time(slowest);
    ++p->value;
    if (buffered_bytes(m) > b.bytes) {
      m = before;
      return;
    }
    const auto now = stage_timings(m)[slowest];
    if (was <= now.total_time * now.pipeline_ratio) {
      --p->value;
      return;
    }
  }
}

}  // namespace baselines::autotune
