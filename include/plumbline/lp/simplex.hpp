#pragma once
/// simplex: one linear program from load to outcome. The dual simplex finds an x within its limits (or that there is
/// none), the primal one the best of them (or that there is no end), in phases until nothing that was moved on the way
/// matters.
///
/// That it ends: a phase is taken at most `phases` times with moved costs and limits. The phases after those move
/// nothing: the dual simplex runs on costs that are all zero, so every reduced cost is right wherever it is, and both
/// simplex methods choose the least number in each choice (Bland, "New finite pivoting rules for the simplex method",
/// 1977): then no basis comes twice, there are finitely many, and what the dual simplex ends with is what the primal
/// one starts from. Bland's theorem is about exact numbers; for rounded ones there is iteration_limit.

#include <plumbline/lp/dual_simplex.hpp>
#include <plumbline/lp/options.hpp>
#include <plumbline/lp/primal_simplex.hpp>

#include <utility>

namespace plumbline::lp::detail {

class simplex {
 public:
  tableau t{};
  dual_simplex dual{};
  primal_simplex primal{};

  void load(const problem& p, const scaling& u) {
    t.a.load(p, u);
    t.resize();
    dual.resize(t);
    primal.resize(t);
    const int cost_shift = p.goal == sense::maximise ? -1 : 1;
    for (int j = 0; j < t.n; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      const int part = u.part_of_variable[j];
      const double unit = power_of_two(-u.size[part] - u.variable[j]);
      t.true_lower[j] = v.lower * unit;
      t.true_upper[j] = v.upper * unit;
      t.true_cost[j] = cost_shift * v.cost * power_of_two(u.cost[part] + u.variable[j]);
    }
    for (int i = 0; i < t.m; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      const double unit = power_of_two(u.row[i] - u.size[u.part_of_row[i]]);
      t.true_lower[t.n + i] = -r.upper * unit;
      t.true_upper[t.n + i] = -r.lower * unit;
    }
    t.random = {};
    t.iterations = 0;
  }

  /// The rows' own columns are basic, the variables at the limits that their costs like.
  void start_cold() {
    t.base.forget();
    for (int j = 0; j < t.n; ++j)
      t.at[j] = t.true_cost[j] < 0 && t.true_upper[j] != infinity && t.true_lower[j] != -infinity
                    ? basis_status::at_upper
                    : basis_status::at_lower;
    for (int i = 0; i < t.m; ++i) {
      t.at[t.n + i] = basis_status::basic;
      t.head[i] = t.n + i;
    }
    warm_ = false;
  }
  /// From a basis of the same shape. Missing basic columns are filled up with rows' own, surplus ones left out.
  void start_from(const basis& b) {
    t.base.forget();
    int count = 0;
    const auto put = [&](int j, basis_status where) {
      if (where == basis_status::basic && count == t.m) where = basis_status::at_lower;
      t.at[j] = where;
      if (where == basis_status::basic) t.head[count++] = j;
    };
    for (int j = 0; j < t.n; ++j) put(j, b.variables[static_cast<std::size_t>(j)]);
    for (int i = 0; i < t.m; ++i) put(t.n + i, mirrored(b.rows[static_cast<std::size_t>(i)]));
    for (int i = 0; count < t.m; ++i)
      if (t.at[t.n + i] != basis_status::basic) put(t.n + i, basis_status::basic);
    warm_ = !t.own();
  }
  /// A row's sum is minus its own column, so its limits change sides.
  static basis_status mirrored(basis_status w) {
    return w == basis_status::at_lower   ? basis_status::at_upper
           : w == basis_status::at_upper ? basis_status::at_lower
                                         : w;
  }

  /// `bland`: the last resort from the start.
  outcome run(double tolerance, bool bland = false) {
    t.tolerance = tolerance;
    t.threshold = 0.1;
    int troubles = 0;
    for (int taken = bland ? phases : 0; taken < most_phases; ++taken) {
      t.strength = taken < phases / 2 ? 1e-6 : 1e-8;
      const outcome now = run_phase(taken >= phases);
      if (now == outcome::done) {
        if (t.primal_feasible() && t.dual_feasible()) return now;
        continue;
      }
      if (now != outcome::trouble) return now;
      t.base.forget();
      t.threshold = std::min(0.95, t.threshold + 0.4);
      if (++troubles > 3) return now;
    }
    return outcome::trouble;
  }

  /// Whether what it stands at would be done with that tolerance too.
  bool holds(double tolerance) {
    t.tolerance = tolerance;
    return t.primal_feasible() && t.dual_feasible();
  }

  /// Where it stands, with nothing moved.
  void restore() {
    t.repairs = 0;
    restore_limits();
    t.cost.copy(t.true_cost);
    t.costs_moved = false;
    t.freshen();
  }

 private:
  static constexpr int phases = 10, most_phases = 20;
  bool warm_ = false;  ///< at a basis of other numbers

  outcome run_phase(bool bland) {
    restore();
    const bool warm = std::exchange(warm_, false);
    if (!t.primal_feasible()) {
      if (bland) {
        t.cost.assign(t.all, 0.0);
        t.d.assign(t.all, 0.0);
        t.costs_moved = true;
      } else if (warm && !t.dual_feasible()) {
        stay_near();
      }
      if (const outcome o = dual.run(t, bland); o != outcome::done) return o;
      if (t.costs_moved || !t.fresh) {
        t.cost.copy(t.true_cost);
        t.costs_moved = false;
        t.compute_d();
        t.fresh = true;
      }
    }
    if (t.dual_feasible() || !t.primal_feasible()) return outcome::done;
    outcome o = primal.run(t, bland);
    if (t.limits_moved) {
      restore_limits();
      t.compute_x();
      if (o == outcome::unbounded && !t.primal_feasible()) o = outcome::done;
    }
    return o;
  }

  /// Prices of which some have the wrong sign are no guide to an x within the limits; what the old basis tells as well
  /// is where x was. If leaving its limit costs each column that is not basic a little more, and where its price is
  /// wrong only that, the dual simplex looks for an x near that one, in the sum of the distances: few columns come to
  /// be basic that must return to their limits. A little is a tenth of what prices are in the problem's units: beside
  /// prices that say something it decides nothing, and where most are zero, all.
  void stay_near() {
    for (int j = 0; j < t.all; ++j) {
      if (t.at[j] == basis_status::basic) continue;
      const double kept = t.wrong(j) == 0 && t.at[j] != basis_status::between ? t.d[j] : 0;
      const double d = kept + (t.at[j] == basis_status::at_lower ? 0.1 : t.at[j] == basis_status::at_upper ? -0.1 : 0);
      t.cost[j] += d - t.d[j];
      t.d[j] = d;
    }
    t.costs_moved = true;
  }

  void restore_limits() {
    t.lower.copy(t.true_lower);
    t.upper.copy(t.true_upper);
    t.limits_moved = false;
    for (int j = 0; j < t.all; ++j) t.settle(j);
  }
};

}  // namespace plumbline::lp::detail
