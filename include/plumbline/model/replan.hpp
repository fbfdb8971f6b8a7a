#pragma once
/// replanning: corrects a plan with a trace of the planned form, which shows the actual cost of its parts, including
/// replay from caches. The placement of caches does not change: their sizes were seen in the first trace, and the
/// operators upstream of them no longer run.

#include <plumbline/model/planner.hpp>

#include <optional>

namespace plumbline {

/// Operators are numbered as in the form that ran, counting the caches that the plan added.
struct replanning {
  trace seen;
  planning made;
};

/// Updates `first.best`: rate, bottleneck, chunk, prefetch, memory, and the parallelism and cores of each part. Returns
/// nullopt and changes nothing if the trace shows too little to plan from. O(operators x parts), plus one program.
std::optional<replanning> replan(planning& first, trace seen, resources have, const goal& want);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/replan_inl.hpp>
#endif
