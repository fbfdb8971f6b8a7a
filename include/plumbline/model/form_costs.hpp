#pragma once
/// with_costs_of: what the operators cost where the planned form ran, in place of what they cost in the trace of the
/// pipeline as written. That trace lasts about a second; if other programs had the cores then, its costs may be twice
/// the usual ones, and caches are planned for a bottleneck that is none.

#include <plumbline/model/trace.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// The operators of a form without those that the plan added, so in the order of the pipeline as written.
inline std::vector<operator_counters> counters_as_written(const trace& form) {
  std::vector<operator_counters> counters;
  for (std::size_t i = 0; i != form.operators.size(); ++i)
    if (!form.operators[i].added) counters.push_back(form.counters[i]);
  return counters;
}

/// `written` with the processor time that an element costs each operator in `form`. Operators that yielded fewer than
/// ten elements there, as caches have what they make, keep their own. Returns nullopt if the costs differ by at most a
/// quarter in all. O(operators x parts).
inline std::optional<trace> with_costs_of(const trace& form, trace written) {
  constexpr std::uint64_t enough = 10;
  constexpr double as_usual = 0.25;
  const auto ran = counters_as_written(form);
  if (ran.size() != written.counters.size()) return std::nullopt;
  std::vector<double> was, is;  // in all elements of `written`
  double all = 0, differs = 0;
  for (std::size_t i = 0; i != ran.size(); ++i) {
    const auto& own = written.counters[i];
    was.push_back(own.cpu_seconds);
    const bool known = ran[i].completions >= enough && own.completions >= enough;
    is.push_back(known ? ran[i].cpu_seconds / static_cast<double>(ran[i].completions) *
                             static_cast<double>(own.completions)
                       : own.cpu_seconds);
    all += was.back();
    differs += std::abs(is.back() - was.back());
  }
  if (!(differs > as_usual * all)) return std::nullopt;
  for (std::size_t i = 0; i != is.size(); ++i) {
    written.counters[i].cpu_seconds = is[i];
    written.counters[i].wall_seconds += is[i] - was[i];
  }
  for (auto& part : written.parts) {
    double before = 0, after = 0;
    for (const auto number : part.operators) before += was[number - 1], after += is[number - 1];
    if (!(before > 0)) continue;
    const double change = (part.cpu_seconds - part.overhead_seconds) * (after / before - 1);
    part.cpu_seconds += change;
    part.wall_seconds += change;
  }
  return written;
}

}  // namespace plumbline::detail
