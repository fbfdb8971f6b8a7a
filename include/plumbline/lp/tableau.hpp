#pragma once
/// tableau: the state of the simplex method. Columns j < n are the problem's variables. Column n + i is the logical
/// (slack) variable of row i, minus the row's sum, so that A x + s = 0. Basic values follow from the nonbasic ones.

#include <plumbline/lp/basis_matrix.hpp>
#include <plumbline/lp/solution.hpp>

#include <cstdint>

namespace plumbline::lp::detail {

/// Random numbers for perturbations; the same in every run.
struct dice {
  std::uint64_t state = 0x9E3779B97F4A7C15U;
  double operator()() {  // in [0, 1)
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return static_cast<double>(state >> 11U) * 0x1.0p-53;
  }
};

struct tableau {
  matrix a{};
  int m = 0, n = 0, all = 0;                              ///< all = n + m columns
  array<double> lower{}, upper{}, cost{};                 ///< of the current phase
  array<double> true_lower{}, true_upper{}, true_cost{};  ///< of the problem
  array<double> x{}, d{};                                 ///< values and reduced costs
  array<basis_status> at{};
  array<int> head{};      ///< the basic column of each row
  array<int> nonbasic{};  ///< the columns that are not basic, in any order
  basis_matrix base{};
  work_vector work{};                        ///< for one solve at a time
  double tolerance = 1e-9, threshold = 0.1;  ///< of feasibility; for pivots
  double strength = 1e-6;                    ///< of perturbations of costs and bounds
  long iterations = 0, iteration_limit = 0;
  bool costs_moved = false, limits_moved = false;
  dice random{};
  bool fresh = false;    ///< x and d were recomputed, and no iteration has updated them since
  bool careful = false;  ///< x and d are always refined after recomputing them
  int repairs = 0;       ///< of singular bases

  bool fixed(int j) const { return lower[j] == upper[j]; }
  double slack(double limit) const { return tolerance * (1 + std::abs(limit)); }
  /// Primal infeasibility of x[j]: negative below its bounds, positive above, 0 within tolerance.
  double miss(int j) const {
    if (x[j] < lower[j] - slack(lower[j])) return x[j] - lower[j];
    if (x[j] > upper[j] + slack(upper[j])) return x[j] - upper[j];
    return 0;
  }
  /// Dual infeasibility of column j: the size of d[j] if its sign is wrong for the status of j, else 0.
  double wrong(int j) const {
    if (at[j] == basis_status::basic || fixed(j)) return 0;
    if (at[j] == basis_status::at_lower) return d[j] < -tolerance ? -d[j] : 0;
    if (at[j] == basis_status::at_upper) return d[j] > tolerance ? d[j] : 0;
    return std::abs(d[j]) > tolerance ? std::abs(d[j]) : 0;
  }
  /// True if the basis is the slack basis, that of the logical columns.
  bool own() const {
    return std::all_of(head.begin(), head.end(), [&](int j) { return j >= n; });
  }
  bool primal_feasible() const {
    for (int i = 0; i < m; ++i)
      if (!(miss(head[i]) == 0)) return false;
    return true;
  }
  bool dual_feasible() const {
    for (int j = 0; j < all; ++j)
      if (!(wrong(j) == 0)) return false;
    return true;
  }

  void resize() {
    m = a.rows;
    n = a.columns;
    all = m + n;
    for (auto* numbers : {&lower, &upper, &cost, &true_lower, &true_upper, &true_cost, &x, &d})
      numbers->assign(all, 0.0);
    at.assign(all, basis_status::at_lower);
    head.resize(m);
    nonbasic.resize(all);
    place_in_nonbasic_.resize(all);
    work.resize(m);
    base.reserve(a);
  }

  /// Puts a nonbasic column at a bound: that of its status if finite, else the other one; a free column at 0.
  void settle(int j) {
    if (at[j] == basis_status::basic) return;
    const bool low = lower[j] != -infinity, high = upper[j] != infinity;
    if (at[j] == basis_status::at_upper ? high : low)
      at[j] = at[j] == basis_status::at_upper ? basis_status::at_upper : basis_status::at_lower;
    else
      at[j] = low ? basis_status::at_lower : high ? basis_status::at_upper : basis_status::between;
    x[j] = at[j] == basis_status::at_lower ? lower[j] : at[j] == basis_status::at_upper ? upper[j] : 0;
  }

