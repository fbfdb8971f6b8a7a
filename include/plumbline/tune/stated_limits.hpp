#pragma once
/// with_stated_limits: a trace that knows which limits the user stated, so that no prediction exceeds them.

#include <plumbline/model/trace.hpp>

#include <cstddef>
#include <vector>

namespace plumbline::detail {

/// Sets layout_row::at_once. `stated`: by operator of the pipeline as written (stated_parallelism); the traced form may
/// have more, added by a plan.
inline trace with_stated_limits(trace t, const std::vector<std::size_t>& stated) {
  auto next = stated.begin();
  for (auto& row : t.operators)
    if (!row.added && next != stated.end()) row.at_once = *next++;
  return t;
}

}  // namespace plumbline::detail
