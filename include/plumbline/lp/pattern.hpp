#pragma once
/// pattern: the positions of a problem's nonzeros, by row and by column, and the parts that they connect. Problems that
/// are solved one after the other mostly differ only in their values: then the pattern is compared, not computed again.

#include <plumbline/lp/array.hpp>
#include <plumbline/lp/problem.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace plumbline::lp::detail {

struct pattern {
  int rows = 0, columns = 0;
  array<int> row_begin{}, column_of{}, entry_of{};  ///< by row: variables, and indices into problem::entries
  array<int> column_begin{}, row_of{}, place_of{};  ///< by column, rows ascending; and the position by row
  array<int> part_of_row{}, part_of_variable{};     ///< the connected part to which each belongs
  int parts = 0;
  int twice = -1;  ///< an entry with the row and variable of an earlier one; -1: none

  /// The problem must have passed check().
  void read(const problem& p) {
    if (same(p)) return;
    known_ = false;
    rows = static_cast<int>(p.rows.size());
    columns = static_cast<int>(p.variables.size());
    const int all = static_cast<int>(p.entries.size());
    key_.resize(all);
    for (int k = 0; k < all; ++k) key_[k] = key(p.entries[static_cast<std::size_t>(k)]);
    for (auto* list : {&column_of, &entry_of, &row_of, &place_of}) list->reserve(all);  // others may have fewer zeros
    by_row(p, [](const entry&) { return true; });
    find_twice();
    by_row(p, [](const entry& e) { return e.value != 0; });
    by_column();
    find_parts();
    known_ = true;
  }
  /// Calls f(variable, coefficient) for the nonzeros of row i.
  void for_row(const problem& p, int i, auto&& f) const {
    for (int k = row_begin[i]; k < row_begin[i + 1]; ++k)
      f(column_of[k], p.entries[static_cast<std::size_t>(entry_of[k])].value);
  }

 private:
  /// Row, variable and, in the sign bit of an index, which is never negative, whether the value is zero.
  static std::uint64_t key(const entry& e) {
    const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(e);
    return words[0] | static_cast<std::uint64_t>(e.value == 0) << 63U;
  }
  bool same(const problem& p) const {
    if (!known_ || rows != static_cast<int>(p.rows.size()) || columns != static_cast<int>(p.variables.size()) ||
        key_.size() != static_cast<int>(p.entries.size()))
      return false;
    std::uint64_t other = 0;
    const std::uint64_t* known = key_.begin();
    for (const entry& e : p.entries) other |= *known++ ^ key(e);
    return other == 0;
  }

  /// Turns the counts of lines, given in begin[i + 1], into their first positions, begin[i]; next_[i] starts there too.
  void add_up(array<int>& begin) {
    for (int i = 0; i + 1 < begin.size(); ++i) begin[i + 1] += begin[i];
    next_.copy(begin);
  }
  /// Sorts by row the entries for which `counts` is true.
  void by_row(const problem& p, auto&& counts) {
    row_begin.assign(rows + 1, 0);
    for (const entry& e : p.entries) row_begin[e.row + 1] += counts(e) ? 1 : 0;
    add_up(row_begin);
    column_of.resize(row_begin[rows]);
    entry_of.resize(row_begin[rows]);
    int number = 0;
    for (const entry& e : p.entries) {
      if (counts(e)) {
        const int at = next_[e.row]++;
        column_of[at] = e.variable;
        entry_of[at] = number;
      }
      ++number;
    }
  }
  void by_column() {
    column_begin.assign(columns + 1, 0);
    for (const int j : column_of) ++column_begin[j + 1];
    add_up(column_begin);
    row_of.resize(column_of.size());
    place_of.resize(column_of.size());
    for (int i = 0; i < rows; ++i)
      for (int k = row_begin[i]; k < row_begin[i + 1]; ++k) {
        const int at = next_[column_of[k]]++;
        row_of[at] = i;
        place_of[at] = k;
      }
  }
  void find_twice() {
    twice = -1;
    next_.assign(columns, -1);  // the last row that has the variable
    for (int i = 0; i < rows; ++i)
      for (int k = row_begin[i]; k < row_begin[i + 1]; ++k)
        if (std::exchange(next_[column_of[k]], i) == i) twice = entry_of[k];
  }

  /// Union-find over rows and variables (rows first), joined by coefficients.
  void find_parts() {
    const int all = rows + columns;
    parent_.resize(all);
    for (int k = 0; k < all; ++k) parent_[k] = k;
    const auto root = [&](int k) {
      while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
      return k;
    };
    for (int i = 0; i < rows; ++i)
      for (int k = row_begin[i]; k < row_begin[i + 1]; ++k) parent_[root(rows + column_of[k])] = root(i);
    number_.assign(all, -1);
    parts = 0;
    const auto number = [&](int k) {
      int& part = number_[root(k)];
      if (part < 0) part = parts++;
      return part;
    };
    part_of_row.resize(rows);
    part_of_variable.resize(columns);
    for (int i = 0; i < rows; ++i) part_of_row[i] = number(i);
    for (int j = 0; j < columns; ++j) part_of_variable[j] = number(rows + j);
  }

  array<std::uint64_t> key_{};  ///< of each entry
  bool known_ = false;          ///< the pattern was read from a problem
  array<int> next_{}, parent_{}, number_{};
};

}  // namespace plumbline::lp::detail
