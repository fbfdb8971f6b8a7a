#pragma once
/// primal simplex: from a primal feasible basis to an optimal one, or to a ray along which the objective improves
/// without end. Pricing is by steepest edge (Goldfarb and Reid, "A practicable steepest-edge simplex algorithm", 1977)
/// from the slack basis, where the edge lengths are known from the start; from any other basis it is by Devex (Harris,
/// "Pivot selection methods of the Devex LP code", 1973), whose weights need no products with the columns.

#include <plumbline/lp/phase.hpp>
#include <plumbline/lp/primal_ratio.hpp>

namespace plumbline::lp::detail {

class primal_simplex {
 public:
  array<double> ray{};  ///< when unbounded: direction of every column

  void resize(const tableau& t) {
    row_of_inverse_.resize(t.m);
    column_.resize(t.m);
    edge_.reserve(t.m);
    row_.resize(t.all);
    weight_.assign(t.all, 1.0);
    phase_.start(t);
    ray.assign(t.all, 0.0);
  }

  outcome run(tableau& t, bool bland) {
    weigh(t);
    phase_.start(t);
    while (true) {
      if (t.base.needs_refactor()) {
        t.refresh();
        if (!t.primal_feasible()) return outcome::done;
      }
      const int q = choose_column(t, bland);
      if (q < 0) {
        if (t.fresh) return phase_.end();
        if (!fresh_start(t, phase_.bans())) return outcome::done;
        continue;
      }
      if (t.iterations >= t.iteration_limit) return outcome::limit;
      if (t.repairs > most_repairs) return outcome::trouble;
      column_.clear();
      t.a.add(column_.value, q, 1);
      t.base.ftran(column_);
      double d = t.cost[q];
      for (const int i : column_.index) d -= t.cost[t.head[i]] * column_.value[i];
      if (t.base.updates() > 0 && std::abs(d - t.d[q]) > 1e-6 * (1 + std::abs(d))) {
        if (!fresh_start(t)) return outcome::done;
        continue;
      }
      t.d[q] = d;
      if (t.wrong(q) == 0) continue;
      const double direction = d < 0 ? 1 : -1;
      const double least = phase::smallest_pivot(t);
      const primal_stop stop = primal_ratio(t, column_, direction, t.upper[q] - t.lower[q], least, bland);
      if (stop.row < 0 && stop.step == infinity) {
        if (t.base.updates() > 0) {
          if (!fresh_start(t)) return outcome::done;
          continue;
        }
        ray.assign(t.all, 0.0);
        ray[q] = direction;
        for (const int i : column_.index) ray[t.head[i]] = -direction * column_.value[i];
        return outcome::unbounded;
      }
      if (stop.row >= 0 && std::abs(column_.value[stop.row]) < 1e-5 && t.base.updates() > 0) {
        if (!fresh_start(t)) return outcome::done;
        continue;
      }
      for (const int i : column_.index) t.x[t.head[i]] -= direction * stop.step * column_.value[i];
      if (stop.row < 0) {  // bound flip: to its own opposite bound
        t.at[q] = direction > 0 ? basis_status::at_upper : basis_status::at_lower;
        t.settle(q);
        ++t.iterations;
        continue;
      }
      if (!exchange(t, q, direction, stop)) {
        if (!phase_.ban(q)) return outcome::trouble;
        continue;
      }
      if (phase_.stuck(t, stop.step) && !bland) perturb(t);
    }
  }

 private:
  /// Recomputes x and d. Returns false if x then is infeasible, so that the next phase begins with the dual simplex.
  bool fresh_start(tableau& t, bool factor = true) {
    factor ? t.refresh() : t.freshen();
    phase_.lift_bans();
    return t.primal_feasible();
  }

  /// Initialises the weights: 1 + |B^-1 a|^2 for steepest edge. If that would need solves, Devex: the current nonbasic
  /// columns are the reference framework, and all weights are 1.
  void weigh(const tableau& t) {
    weight_.assign(t.all, 1.0);
    exact_ = t.own();
    if (!exact_) return;
    for (int j = 0; j < t.n; ++j)
      for (int k = t.a.column_begin[j]; k < t.a.column_begin[j + 1]; ++k)
        weight_[j] += t.a.column_value[k] * t.a.column_value[k];
  }

  int choose_column(const tableau& t, bool bland) const {
    int q = -1;
    double best = 0;
    for (const int j : t.nonbasic) {
      const double wrong = t.wrong(j);
      if (wrong == 0 || phase_.banned(j)) continue;
      if (bland)
        q = q < 0 ? j : std::min(j, q);
      else if (const double merit = wrong * wrong / weight_[j]; merit > best) {
        best = merit;
        q = j;
      }
    }
    return q;
  }

  /// Returns false if the two computations of the pivot disagree.
  bool exchange(tableau& t, int q, double direction, const primal_stop& stop) {
    const int r = stop.row, leaving = t.head[r];
    const double pivot = column_.value[r];
    row_of_inverse_.clear();
    row_of_inverse_.value[r] = 1;
    double own = weight_[q];
    if (exact_) {
      own = 1;
      for (const int i : column_.index) own += column_.value[i] * column_.value[i];
      edge_.copy(column_.value);
      t.base.btran(row_of_inverse_, edge_);
    } else {
      t.base.btran(row_of_inverse_);
    }
    t.price(row_of_inverse_, row_);
    if (!(std::abs(row_.value[q] - pivot) <= 1e-6 * (1 + std::abs(pivot)))) {
      for (const int i : column_.index) t.x[t.head[i]] += direction * stop.step * column_.value[i];
      return false;
    }
    t.x[q] += direction * stop.step;
    const double step = t.d[q] / pivot;
    for (const int j : row_.index) {
      t.d[j] -= step * row_.value[j];
      if (t.fixed(j)) continue;
      const double k = row_.value[j] / pivot;
      weight_[j] = exact_ ? std::max(1 + k * k, weight_[j] + k * (k * own - 2 * t.a.dot(edge_, j)))
                          : std::max(weight_[j], k * k * own);
    }
    t.d[q] = 0;
    t.d[leaving] = -step;
    weight_[leaving] = std::max(own / (pivot * pivot), 1.0);
    t.exchange(r, q, stop.at_upper ? basis_status::at_upper : basis_status::at_lower, column_);
    double& limit = stop.at_upper ? t.upper[leaving] : t.lower[leaving];
    if (stop.step == 0 && t.x[leaving] != limit) {  // it was beyond its bound, within tolerance: it stays there for now
      if (t.fixed(leaving)) t.lower[leaving] = t.upper[leaving] = t.x[leaving];
      limit = t.x[leaving];
      t.limits_moved = true;
    } else {
      t.x[leaving] = limit;
    }
    return true;
  }

  /// Against stalling, when many basic columns are at their bounds: relaxes the bounds of basic columns at random.
  static void perturb(tableau& t) {
    for (int i = 0; i < t.m; ++i) {
      const int j = t.head[i];
      if (t.lower[j] != -infinity) t.lower[j] -= (0.5 + t.random()) * t.strength * (1 + std::abs(t.lower[j]));
      if (t.upper[j] != infinity) t.upper[j] += (0.5 + t.random()) * t.strength * (1 + std::abs(t.upper[j]));
    }
    t.limits_moved = true;
  }

  work_vector row_of_inverse_{}, column_{}, row_{};
  array<double> edge_{};
  array<double> weight_{};
  bool exact_ = true;  ///< weights of steepest edge, else of Devex
  phase phase_{};
};

}  // namespace plumbline::lp::detail
