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
    eta_.reserve(most_etas, entries);
    eta_row_.reserve(most_etas);
    eta_pivot_.reserve(most_etas);
  }
  void compute(const matrix& a, array<int>& head, double threshold) {
    good_ = true;
    factor_.compute(a, head, threshold);
    eta_.clear();
    eta_row_.clear();
    eta_pivot_.clear();
  }
  const array<int>& dropped() const { return factor_.dropped(); }
  int updates() const { return eta_row_.size(); }
  /// The basis is another one now.
  void forget() { good_ = false; }
  /// So few changes, and by pivots so large, that one step of refinement makes up for what a new factorisation would
  /// give.
  bool good() const { return good_; }
  /// Whether going on with etas costs more than a new factorisation.
  bool worn() const { return eta_row_.size() >= most_etas || eta_.entries() > 3 * factor_.entries() + 1000; }

  /// w becomes B^-1 w; rows are named by their basic variable's place in head.
  void ftran(work_vector& w, double noise = 1e-14) const {
    factor_.ftran(w.value);
    for (int k = 0; k < eta_row_.size(); ++k) {
      const double x = w.value[eta_row_[k]];
      if (x == 0) continue;
      const double through = x / eta_pivot_[k];
      w.value[eta_row_[k]] = through;
      eta_.subtract(k, through, w.value);
    }
    w.pack(noise);
  }
  /// w' becomes w' B^-1.
  void btran(work_vector& w, double noise = 1e-14) const {
    for (int k = eta_row_.size() - 1; k >= 0; --k)
      w.value[eta_row_[k]] = eta_.rest_of(w.value[eta_row_[k]], k, w.value) / eta_pivot_[k];
    factor_.btran(w.value);
    w.pack(noise);
  }
  /// The basic column of `row` is exchanged for the one that ftran made `column` of.
  void update(int row, const work_vector& column) {
    eta_row_.push(row);
    eta_pivot_.push(column.value[row]);
    good_ = good_ && updates() <= 40;
    for (const int i : column.index)
      if (i != row) {
        eta_.push(i, column.value[i]);
        good_ = good_ && std::abs(column.value[i]) < 1e6 * std::abs(column.value[row]);
      }
    eta_.end_line();
  }

 private:
  static constexpr int most_etas = 64;
  factor factor_{};
  bool good_ = false;
  packed eta_{};  ///< each eta's column but for its pivot
  array<int> eta_row_{};
  array<double> eta_pivot_{};
};

}  // namespace plumbline::lp::detail
