#pragma once
/// factor: the L U factorisation of the basis matrix. Singleton columns and rows are pivoted on first, as long as there
/// are any (most of a basis is triangular); the rest is eliminated with pivots of least Markowitz cost (row count -
/// 1)(column count - 1) among those not much smaller than the largest of their row. Markowitz 1957; Suhl and Suhl,
/// "Computing sparse LU factorizations for large-scale linear programming bases", 1990.

#include <plumbline/lp/matrix.hpp>
#include <plumbline/lp/nucleus.hpp>

namespace plumbline::lp::detail {

class factor {
 public:
  /// Reserves memory for a problem's bases; for a small problem enough for any basis, so that another basis of the same
  /// shape allocates nothing.
  void reserve(const matrix& a) {
    const int m = a.rows, dense = m <= 150 ? m * m : 0;
    for (auto* ints : {&order_, &pivot_row_, &row_time_, &row_count_, &column_count_, &lower_pivot_, &single_rows_,
                       &single_columns_})
      ints->reserve(m + 1);
    for (auto* starts : {&list_begin_, &next_}) starts->reserve(m + 2);
    for (auto* part : {&lower_, &upper_, &upper_rows_}) part->reserve(m, dense);
    upper_entries_.reserve(dense);
    list_.reserve(dense);
    columns_.reserve(m);
    diagonal_.reserve(m);
    dropped_.reserve(m);
    nucleus_.reserve(m, dense);
  }

  /// Factors the columns in `head` and sorts it so that head[i] is the column with its pivot in row i. Linearly
  /// dependent columns are replaced by the unit columns of the rows left over; dropped() returns them.
  void compute(const matrix& a, array<int>& head, double threshold) {
    start(a, head);
    singletons(a);
    factor_nucleus(a, threshold);
    for (int i = 0; i < m_; ++i) head[i] = a.columns + i;
    for (int k = 0; k < columns_.size(); ++k) {
      if (pivot_row_[k] >= 0)
        head[pivot_row_[k]] = columns_[k];
      else
        dropped_.push(columns_[k]);
    }
    upper_entries_.rename_columns(pivot_row_);
    upper_.sort(m_, upper_entries_.column, upper_entries_.row, upper_entries_.value);
    upper_rows_.sort(m_, upper_entries_.row, upper_entries_.column, upper_entries_.value);
  }
  const array<int>& dropped() const { return dropped_; }
  int entries() const { return lower_.entries() + upper_.entries() + m_; }

  /// Replaces w by B^-1 w, for one right-hand side or two at once (rhs_pair).
  template <class T> void ftran(array<T>& w) const {
    for (int k = 0; k < lower_pivot_.size(); ++k)
      if (const T x = w[lower_pivot_[k]]; x != T{}) lower_.subtract(k, x, w);
    for (int t = m_ - 1; t >= first_; --t) {  // the unit columns come first and change nothing
      const int i = order_[t];
      if (w[i] == T{}) continue;
      const T x = w[i] = w[i] / diagonal_[i];
      upper_.subtract(i, x, w);
    }
  }
  /// Replaces w' by w' B^-1.
  template <class T> void btran(array<T>& w) const {
    for (int t = 0; t < m_; ++t) {
      const int i = order_[t];
      if (w[i] == T{}) continue;
      const T x = w[i] = w[i] / diagonal_[i];
      upper_rows_.subtract(i, x, w);
    }
    for (int k = lower_pivot_.size() - 1; k >= 0; --k) w[lower_pivot_[k]] = lower_.rest_of(w[lower_pivot_[k]], k, w);
  }

 private:
  void start(const matrix& a, const array<int>& head) {
    m_ = a.rows;
    for (auto* list : {&order_, &columns_, &dropped_, &lower_pivot_, &single_rows_, &single_columns_}) list->clear();
    lower_.clear();
    upper_entries_.clear();
    row_time_.assign(m_, -1);
    diagonal_.assign(m_, 1.0);
    for (int i = 0; i < m_; ++i) {
      if (head[i] < a.columns) {
        columns_.push(head[i]);
      } else {
        row_time_[head[i] - a.columns] = order_.size();
        order_.push(head[i] - a.columns);
      }
    }
    first_ = order_.size();
    pivot_row_.assign(columns_.size(), -1);
    column_count_.assign(columns_.size(), 0);
    row_count_.assign(m_, 0);
    for (int k = 0; k < columns_.size(); ++k)
      for (int e = a.column_begin[columns_[k]]; e < a.column_begin[columns_[k] + 1]; ++e)
        if (row_time_[a.row_of[e]] < 0) {
          ++column_count_[k];
          ++row_count_[a.row_of[e]];
        }
    list_begin_.assign(m_ + 1, 0);  // list_: the columns with an entry in each row
    for (int i = 0; i < m_; ++i) list_begin_[i + 1] = list_begin_[i] + row_count_[i];
    list_.resize(list_begin_[m_]);
    next_.copy(list_begin_);
    for (int k = 0; k < columns_.size(); ++k)
      for (int e = a.column_begin[columns_[k]]; e < a.column_begin[columns_[k] + 1]; ++e)
        if (row_time_[a.row_of[e]] < 0) list_[next_[a.row_of[e]]++] = k;
  }

