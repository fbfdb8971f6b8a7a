#pragma once
/// better_form: at an epoch's boundary, whether a live run should go on in another form of its pipeline: with a cache
/// that fits now, or without one that no longer fits.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/live.hpp>
#include <plumbline/model/planner.hpp>

#include <optional>

namespace plumbline {

struct form_change {
  planning made;
  /// What it was planned from, and `seen` of the next call: if caches held more than their plan said, their elements
  /// are larger here by as much. Planned from the old sizes, the next form would have the same caches again.
  trace seen;
  live_change log;
};

/// `seen`: the trace of the pipeline as written from which `running` was planned, with the same goal. `have.memory`:
/// the budget now. Returns the form to go on with, if the caches of `running` do not fit (`held`: what all caches
/// hold), or if the plan for this budget has other caches and a rate that is higher by a tenth: a new form makes its
/// elements once more. O(operators x parts), plus the program of make_plan.
std::optional<form_change> better_form(const trace& seen, const plan& running, double held, const resources& have,
                                       const goal& want, double at);

/// The same for a run that has shown what its elements cost and hold, in a form without caches of a plan. `shown`: its
/// trace, of whole epochs; `have.io_threads`: those that it came to. Returns the form to go on with, if the plan from
/// that has caches and a rate that is higher by a fifth than without them, as far as the consumer takes so many. Not to
/// be asked again after it has returned one: forms would alternate with the costs.
std::optional<form_change> form_shown(const trace& shown, const plan& running, const resources& have, const goal& want,
                                      double at);

/// These limits with the plan's values. `rows`: of the form that runs, with its caches. O(parts).
live_limits limits_of(const plan& by, const std::vector<layout_row>& rows, live_limits limits);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/live_form_inl.hpp>
#endif
