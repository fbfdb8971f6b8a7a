#pragma once
/// tightening: tightens the bounds of integer variables by single rows: a value is excluded if it violates the row even
/// with all other variables at their most favourable bounds. Savelsbergh, "Preprocessing and probing techniques for
/// mixed integer programming problems", 1994.

#include <plumbline/lp/array.hpp>
#include <plumbline/lp/problem.hpp>

#include <cmath>

namespace plumbline::lp::detail {

class tightening {
 public:
  void reserve(const problem& p) {
    for (auto* sums : {&least_, &most_}) sums->reserve(static_cast<int>(p.rows.size()));
  }

  /// Tightens bounds in `p`, whose integer variables must have integer bounds. Before each change, calls found(row,
  /// variable, at, above, low): the row contradicts that side of the split at `at`; its sum is too small if `low`, else
  /// too large. Returns true if a bound changed.
  bool run(problem& p, auto&& found) {
    bool moved = true, any = false;
    for (int pass = 0; pass < 3 && moved; ++pass) {
      moved = false;
      add_up(p);
      for (const entry& e : p.entries) {
        variable& v = p.variables[static_cast<std::size_t>(e.variable)];
        if (!v.integer || e.value == 0 || v.lower == v.upper) continue;
        const row& r = p.rows[static_cast<std::size_t>(e.row)];
        moved = limit(e, v, r.upper, least_[e.row], false, found) || moved;
        moved = limit(e, v, r.lower, most_[e.row], true, found) || moved;
      }
      any = any || moved;
    }
    return any;
  }

 private:
  /// The least or the greatest possible sum of a row: its finite terms, and the number of infinite ones.
  struct extreme {
    double sum = 0, size = 0;
    int infinite = 0;
    void add(double x) {
      if (x == infinity || x == -infinity) {
        ++infinite;
      } else {
        sum += x;
        size += std::abs(x);
      }
    }
  };

  void add_up(const problem& p) {
    least_.assign(static_cast<int>(p.rows.size()), {});
    most_.assign(static_cast<int>(p.rows.size()), {});
    for (const entry& e : p.entries) {
      if (e.value == 0) continue;
      const variable& v = p.variables[static_cast<std::size_t>(e.variable)];
      least_[e.row].add(e.value * (e.value > 0 ? v.lower : v.upper));
      most_[e.row].add(e.value * (e.value > 0 ? v.upper : v.lower));
    }
  }

  /// Tightens one bound of v: from its best bound for the row (the lower one, if its coefficient is positive and the
  /// sum is to be small), v can move until the row's bound `end` stops it. Returns true if the bound changed.
  static bool limit(const entry& e, variable& v, double end, const extreme& sum, bool low, auto&& found) {
    const bool from_lower = (e.value > 0) != low;
    const double from = from_lower ? v.lower : v.upper, room = low ? sum.sum - end : end - sum.sum;
    if (sum.infinite > 0 || from == infinity || from == -infinity || !std::isfinite(room)) return false;
    const double margin = 1e-7 * (sum.size + std::abs(end)) / std::abs(e.value),
                 way = std::floor(std::max(room, 0.0) / std::abs(e.value) + margin);
    if (!(way + 1e-6 < v.upper - v.lower) || room < -margin * std::abs(e.value)) return false;
    const double to = from_lower ? from + way : from - way;
    found(e.row, e.variable, from_lower ? to : to - 1, from_lower, low);
    (from_lower ? v.upper : v.lower) = to;
    return true;
  }

  array<extreme> least_{}, most_{};
};

}  // namespace plumbline::lp::detail
