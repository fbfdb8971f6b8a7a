#pragma once
/// Definitions of model/live.hpp.

#include <plumbline/model/live.hpp>
#include <plumbline/model/live_look.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

PLUMBLINE_INLINE trace recorded_since(const trace& now, const trace& before) {
  auto t = now;
  const auto less = [](auto& x, auto y) { x = x > y ? x - y : decltype(x - y){}; };
  for (std::size_t i = 0; i != std::min(t.counters.size(), before.counters.size()); ++i) {
    auto& c = t.counters[i];
    const auto& b = before.counters[i];
    less(c.completions, b.completions), less(c.bytes, b.bytes), less(c.bytes_read, b.bytes_read);
    less(c.timed, b.timed), less(c.bytes_squared, b.bytes_squared);
  }
  for (std::size_t i = 0; i != std::min(t.parts.size(), before.parts.size()); ++i) {
    auto& p = t.parts[i];
    const auto& b = before.parts[i];
    less(p.messages, b.messages), less(p.cpu_seconds, b.cpu_seconds), less(p.wall_seconds, b.wall_seconds);
    less(p.overhead_seconds, b.overhead_seconds), less(p.queued_seconds, b.queued_seconds);
  }
  // An operator's time: the share of its parts' time that the sample of the whole run gives it. Its totals come from
  // that sample, so their difference would be mostly that of two samples.
  for (auto& c : t.counters) c.cpu_seconds = c.wall_seconds = 0;
  for (const auto& p : t.parts) {
    double cpu = 0, wall = 0;
    for (const auto n : p.operators) cpu += now.counters[n - 1].cpu_seconds, wall += now.counters[n - 1].wall_seconds;
    const auto share = [&](double own, double all) {
      return all > 0 ? own / all : 1 / static_cast<double>(p.operators.size());
    };
    for (const auto n : p.operators) {
      const auto& whole = now.counters[n - 1];
      t.counters[n - 1].cpu_seconds +=
          share(whole.cpu_seconds, cpu) * std::max(p.cpu_seconds - p.overhead_seconds, 0.0);
      t.counters[n - 1].wall_seconds +=
          share(whole.wall_seconds, wall) * std::max(p.wall_seconds - p.overhead_seconds, 0.0);
    }
  }
  less(t.wall_seconds, before.wall_seconds), less(t.consumer_wait_seconds, before.consumer_wait_seconds);
  less(t.consumer_seconds, before.consumer_seconds), less(t.run_delay_seconds, before.run_delay_seconds);
  less(t.io_run_delay_seconds, before.io_run_delay_seconds);
  t.samples.clear();
  return t;
}

PLUMBLINE_INLINE trace as_if_recorded(trace t) {
  const auto times = [](auto& x, double by) { x = static_cast<std::remove_reference_t<decltype(x)>>(by * double(x)); };
  std::vector<double> more;
  for (auto& c : t.counters) {
    const auto by = c.completions != 0 ? 1 + double(c.unrecorded) / double(c.completions) : 1;
    more.push_back(by);
    c.completions += std::exchange(c.unrecorded, 0);
    c.bytes += std::exchange(c.unrecorded_bytes, 0);
    times(c.bytes_read, by), times(c.cpu_seconds, by), times(c.wall_seconds, by), times(c.bytes_squared, by);
  }
  for (auto& p : t.parts) {
    const auto by = p.operators.empty() ? 1 : more[p.operators.back() - 1];
    times(p.messages, by), times(p.cpu_seconds, by), times(p.wall_seconds, by);
    times(p.overhead_seconds, by), times(p.queued_seconds, by);
  }
  if (!more.empty())
    for (double* x : {&t.wall_seconds, &t.consumer_wait_seconds, &t.consumer_seconds, &t.run_delay_seconds,
                      &t.io_run_delay_seconds})
      *x *= more.back();
  for (auto& [path, f] : t.files) f.bytes = f.size * t.epochs;
  return t;
}

PLUMBLINE_INLINE double bytes_in_flight(const trace& seen, const planning& made, const live_limits& limits) {
  double all = 0;
  for (const auto& b : limits.buffers) {
    double each = 0, variation = 0, elements = 1;
    for (std::size_t i = b.first_part; i != b.first_part + b.parts; ++i)
      for (std::size_t k = 0; k != made.demand.parts.size(); ++k) {
        const auto& p = made.demand.parts[k];
        if (p.operators != limits.parts[i].operators || p.serial != limits.parts[i].serial) continue;
        if (p.message_bytes <= each) continue;
        each = p.message_bytes;
        const auto& o = seen.counters[p.operators.back() - 1];
        const auto n = static_cast<double>(o.completions), bytes = static_cast<double>(o.bytes);
        variation = bytes > 0 ? std::sqrt(std::max(0.0, o.bytes_squared * n / (bytes * bytes) - 1)) : 0;
        elements = made.rates.parts[k].messages > 0
                       ? made.rates.operators[p.operators.back() - 1].visits / made.rates.parts[k].messages
                       : 1;
      }
    // the consumer holds one more of the last
    const double messages = static_cast<double>(b.messages) + (b.output ? 1 : 0);
    const double parts = std::max(messages * elements, 1e-9);
    all += messages * each * (1 + 2 * variation / std::sqrt(parts));
  }
  return all;
}

PLUMBLINE_INLINE live_step decide_live(const trace& seen, const live_state& last, const live_budget& budget) {
  return detail::live_look(seen, last, budget).take();
}

}  // namespace plumbline
