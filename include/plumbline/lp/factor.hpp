#pragma once
/// factor: the basis matrix as L U. Columns and rows with a single entry are taken first, as long as there are any
/// (most of a basis is triangular); what is left is eliminated with pivots of least Markowitz cost (row count -
/// 1)(column count - 1) among those not much smaller than the largest of their row. Markowitz 1957; Suhl and Suhl,
/// "Computing sparse LU factorizations for large-scale linear programming bases", 1990.

#include <plumbline/lp/matrix.hpp>
#include <plumbline/lp/nucleus.hpp>

namespace plumbline::lp::detail {

class factor {
 public:
  /// Memory for a problem's bases: of small ones for any basis at all, so that another basis of the shape allocates
  /// nothing.
  void reserve(const matrix& a) {
    const int m = a.rows, dense = m <= 150 ? m * m : 0;
    for (auto* ints :
         {&order_, &pivot_row_, &row_time_, &row_count_, &column_count_, &l_pivot_, &single_rows_, &single_columns_})
      ints->reserve(m + 1);
    for (auto* starts : {&l_begin_, &u_begin_, &ut_begin_, &list_begin_, &next_}) starts->reserve(m + 2);
    for (auto* ints : {&l_row_, &u_row_, &ut_row_, &list_, &triple_row_, &triple_column_}) ints->reserve(dense);
    for (auto* numbers : {&l_value_, &u_value_, &ut_value_, &triple_value_}) numbers->reserve(dense);
    columns_.reserve(m);
    diagonal_.reserve(m);
    dropped_.reserve(m);
    nucleus_.reserve(m, dense);
  }

  /// Factors the columns in `head` and sorts it so that head[i] is the column with its pivot in row i. Columns that
  /// depend on the others are replaced by the unit columns of the rows left over; dropped() has them.
  void compute(const matrix& a, array<int>& head, double threshold) {
    start(a, head);
    singletons(a);
    rest(a, threshold);
    for (int i = 0; i < m_; ++i) head[i] = a.columns + i;
    for (int k = 0; k < columns_.size(); ++k) {
      if (pivot_row_[k] >= 0)
        head[pivot_row_[k]] = columns_[k];
      else
        dropped_.push(columns_[k]);
    }
    sort_upper();
  }
  const array<int>& dropped() const { return dropped_; }
  int entries() const { return l_row_.size() + u_row_.size() + m_; }

  /// w becomes B^-1 w.
  void ftran(array<double>& w) const {
    for (int k = 0; k < l_pivot_.size(); ++k) {
      const double x = w[l_pivot_[k]];
      if (x == 0) continue;
      for (int e = l_begin_[k]; e < l_begin_[k + 1]; ++e) w[l_row_[e]] -= l_value_[e] * x;
    }
    for (int t = m_ - 1; t >= first_; --t) {  // the unit columns come first and change nothing
      const int i = order_[t];
      if (w[i] == 0) continue;
      const double x = w[i] / diagonal_[i];
      w[i] = x;
      for (int e = u_begin_[i]; e < u_begin_[i + 1]; ++e) w[u_row_[e]] -= u_value_[e] * x;
    }
  }
  /// w' becomes w' B^-1.
  void btran(array<double>& w) const {
    for (int t = 0; t < m_; ++t) {
      const int i = order_[t];
      if (w[i] == 0) continue;
      const double y = w[i] / diagonal_[i];
      w[i] = y;
      for (int e = ut_begin_[i]; e < ut_begin_[i + 1]; ++e) w[ut_row_[e]] -= ut_value_[e] * y;
    }
    for (int k = l_pivot_.size() - 1; k >= 0; --k) {
      double x = w[l_pivot_[k]];
      for (int e = l_begin_[k]; e < l_begin_[k + 1]; ++e) x -= l_value_[e] * w[l_row_[e]];
      w[l_pivot_[k]] = x;
    }
  }

