#pragma once
/// units: in what a problem's numbers are best told, found from the problem alone: powers of two, one for each row and
/// variable, so that coefficients, limits and costs are near 1. The solver works in these units and tolerances are meant in
/// them, so a program in bytes and nanoseconds is solved as well as one in terabytes and days.
/// Geometric scaling: Fulkerson and Wolfe 1962; Tomlin, "On scaling linear programming problems", 1975.

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

/// Exponents of two. In these units the coefficient a[i][j] is a[i][j] * 2^(row[i] + variable[j]).
struct units {
  detail::array<int> row{}, variable{};
  int size = 0;  ///< of x: variable j comes in units of 2^(size + variable[j]), row i in units of 2^(size - row[i])
  int cost = 0;  ///< costs come in units of 2^-cost after the variables' units: reduced cost j in 2^(-cost - variable[j])

  double of_variable(int j) const { return detail::power_of_two(size + variable[j]); }
  double of_row(int i) const { return detail::power_of_two(size - row[i]); }
  double of_dual(int i) const { return detail::power_of_two(row[i] - cost); }
  double of_reduced_cost(int j) const { return detail::power_of_two(-cost - variable[j]); }

  /// Keeps its memory. The problem must have passed check().
  void find(const problem& p) {
    const int m = static_cast<int>(p.rows.size()), n = static_cast<int>(p.variables.size());
    row.assign(m, 0);
    variable.assign(n, 0);
    for (int pass = 0; pass < 6; ++pass) {
      const bool rows_moved = centre(p, row, m, [](const entry& e) { return e.row; });
      const bool variables_moved = centre(p, variable, n, [](const entry& e) { return e.variable; });
      if (!rows_moved && !variables_moved) break;
    }
    mean limits, costs;
    for (int i = 0; i < m; ++i) {
      const auto& r = p.rows[static_cast<std::size_t>(i)];
      limits.add(r.lower, row[i]);
      if (r.upper != r.lower) limits.add(r.upper, row[i]);
    }
    for (int j = 0; j < n; ++j) {
      const auto& v = p.variables[static_cast<std::size_t>(j)];
      limits.add(v.lower, -variable[j]);
      if (v.upper != v.lower) limits.add(v.upper, -variable[j]);
      costs.add(v.cost, variable[j]);
    }
    size = limits.value();
    cost = -costs.value();
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

  /// Moves each row's (or variable's) exponent so that its smallest and largest coefficient lie evenly about 1.
  template <class Of> bool centre(const problem& p, detail::array<int>& exponent, int n, Of of) {
    constexpr int none = 1 << 20;
    low_.assign(n, none);
    high_.assign(n, -none);
    for (const entry& e : p.entries) {
      if (e.value == 0) continue;
      const int k = of(e), x = detail::exponent_of(e.value) + row[e.row] + variable[e.variable];
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
  detail::array<int> low_{}, high_{};
};

}  // namespace plumbline::lp
