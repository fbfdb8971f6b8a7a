#pragma once
/// dual simplex: from a dual feasible basis to a primal feasible one, or to a proof that there is none. The leaving row
/// is that of steepest dual edge (Forrest and Goldfarb, "Steepest-edge simplex algorithms for linear programming",
/// 1992). Where a reduced cost has the wrong sign, its cost is shifted; the primal simplex corrects that afterwards.

#include <plumbline/lp/dual_ratio.hpp>
#include <plumbline/lp/phase.hpp>

namespace plumbline::lp::detail {

class dual_simplex {
 public:
  array<double> proof{};  ///< when infeasible: multipliers of the rows

  void resize(const tableau& t) {
    for (auto* vector : {&row_of_inverse_, &column_, &flipped_}) vector->resize(t.m);
    edge_.reserve(t.m);
    row_.resize(t.all);
    unweighed_.reserve(t.m);
    weight_.assign(t.all, 1.0);
    phase_.start(t);
    proof.assign(t.m, 0.0);
    ratio_.reserve(t.all);
  }

  outcome run(tableau& t, bool bland) {
    own_ = t.own();
    weight_.assign(t.all, own_ ? 1 : unknown);
    phase_.start(t);
    make_feasible(t);
    while (true) {
      if (t.base.needs_refactor()) {
        t.refresh();
        make_feasible(t);
      }
      const int r = choose_row(t, bland);
      if (r < 0) {
        if (t.fresh) return phase_.end();
        if (phase_.bans() || !t.base_holds()) t.refactor();
        phase_.lift_bans();
        t.compute_x();
        if (t.primal_feasible()) return outcome::done;  // the costs change next, so reduced costs are not needed yet
        t.compute_d();
        t.fresh = true;
        make_feasible(t);
        continue;
      }
      if (t.iterations >= t.iteration_limit) return outcome::limit;
      if (t.repairs > most_repairs) return outcome::trouble;
      const int leaving = t.head[r];
      const double missing = t.miss(leaving), sign = missing > 0 ? 1 : -1;
      if (r != kept_) {
        take(row_of_inverse_, r);
        t.base.btran(row_of_inverse_);
      }
      t.price(row_of_inverse_, row_);
      const double least = phase::smallest_pivot(t);
      const int q = ratio_.choose(t, row_, sign, std::abs(missing), least, bland);
      if (q < 0) {
        if (t.base.updates() > 0) {
          fresh_start(t);
          continue;
        }
        for (int i = 0; i < t.m; ++i) proof[i] = sign * row_of_inverse_.value[i];
        return outcome::infeasible;
      }
      column_.clear();
      t.a.add(column_.value, q, 1);
      edge_.copy(row_of_inverse_.value);
      t.base.ftran(column_, edge_);
      const double pivot = column_.value[r];
      if (!(std::abs(pivot - row_.value[q]) <= 1e-7 * (1 + std::abs(pivot))) || !(std::abs(pivot) > 0.1 * least)) {
        if (t.base.updates() > 0)
          fresh_start(t);
        else if (!phase_.ban(leaving))
          return outcome::trouble;
        continue;
      }
      const double step = dual_step(t, q, pivot);
      flip(t);
      move(t, r, q, missing > 0 ? t.upper[leaving] : t.lower[leaving]);
      update_weights(t, r, q);
      t.exchange(r, q, missing > 0 ? basis_status::at_upper : basis_status::at_lower, column_);
      t.settle(leaving);
      if (phase_.stuck(t, step) && !bland) perturb(t);
    }
  }

 private:
  static constexpr double least_weight = 1e-4, unknown = 0;

  void fresh_start(tableau& t) {
    t.refresh();
    make_feasible(t);
    phase_.lift_bans();
  }

  /// Makes the basis dual feasible: by shifting costs or, after a start from the slack basis, where x is far from
  /// feasible anyway, by moving boxed columns to their opposite bounds.
  void make_feasible(tableau& t) const {
    bool moved = false;
    for (int j = 0; j < t.all; ++j) {
      if (t.wrong(j) == 0) continue;
      if (own_ && t.lower[j] != -infinity && t.upper[j] != infinity) {
        t.at[j] = t.at[j] == basis_status::at_lower ? basis_status::at_upper : basis_status::at_lower;
        t.settle(j);
        moved = true;
      } else {
        t.cost[j] -= t.d[j];
        t.d[j] = 0;
        t.costs_moved = true;
      }
    }
    if (moved) t.compute_x();
  }

