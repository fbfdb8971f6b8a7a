#pragma once
/// tableau: where the simplex method stands. Columns j < n are the problem's variables, column n + i is minus the sum
/// of row i, so that all of them together satisfy A x + s = 0. What is basic follows from what is not.

#include <plumbline/lp/basis_matrix.hpp>
#include <plumbline/lp/solution.hpp>

#include <cstdint>

namespace plumbline::lp::detail {

/// Random numbers for ties; the same in every run.
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
  array<double> lower{}, upper{}, cost{};                 ///< as the current phase sees them
  array<double> true_lower{}, true_upper{}, true_cost{};  ///< as the problem has them
  array<double> x{}, d{};                                 ///< values and reduced costs
  array<basis_status> at{};
  array<int> head{};      ///< the basic column of each row
  array<int> nonbasic{};  ///< the columns that are not basic, in any order
  basis_matrix base{};
  work_vector work{};                        ///< for one solve at a time
  double tolerance = 1e-9, threshold = 0.1;  ///< of feasibility; of pivots
  double strength = 1e-6;                    ///< of random moves of costs and limits
  long iterations = 0, iteration_limit = 0;
  bool costs_moved = false, limits_moved = false;
  dice random{};
  bool fresh = false;    ///< x and d are computed, no step has updated them
  bool careful = false;  ///< everything that is computed anew is refined
  int repairs = 0;       ///< of bases that turned out singular

  bool fixed(int j) const { return lower[j] == upper[j]; }
  double slack(double limit) const { return tolerance * (1 + std::abs(limit)); }
  /// By how much x[j] misses its limits: negative below, positive above, 0 within tolerance.
  double miss(int j) const {
    if (x[j] < lower[j] - slack(lower[j])) return x[j] - lower[j];
    if (x[j] > upper[j] + slack(upper[j])) return x[j] - upper[j];
    return 0;
  }
  /// By how much d[j] has the wrong sign for where a nonbasic j stands.
  double wrong(int j) const {
    if (at[j] == basis_status::basic || fixed(j)) return 0;
    if (at[j] == basis_status::at_lower) return d[j] < -tolerance ? -d[j] : 0;
    if (at[j] == basis_status::at_upper) return d[j] > tolerance ? d[j] : 0;
    return std::abs(d[j]) > tolerance ? std::abs(d[j]) : 0;
  }
  /// Whether the basis is the rows' own columns.
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

  /// Puts a nonbasic column where it can stand, as near as possible to where it is said to be.
  void settle(int j) {
    if (at[j] == basis_status::basic) return;
    const bool low = lower[j] != -infinity, high = upper[j] != infinity;
    if (at[j] == basis_status::at_upper ? high : low)
      at[j] = at[j] == basis_status::at_upper ? basis_status::at_upper : basis_status::at_lower;
    else
      at[j] = low ? basis_status::at_lower : high ? basis_status::at_upper : basis_status::between;
    x[j] = at[j] == basis_status::at_lower ? lower[j] : at[j] == basis_status::at_upper ? upper[j] : 0;
  }

  /// Factors the basis; columns that depend on others leave it.
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
  /// One step of iterative refinement (Wilkinson 1963): by what A x + s misses zero, relative to the terms of each sum,
  /// is solved for again.
  void refine_x() {
    for (int j = 0; j < all; ++j)
      if (x[j] != 0) a.add(work.value, j, -x[j]);
    base.ftran(work, 0);
    for (int i = 0; i < m; ++i) x[head[i]] += work.value[i];
    work.clear();
  }
  /// The same for the basic columns' reduced costs. The rows' prices are minus the reduced costs of their own columns.
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
  /// Whether new numbers can be had from the factorisation that there is: through its changes small numbers beside
  /// large ones lose digits, which refinement gives back.
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

  /// row' A for the nonbasic columns, over the rows where `row` is not zero.
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
          if (sum == 0) sum = 1e-300;  // listed already
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

  /// Column q enters the basis in row r, whose column goes to stand at `where`; `column` is B^-1 of q's.
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
