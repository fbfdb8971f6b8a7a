#pragma once
/// scaling: scale factors for a problem, found from the problem alone: powers of two, one per row and variable, that
/// bring coefficients, bounds and costs near 1. The solver works on the scaled problem, and tolerances refer to it, so
/// a problem in bytes and nanoseconds is solved as well as one in terabytes and days. Geometric scaling: Fulkerson and
/// Wolfe 1962; Tomlin, "On scaling linear programming problems", 1975.

#include <plumbline/lp/pattern.hpp>

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

/// Exponents of two. The scaled coefficient is a[i][j] * 2^(row[i] + variable[j]). Parts of the problem that no
/// coefficient connects have separate exponents for x and costs.
struct scaling : detail::pattern {
  detail::array<int> row{}, variable{};
  detail::array<int>
      size{};  ///< of a part's x: its variables are in units of 2^(size + variable[j]), its rows in 2^(size - row[i])
  detail::array<int> cost{};  ///< of a part: its reduced costs are in units of 2^(-cost - variable[j]), its duals in
                              ///< 2^(row[i] - cost)

  double of_variable(int j) const { return detail::power_of_two(size[part_of_variable[j]] + variable[j]); }
  double of_row(int i) const { return detail::power_of_two(size[part_of_row[i]] - row[i]); }
  double of_dual(int i) const { return detail::power_of_two(row[i] - cost[part_of_row[i]]); }
  double of_reduced_cost(int j) const { return detail::power_of_two(-cost[part_of_variable[j]] - variable[j]); }

  /// Finds the scaling of a problem that has passed check(). Keeps its memory.
  void find(const problem& p) {
    const int m = static_cast<int>(p.rows.size()), n = static_cast<int>(p.variables.size());
    row.assign(m, 0);
    variable.assign(n, 0);
    read(p);
    const int count = entry_of.size();
    for (auto* exponents : {&by_row_, &by_column_}) {
      exponents->reserve(static_cast<int>(p.entries.size()));
      exponents->resize(count);
    }
    for (int k = 0; k < count; ++k)
      by_row_[k] = detail::exponent_of(p.entries[static_cast<std::size_t>(entry_of[k])].value);
    for (int k = 0; k < count; ++k) by_column_[k] = by_row_[place_of[k]];
    // a centred line stays nearly centred if the other side hardly changes
    for (int pass = 0; pass < 5; ++pass) {
      const bool rows_moved = centre(row, row_begin, by_row_, column_of, variable) || pass == 0;
      if (!centre(variable, column_begin, by_column_, row_of, row) || !rows_moved) break;
    }
    for (auto* exponents : {&size, &cost}) {
      exponents->reserve(m + n);
      exponents->assign(parts, 0);
    }
    sum_.reserve(m + n);
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

  /// Sets each line's exponent so that its smallest and largest coefficients are centred about 1, given the exponents
  /// of the other side. Returns true if one changed by more than 3.
  static bool centre(detail::array<int>& line, const detail::array<int>& begin, const detail::array<int>& exponent,
                     const detail::array<int>& index, const detail::array<int>& other) {
    bool moved = false;
    for (int i = 0; i < line.size(); ++i) {
      if (begin[i] == begin[i + 1]) continue;
      int low = 1 << 20, high = -low;
      for (int k = begin[i], end = begin[i + 1]; k < end; ++k) {
        const int x = exponent[k] + other[index[k]];
        low = std::min(low, x);
        high = std::max(high, x);
      }
      const int to = -((low + high + 1) >> 1), by = to - line[i];
      line[i] = std::clamp(to, -500, 500);
      moved = moved || by < -3 || by > 3;
    }
    return moved;
  }

  detail::array<mean> sum_{};
  detail::array<int> by_row_{}, by_column_{};  ///< exponents of the nonzeros
};

}  // namespace plumbline::lp
