#pragma once
/// phase: what both simplex methods keep during one of their phases (simplex.hpp): which columns they leave alone after
/// a bad pivot, and how long nothing has moved.

#include <plumbline/lp/tableau.hpp>

namespace plumbline::lp::detail {

inline constexpr int most_repairs = 10;  ///< in one phase

enum class outcome { done, infeasible, unbounded, limit, trouble };

class phase {
 public:
  void start(const tableau& t) {
    banned_.assign(t.all, 0);
    bans_ = standing_ = 0;
  }

  /// Leaves alone a column whose pivot, computed in two ways, disagrees. False: too many of them.
  bool ban(int j) {
    banned_[j] = 1;
    return ++bans_ <= 20;
  }
  bool banned(int j) const { return banned_[j] != 0; }
  /// To be called with a new factorisation, on which pivots may be better.
  void lift_bans() {
    if (bans_ == 0) return;
    banned_.assign(banned_.size(), 0);
    bans_ = 0;
  }
  bool bans() const { return bans_ > 0; }
  /// With fresh numbers and nothing left to choose.
  outcome end() const { return bans_ == 0 ? outcome::done : outcome::trouble; }

  /// After each step: whether so many in a row have not moved that something must be done about it.
  bool stuck(const tableau& t, double step) {
    standing_ = std::abs(step) < 1e-12 ? standing_ + 1 : 0;
    if (standing_ <= 20 + t.m / 20) return false;
    standing_ = 0;
    return true;
  }

  /// Smaller pivots are noise: the more so, the older the factorisation.
  static double smallest_pivot(const tableau& t) {
    return t.base.updates() < 10 ? 1e-9 : t.base.updates() < 20 ? 1e-8 : 1e-7;
  }

 private:
  array<char> banned_{};
  int bans_ = 0, standing_ = 0;
};

}  // namespace plumbline::lp::detail
