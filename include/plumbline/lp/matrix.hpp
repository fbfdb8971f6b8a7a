#pragma once
/// matrix: the scaled coefficients, by column for the basis and by row for pricing.

#include <plumbline/lp/check.hpp>
#include <plumbline/lp/scaling.hpp>
#include <plumbline/lp/sparse.hpp>

namespace plumbline::lp::detail {

struct matrix {
  int rows = 0, columns = 0;
  array<int> column_begin{}, row_of{};  ///< columns have no zeros, and their rows in ascending order
  array<double> column_value{};
  array<int> row_begin{}, column_of{};
  array<double> row_value{};

  /// Throws lp::error if a row names a variable twice.
  void load(const problem& p, const scaling& u) {
    if (u.twice >= 0) {
      const entry& e = p.entries[static_cast<std::size_t>(u.twice)];
      complain(row_called(p, e.row) + " names " + variable_called(p, e.variable) + " twice; add its coefficients up");
    }
    rows = u.rows;
    columns = u.columns;
    const int most = static_cast<int>(p.entries.size());  // other values may have fewer zeros
    for (auto* list : {&column_of, &row_of}) list->reserve(most);
    for (auto* values : {&row_value, &column_value}) values->reserve(most);
    row_begin.copy(u.row_begin);
    column_of.copy(u.column_of);
    column_begin.copy(u.column_begin);
    row_of.copy(u.row_of);
    row_value.resize(column_of.size());
    column_value.resize(column_of.size());
    unit_.resize(columns);
    for (int j = 0; j < columns; ++j) unit_[j] = power_of_two(u.variable[j]);
    for (int i = 0; i < rows; ++i) {
      const double unit = power_of_two(u.row[i]);
      for (int k = row_begin[i]; k < row_begin[i + 1]; ++k)
        row_value[k] = p.entries[static_cast<std::size_t>(u.entry_of[k])].value * (unit * unit_[column_of[k]]);
    }
    for (int k = 0; k < row_of.size(); ++k) column_value[k] = row_value[u.place_of[k]];
  }

  int row_length(int i) const { return row_begin[i + 1] - row_begin[i]; }
  /// y' times a column; columns from `columns` on are the logical ones, unit vectors.
  double dot(const array<double>& y, int j) const {
    return j >= columns ? y[j - columns] : product(row_of, column_value, column_begin[j], column_begin[j + 1], y);
  }
  /// w += x times a column.
  void add(array<double>& w, int j, double x) const {
    if (j >= columns) {
      w[j - columns] += x;
      return;
    }
    for (int k = column_begin[j]; k < column_begin[j + 1]; ++k) w[row_of[k]] += x * column_value[k];
  }

 private:
  array<double> unit_{};
};

}  // namespace plumbline::lp::detail
