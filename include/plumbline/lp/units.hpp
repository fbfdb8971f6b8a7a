#pragma once
/// units: in what a problem's numbers are best told, found from the problem alone: powers of two, one for each row and
/// variable, so that coefficients, limits and costs are near 1. The solver works in these units and tolerances are
/// meant in them, so a program in bytes and nanoseconds is solved as well as one in terabytes and days. Geometric
/// scaling: Fulkerson and Wolfe 1962; Tomlin, "On scaling linear programming problems", 1975.

#include <plumbline/lp/array.hpp>
#include <plumbline/lp/stretches.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace plumbline::lp {

namespace detail {

/// floor(log2 |x|) of a number that is not 0.
inline int exponent_of(double x) { return static_cast<int>((std::bit_cast<std::uint64_t>(x) >> 52U) & 0x7FFU) - 1023; }
inline double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(std::clamp(e, -1022, 1023) + 1023) << 52U);
}
inline bool sizable(double x) { return x != 0 && x != infinity && x != -infinity; }

}  // namespace detail

/// Exponents of two. In these units the coefficient a[i][j] is a[i][j] * 2^(row[i] + variable[j]). What no coefficient
/// connects is a part of its own, with sizes of its own.
struct units {
  detail::array<int> row{}, variable{};
  detail::array<int> part_of_row{}, part_of_variable{};
  detail::array<int>
      size{};  ///< of a part's x: its variables come in units of 2^(size + variable[j]), its rows in 2^(size - row[i])
  detail::array<int> cost{};  ///< of a part: its reduced costs come in units of 2^(-cost - variable[j]), its duals in
                              ///< 2^(row[i] - cost)

  double of_variable(int j) const { return detail::power_of_two(size[part_of_variable[j]] + variable[j]); }
  double of_row(int i) const { return detail::power_of_two(size[part_of_row[i]] - row[i]); }
  double of_dual(int i) const { return detail::power_of_two(row[i] - cost[part_of_row[i]]); }
  double of_reduced_cost(int j) const { return detail::power_of_two(-cost[part_of_variable[j]] - variable[j]); }

  /// Keeps its memory. The problem must have passed check().
  void find(const problem& p) {
    const int m = static_cast<int>(p.rows.size()), n = static_cast<int>(p.variables.size());
    row.assign(m, 0);
    variable.assign(n, 0);
    collect(p);
    // what is centred stays so, nearly, if the other side hardly moves
    for (int pass = 0; pass < 5; ++pass)
      if (!centre(pass == 0)) break;
    find_parts(m, n);
    sum_.assign(size.size(), {});
    for (int i = 0; i < m; ++i) {
      const auto& r = p.rows[static_cast<std::size_t>(i)];
      mean& limits = sum_[part_of_row[i]];
      limits.add(r.lower, row[i]);
      if (r.upper != r.lower) limits.add(r.upper, row[i]);
    }
    for (int j = 0; j < n; ++j) {
      const auto& v = p.variables[static_cast<std::size_t>(j)];
      mean& limits = sum_[part_of_variable[j]];
      limits.add(v.lower, -variable[j]);
      if (v.upper != v.lower) limits.add(v.upper, -variable[j]);
    }
    for (int k = 0; k < size.size(); ++k) size[k] = sum_[k].value();
    sum_.assign(size.size(), {});
    for (int j = 0; j < n; ++j)
      sum_[part_of_variable[j]].add(p.variables[static_cast<std::size_t>(j)].cost, variable[j]);
    for (int k = 0; k < size.size(); ++k) cost[k] = -sum_[k].value();
  }

 private:
  struct mean {
    long sum = 0, count = 0;
    void add(double x, int shift) {
      if (!detail::sizable(x)) return;
      sum += detail::exponent_of(x) + shift;
      ++count;
    }
    int value() const { return count == 0 ? 0 : static_cast<int>(sum / count); }
  };

