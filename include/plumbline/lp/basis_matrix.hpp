#pragma once
/// The basis matrix through its changes: an L U factorisation, and for each column exchanged since then one elementary
/// ("eta") matrix. Product form of the inverse: Dantzig and Orchard-Hays 1954; Chvatal, "Linear Programming",
/// chapter 7.

#include <plumbline/lp/factor.hpp>

namespace plumbline::lp::detail {

class basis_matrix {
 public:
  void reserve(const matrix& a) {
    factor_.reserve(a);
    const int entries = a.rows <= 150 ? most_etas * a.rows : 0;
    eta_begin_.reserve(most_etas + 1);
    eta_row_.reserve(most_etas);
    eta_pivot_.reserve(most_etas);
    eta_index_.reserve(entries);
    eta_value_.reserve(entries);
  }
  void compute(const matrix& a, array<int>& head, double threshold) {
    factor_.compute(a, head, threshold);
    eta_begin_.clear();
    eta_begin_.push(0);
    eta_row_.clear();
    eta_pivot_.clear();
    eta_index_.clear();
    eta_value_.clear();
  }
  const array<int>& dropped() const { return factor_.dropped(); }
  int updates() const { return eta_row_.size(); }
  /// Whether going on with etas costs more than a new factorisation.
  bool worn() const { return eta_row_.size() >= most_etas || eta_index_.size() > 3 * factor_.entries() + 1000; }

  /// w becomes B^-1 w; rows are named by their basic variable's place in head.
  void ftran(work_vector& w, double noise = 1e-14) const {
    factor_.ftran(w.value);
    for (int k = 0; k < eta_row_.size(); ++k) {
      const double x = w.value[eta_row_[k]];
      if (x == 0) continue;
      const double through = x / eta_pivot_[k];
      w.value[eta_row_[k]] = through;
      for (int e = eta_begin_[k]; e < eta_begin_[k + 1]; ++e) w.value[eta_index_[e]] -= eta_value_[e] * through;
    }
    w.pack(noise);
  }
  /// w' becomes w' B^-1.
  void btran(work_vector& w, double noise = 1e-14) const {
    for (int k = eta_row_.size() - 1; k >= 0; --k) {
      double y = w.value[eta_row_[k]];
      for (int e = eta_begin_[k]; e < eta_begin_[k + 1]; ++e) y -= eta_value_[e] * w.value[eta_index_[e]];
      w.value[eta_row_[k]] = y / eta_pivot_[k];
    }
    factor_.btran(w.value);
    w.pack(noise);
  }
  /// The basic column of `row` is exchanged for the one that ftran made `column` of.
  void update(int row, const work_vector& column) {
    eta_row_.push(row);
    eta_pivot_.push(column.value[row]);
    for (const int i : column.index)
      if (i != row) {
        eta_index_.push(i);
        eta_value_.push(column.value[i]);
      }
    eta_begin_.push(eta_index_.size());
  }

 private:
  static constexpr int most_etas = 64;
  factor factor_{};
  array<int> eta_begin_{}, eta_row_{}, eta_index_{};
  array<double> eta_pivot_{}, eta_value_{};
};

}  // namespace plumbline::lp::detail
