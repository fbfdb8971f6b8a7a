#pragma once
/// simplex: solves one linear program. The dual simplex method finds a feasible x (or that there is none), the primal
/// one the best (or that the problem is unbounded), in phases until no shift or perturbation of costs and bounds on the
/// way matters.
///
/// Termination: at most `phases` phases perturb costs and bounds. Later ones do not: the dual simplex method runs with
/// all costs zero, so every basis is dual feasible, and both methods take the lowest index in each choice (Bland, "New
/// finite pivoting rules for the simplex method", 1977): then no basis repeats, there are finitely many, and the dual
/// method ends with a basis from which the primal one starts. Bland's theorem is about exact arithmetic; for rounding
/// errors there is iteration_limit.

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

  /// Starts from the slack basis, with the variables at the bounds that their costs favour.
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
  /// Starts from a basis of the same shape. Missing basic columns are replaced by logical ones, surplus ones dropped.
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
  /// A row's sum is minus its logical column, so its bounds change sides.
  static basis_status mirrored(basis_status w) {
    return w == basis_status::at_lower   ? basis_status::at_upper
           : w == basis_status::at_upper ? basis_status::at_lower
                                         : w;
  }

  /// `bland`: uses Bland's rule, the last resort, from the start.
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

  /// Sets the tolerance. Returns true if the current basis is optimal within it.
  bool holds(double tolerance) {
    t.tolerance = tolerance;
    return t.primal_feasible() && t.dual_feasible();
  }

  /// Removes shifts and perturbations, and recomputes x and d for the current basis.
  void restore() {
    t.repairs = 0;
    restore_limits();
    t.cost.copy(t.true_cost);
    t.costs_moved = false;
    t.freshen();
  }

 private:
  static constexpr int phases = 10, most_phases = 20;
  bool warm_ = false;  ///< started from the basis of another problem

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

  /// For a warm start from a basis that is neither primal nor dual feasible: its reduced costs are no guide to a
  /// feasible x, but the basis also shows where x was. So each nonbasic column gets a small extra cost for leaving its
  /// bound, which replaces a reduced cost of the wrong sign: the dual simplex then looks for an x near the old one, in
  /// the sum of distances, and few columns become basic that must return to their bounds. The extra cost is a tenth of
  /// a typical scaled cost: next to significant reduced costs it decides nothing, where most are zero, everything.
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
