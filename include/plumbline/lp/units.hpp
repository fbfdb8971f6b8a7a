#pragma once
/// units: in what a problem's numbers are best told, found from the problem alone: powers of two, one for each row and
/// variable, so that coefficients, limits and costs are near 1. The solver works in these units and tolerances are
/// meant in them, so a program in bytes and nanoseconds is solved as well as one in terabytes and days. Geometric
/// scaling: Fulkerson and Wolfe 1962; Tomlin, "On scaling linear programming problems", 1975.

#include <plumbline/lp/array.hpp>
#include <plumbline/lp/problem.hpp>

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
    entry_.clear();
    entry_.reserve(static_cast<int>(p.entries.size()));
    for (const entry& e : p.entries)
      if (e.value != 0) entry_.push({e.row, e.variable, detail::exponent_of(e.value)});
    for (int pass = 0; pass < 5; ++pass) {
      const bool rows_moved = centre(row, m, [](const place_and_exponent& e) { return e.row; });
      const bool variables_moved = centre(variable, n, [](const place_and_exponent& e) { return e.variable; });
      if (!rows_moved && !variables_moved) break;
    }
    find_parts(p, m, n);
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
  void find_parts(const problem& p, int m, int n) {
    parent_.resize(m + n);
    for (int k = 0; k < m + n; ++k) parent_[k] = k;
    const auto root = [&](int k) {
      while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
      return k;
    };
    for (const entry& e : p.entries)
      if (e.value != 0) parent_[root(e.row)] = root(m + e.variable);
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

  struct place_and_exponent {
    int row, variable, exponent;
  };

  /// Moves each row's (or variable's) exponent so that its smallest and largest coefficient lie evenly about 1.
  template <class Of> bool centre(detail::array<int>& exponent, int n, Of of) {
    constexpr int none = 1 << 20;
    low_.assign(n, none);
    high_.assign(n, -none);
    for (const place_and_exponent& e : entry_) {
      const int k = of(e), x = e.exponent + row[e.row] + variable[e.variable];
      low_[k] = std::min(low_[k], x);
      high_[k] = std::max(high_[k], x);
    }
    bool moved = false;
    for (int k = 0; k < n; ++k) {
      if (low_[k] == none) continue;
      const int by = -((low_[k] + high_[k] + 1) >> 1);
      if (by < -1 || by > 1) moved = true;
      exponent[k] = std::clamp(exponent[k] + by, -500, 500);
    }
    return moved;
  }
  detail::array<int> low_{}, high_{}, parent_{}, number_{};
  detail::array<mean> sum_{};
  detail::array<place_and_exponent> entry_{};
};

}  // namespace plumbline::lp
