#pragma once
/// replanning: the planned form, traced as it runs, and the plan's numbers made again from that: what its parts cost
/// there, giving elements again from caches included. Where caches stand stays as it was: their sizes were seen in the
/// first trace, and what lies behind them is not asked any more.

#include <plumbline/model/planner.hpp>

#include <optional>

namespace plumbline {

/// Operators are numbered as in the form that ran: the caches that the plan put in count.
struct replanning {
  trace seen;
  planning made;
};

/// Changes `first.best`: rate, bottleneck, chunk, prefetch, and of its parts what they get. Nothing, and no change,
/// where the trace shows too little to plan from. O(operators x parts), and a program.
std::optional<replanning> replan(planning& first, trace seen, resources have, const goal& want);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/replan_inl.hpp>
#endif
