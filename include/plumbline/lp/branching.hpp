#pragma once
/// branching: the cost of splitting at an integer variable, estimated by one iteration of the dual simplex method on
/// either side. Driebeck, "An algorithm for the solution of mixed integer programming problems", 1966.

#include <plumbline/lp/tableau.hpp>

namespace plumbline::lp::detail {

/// Lower bounds of the objective's increase if a basic variable falls or rises to an integer.
struct penalty {
  double down = 0, up = 0;
};

class branching {
 public:
  void resize(const tableau& t) { row_.resize(t.all); }

  /// Returns the penalty of basic column j for falling by `down` or rising by `up`. The basis must be optimal.
  penalty of(tableau& t, int j, double down, double up) {
    int r = 0;
    while (t.head[r] != j) ++r;
    t.work.clear();
    t.work.value[r] = 1;
    t.base.btran(t.work);
    t.price(t.work, row_);
    t.work.clear();
    double fall = infinity, rise = infinity;  // cost per unit of movement
    for (const int k : row_.index) {
      const double alpha = row_.value[k], size = std::abs(alpha);  // x[j] falls by alpha for each unit that x[k] rises
      if (t.at[k] == basis_status::basic || t.fixed(k) || !(size > 1e-9)) continue;
      const double slope = std::abs(t.d[k]) / size;
      const bool rises = t.at[k] != basis_status::at_upper, falls = t.at[k] != basis_status::at_lower;
      if (alpha > 0 ? rises : falls) fall = std::min(fall, slope);
      if (alpha > 0 ? falls : rises) rise = std::min(rise, slope);
    }
    return {fall * down, rise * up};
  }

 private:
  work_vector row_{};
};

}  // namespace plumbline::lp::detail