 private:
  void start(const matrix& a, const array<int>& head) {
    m_ = a.rows;
    for (auto* list : {&order_, &columns_, &dropped_, &l_pivot_, &l_row_, &l_begin_, &triple_row_, &triple_column_,
                       &single_rows_, &single_columns_})
      list->clear();
    l_value_.clear();
    triple_value_.clear();
    l_begin_.push(0);
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
    list_begin_.assign(m_ + 1, 0);  // which columns each row is in
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

  /// Column k gives the pivot of row `row` (-1: of the only row that is left to it).
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
    if (!(std::abs(pivot) > least_pivot)) return;  // as good as empty
    row_time_[row] = order_.size();
    order_.push(row);
    pivot_row_[k] = row;
    diagonal_[row] = pivot;
    const int begin_l = l_row_.size();
    for (int e = begin; e < end; ++e) {
      const int i = a.row_of[e];
      if (i == row) continue;
      if (row_time_[i] >= 0) {
        add_triple(i, k, a.column_value[e]);
      } else {
        l_row_.push(i);
        l_value_.push(a.column_value[e] / pivot);
        if (--row_count_[i] == 1) single_rows_.push(i);
      }
    }
    if (l_row_.size() > begin_l) {
      l_pivot_.push(row);
      l_begin_.push(l_row_.size());
    }
    for (int e = list_begin_[row]; e < list_begin_[row + 1]; ++e)
      if (const int other = list_[e]; pivot_row_[other] < 0 && --column_count_[other] == 1) single_columns_.push(other);
  }

  void add_triple(int i, int k, double value) {
    triple_row_.push(i);
    triple_column_.push(k);
    triple_value_.push(value);
  }

  /// Eliminates what has no singletons.
  void rest(const matrix& a, double threshold) {
    nucleus_.clear(m_, columns_.size());
    for (int k = 0; k < columns_.size(); ++k) {
      if (pivot_row_[k] >= 0) continue;
      for (int e = a.column_begin[columns_[k]]; e < a.column_begin[columns_[k] + 1]; ++e) {
        const int i = a.row_of[e];
        if (row_time_[i] >= 0)
          add_triple(i, k, a.column_value[e]);
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
        [&](int i, int k, double value) { add_triple(i, k, value); },
        [&](int i, double multiplier) {
          l_row_.push(i);
          l_value_.push(multiplier);
        },
        [&](int i) {
          if (l_row_.size() == l_begin_[l_begin_.size() - 1]) return;
          l_pivot_.push(i);
          l_begin_.push(l_row_.size());
        });
    for (int i = 0; i < m_; ++i)
      if (row_time_[i] < 0) order_.push(i);  // a row left over: its unit column
  }

  /// U by columns and by rows, both in terms of rows: a column is called by the row of its pivot.
  void sort_upper() {
    u_begin_.assign(m_ + 1, 0);
    ut_begin_.assign(m_ + 1, 0);
    int kept = 0;
    for (int e = 0; e < triple_row_.size(); ++e) {
      const int column = pivot_row_[triple_column_[e]];
      if (column < 0) continue;
      ++kept;
      ++u_begin_[column + 1];
      ++ut_begin_[triple_row_[e] + 1];
    }
    for (int i = 0; i < m_; ++i) {
      u_begin_[i + 1] += u_begin_[i];
      ut_begin_[i + 1] += ut_begin_[i];
    }
    for (auto* ints : {&u_row_, &ut_row_}) ints->resize(kept);
    for (auto* numbers : {&u_value_, &ut_value_}) numbers->resize(kept);
    next_.copy(u_begin_);
    for (int e = 0; e < triple_row_.size(); ++e) {
      const int column = pivot_row_[triple_column_[e]];
      if (column < 0) continue;
      u_row_[next_[column]] = triple_row_[e];
      u_value_[next_[column]++] = triple_value_[e];
    }
    next_.copy(ut_begin_);
    for (int e = 0; e < triple_row_.size(); ++e) {
      const int column = pivot_row_[triple_column_[e]];
      if (column < 0) continue;
      ut_row_[next_[triple_row_[e]]] = column;
      ut_value_[next_[triple_row_[e]]++] = triple_value_[e];
    }
  }

  int m_ = 0, first_ = 0;
  array<int> order_{};     ///< rows in the order of their pivots
  array<int> row_time_{};  ///< place in order_, -1: not yet
  array<int> columns_{}, pivot_row_{}, dropped_{};
  array<int> row_count_{}, column_count_{}, list_begin_{}, list_{}, single_rows_{}, single_columns_{}, next_{};
  array<double> diagonal_{};
  array<int> l_pivot_{}, l_begin_{}, l_row_{};
  array<double> l_value_{};
  array<int> u_begin_{}, u_row_{}, ut_begin_{}, ut_row_{}, triple_row_{}, triple_column_{};
  array<double> u_value_{}, ut_value_{}, triple_value_{};
  nucleus nucleus_{};
};

}  // namespace plumbline::lp::detail
