#pragma once
/// make_plan: from a trace to a plan, all the way: rates, sizes, cache places, the program, whole numbers.
///   const auto made = make_plan(stream.traced(), {.cores = 16, .memory = 64e9});
///   made.best;              // the plan
///   made.limits[0].text;    // what limits it; [1]: what would if that were relieved

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/plan.hpp>
#include <plumbline/model/program.hpp>

namespace plumbline {

struct planning {
  plan best;
  pipeline_rates rates;
  std::vector<materialised> sizes;
  std::vector<cache_place> places;
  plumbline::demand demand;
  allocation share;
  std::vector<rate_limit> limits;  ///< of the machine and of serial parts with the plan's caches, ascending
};

/// How many elements of a part may be at work at once where theta cores are needed on average: theta and its square
/// root more (the safety that keeps a queue short when arrivals scatter: Halfin and Whitt, 1981), at least two.
/// Plumber rounds to theta itself, which leaves a cheap part beside a dear one without any room: its RCNN, 95 cores and
/// 1, lost 23 % (section 5.4). Here threads are shared by all parts: the number is a limit, not a reservation, and the
/// sum may exceed the cores.
inline std::size_t with_headroom(double theta, std::size_t most) {
  const double want = std::ceil(theta + std::sqrt(theta) - 1e-9);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(want, 2.0)), 1, std::max<std::size_t>(most, 1));
}

/// Minibatches to hold ready: as many as are missing to keep as much work going as the bottleneck could (Plumber's
/// artifact): ceil(max(N* - N, 0)), N* = least latency x rate, N = cores that were busy; at least two.
inline std::size_t prefetch_for(double least_latency, double rate, double busy_cores) {
  const double missing = std::ceil(least_latency * rate - busy_cores - 1e-9);
  return static_cast<std::size_t>(std::clamp(missing, 2.0, 1024.0));
}

/// Where no disk is given, the trace's counts. Throws std::invalid_argument if the trace shows nothing (rates), or, in
/// words, if no plan reaches the goal; cache_too_big if the caches that the user put there do not fit.
planning make_plan(const trace& t, resources have, const goal& want = {}, const stored_files& stored = {});

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/planner_inl.hpp>
#endif
