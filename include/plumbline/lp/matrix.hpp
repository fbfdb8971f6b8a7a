#pragma once
/// The coefficients in the problem's units, column by column for the basis and row by row for pricing.

#include <plumbline/lp/check.hpp>
#include <plumbline/lp/sparse.hpp>
#include <plumbline/lp/units.hpp>

namespace plumbline::lp::detail {

struct matrix {
  int rows = 0, columns = 0;
  array<int> column_begin{}, row_of{};  ///< columns hold no zeros, and their rows in ascending order
  array<double> column_value{};
  array<int> row_begin{}, column_of{};
  array<double> row_value{};

  /// Throws lp::error where a row names a variable twice.
  void load(const problem& p, const units& u) {
    rows = static_cast<int>(p.rows.size());
    columns = static_cast<int>(p.variables.size());
    const int entries = static_cast<int>(p.entries.size());
    row_begin.assign(rows + 1, 0);
    row_stretches(
        p, [&](int i) -> int& { return row_begin[i + 1]; }, [](int& count, const entry&) { ++count; });
    for (int i = 0; i < rows; ++i) row_begin[i + 1] += row_begin[i];
    column_of.resize(entries);
    row_value.resize(entries);
    next_.copy(row_begin);
    column_begin.assign(columns + 1, 0);
    row_stretches(
        p, [&](int i) -> int& { return next_[i]; },
        [&](int& at, const entry& e) {
          const double value = e.value * power_of_two(u.row[e.row] + u.variable[e.variable]);
          column_of[at] = e.variable;
          row_value[at++] = value;
          column_begin[e.variable + 1] += value != 0 ? 1 : 0;
        });
    for (int j = 0; j < columns; ++j) column_begin[j + 1] += column_begin[j];
    row_of.reserve(entries);  // other numbers may have fewer zeros
    column_value.reserve(entries);
    row_of.resize(column_begin[columns]);
    column_value.resize(column_begin[columns]);
    next_.copy(column_begin);
    seen_.assign(columns, -1);
    for (int i = 0; i < rows; ++i)
      for (int k = row_begin[i]; k < row_begin[i + 1]; ++k) {
        const int j = column_of[k];
        if (seen_[j] == i)
          complain(row_called(p, i) + " names " + variable_called(p, j) + " twice; add its coefficients up");
        seen_[j] = i;
        if (row_value[k] == 0) continue;
        const int at = next_[j]++;
        row_of[at] = i;
        column_value[at] = row_value[k];
      }
  }

  int row_length(int i) const { return row_begin[i + 1] - row_begin[i]; }
  /// y' times a column; columns from `columns` on are those of the rows' own variables, unit vectors.
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
  array<int> next_{}, seen_{};
};

}  // namespace plumbline::lp::detail
