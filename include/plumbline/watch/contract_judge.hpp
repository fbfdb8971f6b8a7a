#pragma once
/// Compares what was measured with the requirement, and says what became slower.

#include <plumbline/core/compiled.hpp>
#include <plumbline/watch/contract_measure.hpp>

namespace plumbline::detail {

/// `before`: a baseline of the same operators (check_same), or null.
requirement_report judge(const contract_figures& seen, const requirement& of, const rate_baseline* before);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/watch/contract_judge_inl.hpp>
#endif
