#pragma once
/// sensitivity: how far the active bound of a row can move while its shadow price stays the same. Chvatal, "Linear
/// Programming", 1983, chapter 10.

#include <plumbline/lp/scaling.hpp>
#include <plumbline/lp/solution.hpp>
#include <plumbline/lp/tableau.hpp>

namespace plumbline::lp::detail {

/// Sets s.ranges. The basis must be optimal, and s.activity set. Moving the active bound of a row moves the basic
/// columns along B^-1 e, until the first one reaches a bound of its own.
inline void find_ranges(tableau& t, const scaling& u, solution& s) {
  s.ranges.assign(static_cast<std::size_t>(t.m), {});
  for (int i = 0; i < t.m; ++i) {
    range& out = s.ranges[static_cast<std::size_t>(i)];
    out.lower = out.upper = s.activity[static_cast<std::size_t>(i)];
    if (t.at[t.n + i] == basis_status::basic) continue;
    t.work.clear();
    t.work.value[i] = 1;
    t.base.ftran(t.work);
    double up = infinity, down = infinity;  // how far the row's sum can move
    for (const int k : t.work.index) {
      const int j = t.head[k];
      const double rate = t.work.value[k], above = std::max(t.upper[j] - t.x[j], 0.0),
                   below = std::max(t.x[j] - t.lower[j], 0.0);
      if (std::abs(rate) < 1e-9) continue;
      up = std::min(up, (rate > 0 ? above : below) / std::abs(rate));
      down = std::min(down, (rate > 0 ? below : above) / std::abs(rate));
    }
    t.work.clear();
    out.lower -= down * u.of_row(i);
    out.upper += up * u.of_row(i);
  }
}

}  // namespace plumbline::lp::detail
