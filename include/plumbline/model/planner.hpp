#pragma once
/// make_plan: derives a plan from a trace, in all steps: rates, sizes, cache sites, the program, whole numbers.
///   const auto made = make_plan(stream.traced(), {.cores = 16, .memory = 64e9});
///   made.best;              // the plan
///   made.limits[0].text;    // the bottleneck; [1]: the next one, once that is relieved

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/planning.hpp>

#include <algorithm>
#include <cmath>

namespace plumbline {

/// Returns how many elements a part may process at once if it needs theta cores on average: theta plus its square root
/// (the margin that keeps queues short when arrivals vary: Halfin and Whitt, 1981), at least two. Plumber rounds theta
/// itself, which leaves a cheap part next to an expensive one without headroom: its RCNN, 95 cores and 1, lost 23 %
/// (section 5.4). Here all parts share the threads: the number is a limit, not a reservation, and the sum may exceed
/// the cores.
inline std::size_t with_headroom(double theta, std::size_t most) {
  const double want = std::ceil(theta + std::sqrt(theta) - 1e-9);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(want, 2.0)), 1, std::max<std::size_t>(most, 1));
}

/// Returns how many minibatches to prefetch: as many as are missing for the amount of work in progress that the
/// bottleneck could sustain (Plumber's artifact): ceil(max(N* - N, 0)), N* = least latency x rate, N = busy cores; at
/// least two.
inline std::size_t prefetch_for(double least_latency, double rate, double busy_cores) {
  const double missing = std::ceil(least_latency * rate - busy_cores - 1e-9);
  return static_cast<std::size_t>(std::clamp(missing, 2.0, 1024.0));
}

/// If `have` has no disk, that of the trace is used. Throws std::invalid_argument if the trace shows nothing (see
/// rates) or no plan reaches the goal to within 1 %; cache_too_big if the caches that the user wrote do not fit.
/// `last`: see allocate.
planning make_plan(const trace& t, resources have, const goal& want = {}, const stored_files& stored = {},
                   lp::basis* last = nullptr);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/planner_inl.hpp>
#endif