  /// Chooses the leaving row. After a start from another basis than the slack basis, a row's weight is computed when
  /// the row first becomes infeasible.
  int choose_row(tableau& t, bool bland) {
    unweighed_.clear();
    int r = -1;
    double best = 0;
    const auto consider = [&](int i, double missing) {
      if (const double merit = missing * missing / weight_[t.head[i]]; merit > best) {
        best = merit;
        r = i;
      }
    };
    for (int i = 0; i < t.m; ++i) {
      const double missing = t.miss(t.head[i]);
      if (missing == 0 || phase_.banned(t.head[i])) continue;
      if (bland)
        r = r < 0 || t.head[i] < t.head[r] ? i : r;
      else if (weight_[t.head[i]] == unknown)
        unweighed_.push(i);
      else
        consider(i, missing);
    }
    weigh(t);
    for (const int i : unweighed_) consider(i, t.miss(t.head[i]));
    return r;
  }
  /// Computes the weights of the `unweighed_` rows from their rows of the inverse, two at once. The last one is kept,
  /// as it is often that of the leaving row.
  void weigh(tableau& t) {
    const auto set = [&](int i, const array<double>& row) { weight_[t.head[i]] = std::max(square(row), least_weight); };
    kept_ = -1;
    const int n = unweighed_.size();
    for (int k = 0; k + 1 < n; k += 2) {
      edge_.assign(t.m, 0.0);
      edge_[unweighed_[k]] = 1;
      take(row_of_inverse_, unweighed_[k + 1]);
      t.base.btran(row_of_inverse_, edge_);
      set(unweighed_[k], edge_);
      set(unweighed_[k + 1], row_of_inverse_.value);
    }
    if (n % 2 == 1) {
      take(row_of_inverse_, unweighed_[n - 1]);
      t.base.btran(row_of_inverse_);
      set(unweighed_[n - 1], row_of_inverse_.value);
    }
    if (n > 0) kept_ = unweighed_[n - 1];
  }
  static void take(work_vector& v, int i) {
    v.clear();
    v.value[i] = 1;
  }
  static double square(const array<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x * x;
    return sum;
  }

  /// The step along the dual ray until the reduced cost of q is zero.
  double dual_step(tableau& t, int q, double pivot) {
    if (t.at[q] != basis_status::between && (t.at[q] == basis_status::at_lower ? t.d[q] < 0 : t.d[q] > 0)) {
      t.cost[q] -= t.d[q];  // within tolerance, but the step would be backwards
      t.d[q] = 0;
      t.costs_moved = true;
    }
    const double step = t.d[q] / pivot;
    return step_ = step;
  }

  /// Bound flipping: moves the columns passed by the ratio test to their opposite bounds.
  void flip(tableau& t) {
    if (ratio_.flips.empty()) return;
    flipped_.clear();
    for (const int j : ratio_.flips) {
      const double before = t.x[j];
      t.at[j] = t.at[j] == basis_status::at_lower ? basis_status::at_upper : basis_status::at_lower;
      t.settle(j);
      t.a.add(flipped_.value, j, t.x[j] - before);
    }
    t.base.ftran(flipped_);
    for (const int i : flipped_.index) t.x[t.head[i]] -= flipped_.value[i];
  }

  void move(tableau& t, int r, int q, double limit) {
    const int leaving = t.head[r];
    const double by = (t.x[leaving] - limit) / column_.value[r];
    for (const int i : column_.index) t.x[t.head[i]] -= by * column_.value[i];
    t.x[q] += by;
    if (step_ != 0)
      for (const int j : row_.index) t.d[j] -= step_ * row_.value[j];
    t.d[q] = 0;
    t.d[leaving] = -step_;
  }

  void update_weights(const tableau& t, int r, int q) {
    const double own = square(row_of_inverse_.value), pivot = column_.value[r];
    weight_[q] = std::max(own / (pivot * pivot), least_weight);
    for (const int i : column_.index) {
      double& w = weight_[t.head[i]];
      if (i == r || w == unknown) continue;
      const double k = column_.value[i] / pivot;
      w = std::max(w + k * (k * own - 2 * edge_[i]), least_weight);
    }
  }

  /// Against stalling, when many reduced costs are zero: perturbs the costs at random, in the direction that keeps the
  /// signs (Koberstein, chapter 6.3).
  static void perturb(tableau& t) {
    for (int j = 0; j < t.all; ++j) {
      if (t.at[j] == basis_status::basic || t.fixed(j) || t.at[j] == basis_status::between) continue;
      const double by =
          (0.5 + t.random()) * t.strength * (1 + std::abs(t.cost[j])) * (t.at[j] == basis_status::at_lower ? 1 : -1);
      t.cost[j] += by;
      t.d[j] += by;
    }
    t.costs_moved = true;
  }

  work_vector row_of_inverse_{}, column_{}, flipped_{}, row_{};
  array<double> edge_{};
  array<double> weight_{};  ///< dual steepest edge weights of rows, by basic column, as a refactorisation permutes rows
  array<int> unweighed_{};  ///< rows without a weight so far
  int kept_ = -1;           ///< the row whose row of the inverse is in row_of_inverse_; -1: none
  phase phase_{};
  bool own_ = true;  ///< started from the slack basis
  double step_ = 0;
  dual_ratio ratio_{};
};

}  // namespace plumbline::lp::detail