  void singletons(const matrix& a) {
    for (int k = 0; k < columns_.size(); ++k)
      if (column_count_[k] == 1) single_columns_.push(k);
    for (int i = 0; i < m_; ++i)
      if (row_time_[i] < 0 && row_count_[i] == 1) single_rows_.push(i);
    while (!single_columns_.empty() || !single_rows_.empty()) {
      if (!single_columns_.empty()) {
        const int k = single_columns_.pop();
        if (pivot_row_[k] < 0 && column_count_[k] == 1) take(a, k, -1);
      } else {
        const int i = single_rows_.pop();
        if (row_time_[i] >= 0 || row_count_[i] != 1) continue;
        for (int e = list_begin_[i]; e < list_begin_[i + 1]; ++e)
          if (pivot_row_[list_[e]] < 0) {
            take(a, list_[e], i);
            break;
          }
      }
    }
  }

  /// Pivots on column k in row `row` (-1: in the only row left to the column).
  void take(const matrix& a, int k, int row) {
    const int begin = a.column_begin[columns_[k]], end = a.column_begin[columns_[k] + 1];
    double pivot = 0;
    for (int e = begin; e < end; ++e) {
      const int i = a.row_of[e];
      if (row_time_[i] < 0 && (row < 0 || row == i)) {
        row = i;
        pivot = a.column_value[e];
      }
    }
    if (!(std::abs(pivot) > least_pivot)) return;  // practically empty
    row_time_[row] = order_.size();
    order_.push(row);
    pivot_row_[k] = row;
    diagonal_[row] = pivot;
    for (int e = begin; e < end; ++e) {
      const int i = a.row_of[e];
      if (i == row) continue;
      if (row_time_[i] >= 0) {
        upper_entries_.push(i, k, a.column_value[e]);
      } else {
        lower_.push(i, a.column_value[e] / pivot);
        if (--row_count_[i] == 1) single_rows_.push(i);
      }
    }
    end_lower(row);
    for (int e = list_begin_[row]; e < list_begin_[row + 1]; ++e)
      if (const int other = list_[e]; pivot_row_[other] < 0 && --column_count_[other] == 1) single_columns_.push(other);
  }

  /// Ends a column of L: the multipliers pushed since the last pivot belong to that of `row`.
  void end_lower(int row) {
    if (lower_.line_is_empty()) return;
    lower_pivot_.push(row);
    lower_.end_line();
  }

  /// Eliminates the part without singletons.
  void factor_nucleus(const matrix& a, double threshold) {
    nucleus_.clear(m_, columns_.size());
    for (int k = 0; k < columns_.size(); ++k) {
      if (pivot_row_[k] >= 0) continue;
      for (int e = a.column_begin[columns_[k]]; e < a.column_begin[columns_[k] + 1]; ++e) {
        const int i = a.row_of[e];
        if (row_time_[i] >= 0)
          upper_entries_.push(i, k, a.column_value[e]);
        else
          nucleus_.add(i, k, a.column_value[e]);
      }
    }
    nucleus_.eliminate(
        threshold,
        [&](int i, int k, double pivot) {
          row_time_[i] = order_.size();
          order_.push(i);
          pivot_row_[k] = i;
          diagonal_[i] = pivot;
        },
        [&](int i, int k, double value) { upper_entries_.push(i, k, value); },
        [&](int i, double multiplier) { lower_.push(i, multiplier); }, [&](int i) { end_lower(i); });
    for (int i = 0; i < m_; ++i)
      if (row_time_[i] < 0) order_.push(i);  // a row left over gets its unit column
  }

  int m_ = 0, first_ = 0;
  array<int> order_{};     ///< rows in the order of their pivots
  array<int> row_time_{};  ///< index in order_; -1: not yet there
  array<int> columns_{}, pivot_row_{}, dropped_{};
  array<int> row_count_{}, column_count_{}, list_begin_{}, list_{}, single_rows_{}, single_columns_{}, next_{};
  array<double> diagonal_{};
  array<int> lower_pivot_{};       ///< the pivot row of each column of L
  packed lower_{};                 ///< L without its unit diagonal, by columns
  triples upper_entries_{};        ///< U as found, without the diagonal
  packed upper_{}, upper_rows_{};  ///< the same by columns and by rows; a column has the index of its pivot's row
  nucleus nucleus_{};
};

}  // namespace plumbline::lp::detail
