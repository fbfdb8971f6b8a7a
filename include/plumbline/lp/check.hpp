#pragma once
/// check: validates a problem's data; errors name the row or the variable.

#include <plumbline/lp/problem.hpp>

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumbline::lp {

/// Thrown if the problem, the basis or an option is invalid.
struct error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

namespace detail {

inline std::string called(const char* what, int number, const std::string& name) {
  return std::string(what) + ' ' + std::to_string(number) + (name.empty() ? "" : " (" + name + ")");
}
inline std::string row_called(const problem& p, int i) {
  return called("row", i, p.rows[static_cast<std::size_t>(i)].name);
}
inline std::string variable_called(const problem& p, int j) {
  return called("variable", j, p.variables[static_cast<std::size_t>(j)].name);
}
/// The shortest text that reads back as the same number.
inline std::string exact(double x) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}
[[noreturn]] inline void complain(const std::string& what) { throw error("plumbline: lp: " + what); }

inline void check_limits(double lower, double upper, auto&& who) {
  if (std::isnan(lower) || std::isnan(upper))
    complain(who() + ": a limit is not a number; infinite ones are lp::infinity");
  if (lower > upper) complain(who() + ": lower limit " + exact(lower) + " is above upper limit " + exact(upper));
  if (lower == infinity || upper == -infinity)
    complain(who() + ": no value is within its limits; lower must be below +infinity and upper above -infinity");
}

/// Validates a problem. Keeps the memory in which it marks the rows that have entries.
struct checker {
  std::vector<char> named{};

  void operator()(const problem& p, bool allow_empty_rows) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max() / 4);
    if (p.variables.size() > most || p.rows.size() > most || p.entries.size() > most)
      complain("more than " + std::to_string(most) + " rows, variables or entries");
    const int m = static_cast<int>(p.rows.size()), n = static_cast<int>(p.variables.size());
    if (!std::isfinite(p.constant)) complain("the objective's constant is not a finite number");
    for (int j = 0; j < n; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      check_limits(v.lower, v.upper, [&] { return variable_called(p, j); });
      if (!std::isfinite(v.cost)) complain(variable_called(p, j) + ": its cost is not a finite number");
    }
    for (int i = 0; i < m; ++i)
      check_limits(p.rows[static_cast<std::size_t>(i)].lower, p.rows[static_cast<std::size_t>(i)].upper,
                   [&] { return row_called(p, i); });
    named.assign(p.rows.size(), 0);
    for (const entry& e : p.entries) {
      const bool good_row = e.row >= 0 && e.row < m, good_variable = e.variable >= 0 && e.variable < n;
      if (!good_row)
        complain("an entry names row " + std::to_string(e.row) + ", but there are " + std::to_string(m) +
                 " rows, from 0" + (good_variable ? "; its variable is " + variable_called(p, e.variable) : ""));
      if (!good_variable)
        complain(row_called(p, e.row) + " names variable " + std::to_string(e.variable) + ", but there are " +
                 std::to_string(n) + " variables, from 0");
      if (!std::isfinite(e.value))
        complain(row_called(p, e.row) + ": the coefficient of " + variable_called(p, e.variable) +
                 " is not a finite number");
      named[static_cast<std::size_t>(e.row)] = 1;
    }
    if (!allow_empty_rows)
      for (int i = 0; i < m; ++i)
        if (named[static_cast<std::size_t>(i)] == 0)
          complain(row_called(p, i) + " names no variable; leave it out, or set options::allow_empty_rows");
  }
};

}  // namespace detail

/// Throws lp::error if the problem is invalid. solve() calls this first. (solve() also reports a row that names a
/// variable twice.)
inline void check(const problem& p, bool allow_empty_rows = false) { detail::checker{}(p, allow_empty_rows); }

}  // namespace plumbline::lp