  /// Union-find over rows and variables (rows first), joined by coefficients.
  void find_parts(int m, int n) {
    parent_.resize(m + n);
    for (int k = 0; k < m + n; ++k) parent_[k] = k;
    const auto root = [&](int k) {
      while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
      return k;
    };
    const auto row_of = [](const exponent_at& e) { return e.row; };
    detail::stretches(
        entry_.begin(), entry_.end(), row_of,
        [&](const exponent_at& e) {
          const int top = root(m + e.variable);
          parent_[root(e.row)] = top;
          return top;
        },
        [&](int top, const exponent_at& e) {
          if (parent_[m + e.variable] == top) return;
          parent_[root(m + e.variable)] = top;
          parent_[m + e.variable] = top;
        },
        [](int, int) {});
    number_.assign(m + n, -1);
    int parts = 0;
    const auto number = [&](int k) {
      int& part = number_[root(k)];
      if (part < 0) part = parts++;
      return part;
    };
    part_of_row.resize(m);
    part_of_variable.resize(n);
    for (int i = 0; i < m; ++i) part_of_row[i] = number(i);
    for (int j = 0; j < n; ++j) part_of_variable[j] = number(m + j);
    for (auto* exponents : {&size, &cost}) {
      exponents->reserve(m + n);
      exponents->assign(parts, 0);
    }
    sum_.reserve(m + n);
  }

  struct exponent_at {
    int row, variable, exponent;
  };
  struct reach {
    int low = 1 << 20, high = -(1 << 20);
    void add(int x) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
    /// Moves an exponent so that the smallest and the largest coefficient lie evenly about 1. Whether by more than a
    /// few.
    bool move(int& exponent) const {
      if (low > high) return false;
      const int to = -((low + high + 1) >> 1), by = to - exponent;
      exponent = std::clamp(to, -500, 500);
      return by < -3 || by > 3;
    }
  };

  /// The exponents of what is not zero, row by row.
  void collect(const problem& p) {
    entry_.resize(static_cast<int>(p.entries.size()));
    number_.assign(row.size(), 0);  // of entries of each row
    int count = 0, last = -1;
    bool grouped = true;
    for (const entry& e : p.entries) {
      if (e.value == 0) continue;
      grouped = grouped && (e.row == last || number_[e.row] == 0);
      last = e.row;
      ++number_[e.row];
      entry_[count++] = {e.row, e.variable, detail::exponent_of(e.value)};
    }
    entry_.resize(count);
    if (grouped) return;
    for (int i = 0, begin = 0; i < row.size(); ++i) begin += std::exchange(number_[i], begin);
    sorted_.resize(count);
    for (const exponent_at& e : entry_) sorted_[number_[e.row]++] = e;
    entry_.swap(sorted_);
  }

  /// One pass over rows and variables. False if the rows (unless it is the first pass) or the variables hardly moved:
  /// the next would change little.
  bool centre(bool first) {
    reach_.assign(variable.size(), {});
    bool rows_moved = first, variables_moved = false;
    const auto* const end = entry_.end();
    for (const auto* e = entry_.begin(); e != end;) {
      const auto* const begin = e;
      const int i = begin->row;
      reach of_row;
      for (; e != end && e->row == i; ++e) of_row.add(e->exponent + variable[e->variable]);
      int exponent = row[i];
      rows_moved = of_row.move(exponent) || rows_moved;
      row[i] = exponent;
      for (const auto* k = begin; k != e; ++k) reach_[k->variable].add(k->exponent + exponent);
    }
    for (int j = 0; j < variable.size(); ++j) variables_moved = reach_[j].move(variable[j]) || variables_moved;
    return rows_moved && variables_moved;
  }

  detail::array<int> parent_{}, number_{};
  detail::array<reach> reach_{};  ///< of each variable's exponents
  detail::array<mean> sum_{};
  detail::array<exponent_at> entry_{}, sorted_{};
};

}  // namespace plumbline::lp
