#pragma once
/// options_of: the options of a run from a plan. Options that the user stated are never overridden; operators that they
/// name by number are those of the pipeline as written.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/model/plan.hpp>

#include <cstdint>
#include <vector>

namespace plumbline {

/// Returns the options for running the pipeline by a plan, in a form with caches after operators `caches` (some of
/// which may keep nothing). Parts that only run until a cache is full are not limited, as they soon do nothing.
run_options options_of_form(const plan& p, const std::vector<std::uint32_t>& caches, const run_options& stated);
/// The same for a run whose limits change: of the plan's options only the number of threads.
run_options options_of_live(const plan& p, const std::vector<std::uint32_t>& caches, const run_options& stated);
/// The same for a form with the plan's caches and no others.
inline run_options options_of(const plan& p, const run_options& stated = {}) {
  return options_of_form(p, p.caches, stated);
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/tune/plan_options_inl.hpp>
#endif
