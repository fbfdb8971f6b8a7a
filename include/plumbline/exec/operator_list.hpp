#pragma once
/// The operators of a run with tracing::symbols, for scripts/hardware_map: a symbol has an operator's number and type,
/// and this list the name that messages use.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/layout.hpp>

#include <vector>

namespace plumbline::detail {

/// Appends a line for each operator, "number, part, blocking (1 or 0), name" with tabs between, and an empty line, to
/// the file that the environment variable PLUMBLINE_OPERATORS names, if there is one. O(operators). A file that cannot
/// be written is left out: the run goes on.
void list_operators_for_profilers(const std::vector<layout_row>& rows);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/operator_list_inl.hpp>
#endif
