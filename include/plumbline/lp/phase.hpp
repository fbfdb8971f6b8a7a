#pragma once
/// phase: the state that both simplex methods keep during a phase (simplex.hpp): the columns banned after a bad pivot,
/// and the number of degenerate steps in a row.

#include <plumbline/lp/tableau.hpp>

namespace plumbline::lp::detail {

inline constexpr int most_repairs = 10;  ///< of singular bases, in one phase

enum class outcome { done, infeasible, unbounded, limit, trouble };

class phase {
 public:
  void start(const tableau& t) {
    banned_.assign(t.all, 0);
    bans_ = standing_ = 0;
  }

  /// Bans a column whose pivot, computed in two ways, disagrees. Returns false if there are too many.
  bool ban(int j) {
    banned_[j] = 1;
    return ++bans_ <= 20;
  }
  bool banned(int j) const { return banned_[j] != 0; }
  /// Called after a refactorisation, with which pivots may be better.
  void lift_bans() {
    if (bans_ == 0) return;
    banned_.assign(banned_.size(), 0);
    bans_ = 0;
  }
  bool bans() const { return bans_ > 0; }
  /// The outcome when x and d are recomputed and no candidate is left.
  outcome end() const { return bans_ == 0 ? outcome::done : outcome::trouble; }

  /// Called after each step. Returns true if so many in a row were degenerate that a perturbation is needed.
  bool stuck(const tableau& t, double step) {
    standing_ = std::abs(step) < 1e-12 ? standing_ + 1 : 0;
    if (standing_ <= 20 + t.m / 20) return false;
    standing_ = 0;
    return true;
  }

  /// The smallest pivot that is not noise; it grows with the age of the factorisation.
  static double smallest_pivot(const tableau& t) {
    return t.base.updates() < 10 ? 1e-9 : t.base.updates() < 20 ? 1e-8 : 1e-7;
  }

 private:
  array<char> banned_{};
  int bans_ = 0, standing_ = 0;
};

}  // namespace plumbline::lp::detail
