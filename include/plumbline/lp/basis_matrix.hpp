#pragma once
/// basis_matrix: the basis matrix as an L U factorisation and, for each column exchanged since then, one elementary
/// ("eta") matrix. Product form of the inverse: Dantzig and Orchard-Hays 1954; Chvatal, "Linear Programming",
/// chapter 7.

#include <plumbline/lp/factor.hpp>
#include <plumbline/lp/rhs_pair.hpp>

namespace plumbline::lp::detail {

class basis_matrix {
 public:
  void reserve(const matrix& a) {
    factor_.reserve(a);
    const int entries = a.rows <= 150 ? most_etas * a.rows : 0;
    eta_.reserve(most_etas, entries);
    eta_row_.reserve(most_etas);
    eta_pivot_.reserve(most_etas);
    both_.reserve(a.rows);
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
  /// Called when the basis was replaced by another one.
  void forget() { good_ = false; }
  /// True if the updates are so few, and their pivots so large, that one step of refinement is as good as a
  /// refactorisation.
  bool good() const { return good_; }
  /// True if continuing with etas costs more than a refactorisation.
  bool needs_refactor() const { return eta_row_.size() >= most_etas || eta_.entries() > 3 * factor_.entries() + 1000; }

  /// Replaces w by B^-1 w; the result is indexed by position in head.
  void ftran(work_vector& w, double noise = 1e-14) const {
    forward(w.value);
    w.pack(noise);
  }
  /// Replaces w' by w' B^-1.
  void btran(work_vector& w, double noise = 1e-14) const {
    backward(w.value);
    w.pack(noise);
  }
  /// Two at once; the nonzeros of the second are not listed.
  void ftran(work_vector& v, array<double>& w) {
    join(v.value, w);
    forward(both_);
    part(v, w);
  }
  void btran(work_vector& v, array<double>& w) {
    join(v.value, w);
    backward(both_);
    part(v, w);
  }
  /// Replaces the basic column of `row` by the one from which ftran computed `column`.
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
  template <class T> void forward(array<T>& w) const {
    factor_.ftran(w);
    for (int k = 0; k < eta_row_.size(); ++k) {
      T& x = w[eta_row_[k]];
      if (x == T{}) continue;
      x = x / eta_pivot_[k];
      eta_.subtract(k, T(x), w);
    }
  }
  template <class T> void backward(array<T>& w) const {
    for (int k = eta_row_.size() - 1; k >= 0; --k) w[eta_row_[k]] = eta_.rest_of(w[eta_row_[k]], k, w) / eta_pivot_[k];
    factor_.btran(w);
  }
  void join(const array<double>& v, const array<double>& w) {
    both_.resize(v.size());
    for (int i = 0; i < both_.size(); ++i) both_[i] = {v[i], w[i]};
  }
  void part(work_vector& v, array<double>& w) const {
    for (int i = 0; i < both_.size(); ++i) {
      v.value[i] = both_[i].a;
      w[i] = both_[i].b;
    }
    v.pack();
  }

  static constexpr int most_etas = 64;
  factor factor_{};
  bool good_ = false;
  packed eta_{};  ///< each eta's column without its pivot
  array<int> eta_row_{};
  array<double> eta_pivot_{};
  array<rhs_pair> both_{};
};

}  // namespace plumbline::lp::detail
