#pragma once
/// primal ratio test: how far the entering column can move, and which basic column blocks it. Two passes (Harris,
/// "Pivot selection methods of the Devex LP code", 1973): first the largest step with all bounds relaxed by the
/// tolerance; then, among the rows that block within it, a large pivot: of those not much smaller than the largest, the
/// one in the shortest row of the problem. If many rows block at once, as at a vertex where all is 0, a short row keeps
/// the tableau sparse and the next candidates for entering few. As a last resort, the textbook test with Bland's rule.

#include <plumbline/lp/tableau.hpp>

namespace plumbline::lp::detail {

struct primal_stop {
  int row = -1;           ///< the blocking row; -1: none
  bool at_upper = false;  ///< it blocks at its upper bound
  double step = infinity;
};

/// The entering column moves in `direction`; `column` is B^-1 times it. `range`: the distance to its own opposite
/// bound.
inline primal_stop primal_ratio(const tableau& t, const work_vector& column, double direction, double range,
                                double least, bool bland) {
  double furthest = infinity;
  for (const int i : column.index) {
    const double rate = -direction * column.value[i];
    if (!(std::abs(rate) > least)) continue;
    const int j = t.head[i];
    const double limit = rate > 0 ? t.upper[j] : t.lower[j];
    if (limit == infinity || limit == -infinity) continue;
    const double room = std::max((limit - t.x[j]) * (rate > 0 ? 1 : -1), 0.0) + (bland ? 0 : t.slack(limit));
    furthest = std::min(furthest, room / std::abs(rate));
  }
  primal_stop stop;
  if (range <= furthest) {
    stop.step = range;
    return stop;
  }
  double largest = 0, taken = 0;
  const auto better = [&](int i, double size) {
    const double good = 0.03 * largest;
    if (size < good || taken < good) return size > taken;
    const int shorter = t.a.row_length(stop.row) - t.a.row_length(i);
    return shorter > 0 || (shorter == 0 && size > taken);
  };
  for (const int i : column.index) {
    const double rate = -direction * column.value[i], size = std::abs(rate);
    if (!(size > least)) continue;
    const int j = t.head[i];
    const double limit = rate > 0 ? t.upper[j] : t.lower[j];
    if (limit == infinity || limit == -infinity) continue;
    const double room = (limit - t.x[j]) * (rate > 0 ? 1 : -1);
    if (room > furthest * size && !(bland && std::max(room, 0.0) / size <= furthest)) continue;
    largest = std::max(largest, size);
    if (stop.row < 0 || (bland ? j < t.head[stop.row] : better(i, size))) {
      taken = size;
      stop.row = i;
      stop.at_upper = rate > 0;
      stop.step = std::max(room, 0.0) / size;
    }
  }
  return stop;
}

}  // namespace plumbline::lp::detail
