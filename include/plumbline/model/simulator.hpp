#pragma once
/// simulate: predicts the rate of a plan on a machine of any size from costs measured here, by running the executor's
/// discrete-event model (executor_model.hpp).

#include <plumbline/model/executor_model.hpp>

namespace plumbline {

/// Runs the model for `minibatches`, at least for 40 messages, after a warm-up of a quarter of that; or, if an epoch is
/// at most 16 times that long, for whole epochs, after one epoch of warm-up. O(messages x (parts + log messages)).
/// Throws std::invalid_argument like check, and for more than 1e9 messages.
inline simulated_run simulate(const simulation& s, double minibatches = 200) {
  check(s);
  for (const auto& segment : s.segments)
    if (!(minibatches * segment.messages <= 1e9))
      throw std::invalid_argument("plumbline: simulate: more than 1e9 messages; give fewer minibatches");
  detail::executor_model model(s);
  const double each = s.segments.back().messages, epoch = model.epoch();
  double wanted = std::max(minibatches * each, 40.0), warm = wanted / 4;
  const bool whole = epoch <= 16 * wanted;  // epochs are measured
  if (whole) {
    warm = epoch;
    wanted = epoch * std::ceil(wanted / epoch);
  }
  while (model.taken() < warm && model.step()) {
  }
  const double began = model.processors().now(), before = model.taken();
  model.processors().count();
  while (model.taken() < warm + wanted && model.step()) {
  }
  const double time = model.processors().now() - began;
  if (!(time > 0)) return {};
  return {.rate = (model.taken() - before) * (whole ? s.epoch / epoch : 1 / each) / time,
          .cores_busy = model.processors().cores_busy(),
          .busy = model.processors().busy()};
}

}  // namespace plumbline