  /// Refactors the basis matrix; linearly dependent columns leave the basis.
  void refactor() {
    base.compute(a, head, threshold);
    if (!base.dropped().empty()) ++repairs;
    for (const int j : base.dropped()) {
      at[j] = basis_status::at_lower;
      settle(j);
    }
    for (const int j : head) at[j] = basis_status::basic;
    nonbasic.clear();
    for (int j = 0; j < all; ++j) {
      place_in_nonbasic_[j] = nonbasic.size();
      if (at[j] != basis_status::basic) nonbasic.push(j);
    }
  }
  void compute_x() {
    work.clear();
    for (int j = 0; j < all; ++j)
      if (at[j] != basis_status::basic && x[j] != 0) a.add(work.value, j, -x[j]);
    base.ftran(work, 0);
    for (int i = 0; i < m; ++i) x[head[i]] = work.value[i];
    work.clear();
    if (careful || base.updates() > 0) refine_x();
  }
  void compute_d() {
    work.clear();
    for (int i = 0; i < m; ++i) work.value[i] = cost[head[i]];
    base.btran(work, 0);
    for (int j = 0; j < all; ++j) d[j] = at[j] == basis_status::basic ? 0 : cost[j] - a.dot(work.value, j);
    work.clear();
    if (careful || base.updates() > 0) refine_d();
  }
  /// One step of iterative refinement (Wilkinson 1963): solves for the residual of A x + s = 0.
  void refine_x() {
    for (int j = 0; j < all; ++j)
      if (x[j] != 0) a.add(work.value, j, -x[j]);
    base.ftran(work, 0);
    for (int i = 0; i < m; ++i) x[head[i]] += work.value[i];
    work.clear();
  }
  /// The same for the reduced costs of basic columns. The dual value of a row is cost - d of its logical column.
  void refine_d() {
    for (int i = 0; i < m; ++i) {
      const int j = head[i];
      double sum = cost[j];
      if (j < n)
        for (int k = a.column_begin[j]; k < a.column_begin[j + 1]; ++k)
          sum -= (cost[n + a.row_of[k]] - d[n + a.row_of[k]]) * a.column_value[k];
      work.value[i] = j < n ? sum : 0;
    }
    base.btran(work, 0);
    for (int i = 0; i < m; ++i) work.value[i] += cost[n + i] - d[n + i];
    work.pack(0);
    for (int j = 0; j < all; ++j) d[j] = at[j] == basis_status::basic ? 0 : cost[j] - a.dot(work.value, j);
    work.clear();
  }
  void refresh() {
    refactor();
    recompute();
  }
  /// True if x and d can be recomputed from the current factorisation: its updates cost small values next to large ones
  /// some digits, which refinement restores.
  bool base_holds() const { return base.good() && !careful; }
  void freshen() {
    if (!base_holds()) refactor();
    recompute();
  }
  void recompute() {
    compute_x();
    compute_d();
    fresh = true;
  }

  /// Computes row' A for the nonbasic columns, from the nonzeros of `row`.
  void price(const work_vector& row, work_vector& out) const {
    out.clear();
    if (row.density() < 0.2) {
      for (const int i : row.index) {
        const double r = row.value[i];
        for (int k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
          const int j = a.column_of[k];
          if (at[j] == basis_status::basic) continue;
          double& sum = out.value[j];
          if (sum == 0) out.index.push(j);
          sum += r * a.row_value[k];
          if (sum == 0) sum = 1e-300;  // so that it is not listed again
        }
        const int s = n + i;
        if (at[s] != basis_status::basic) {
          out.value[s] = r;
          out.index.push(s);
        }
      }
    } else {
      out.index.resize(nonbasic.size());
      int count = 0;
      for (const int j : nonbasic) {
        if (fixed(j)) continue;
        const double sum = a.dot(row.value, j);
        out.value[j] = sum;
        out.index[count] = j;
        count += sum != 0 ? 1 : 0;
      }
      out.index.resize(count);
    }
  }

  /// Column q enters the basis in row r, whose basic column leaves to `where`; `column` is B^-1 times column q.
  void exchange(int r, int q, basis_status where, const work_vector& column) {
    const int leaving = head[r], hole = place_in_nonbasic_[q];
    at[leaving] = where;
    at[q] = basis_status::basic;
    head[r] = q;
    nonbasic[hole] = leaving;
    place_in_nonbasic_[leaving] = hole;
    base.update(r, column);
    fresh = false;
    ++iterations;
  }

 private:
  array<int> place_in_nonbasic_{};
};

}  // namespace plumbline::lp::detail
