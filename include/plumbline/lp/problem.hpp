#pragma once
/// problem: a linear program as plain data: minimise or maximise constant + cost' x subject to lower <= A x <= upper
/// and lower <= x <= upper; variables may be marked integer.
///   lp::problem p{.goal = lp::sense::maximise};
///   const int rate = p.add_variable({.name = "rate", .cost = 1});
///   const int cores = p.add_variable({.name = "cores", .upper = 16});
///   p.add_row({.name = "decode", .upper = 0}, {{rate, 1}, {cores, -250}});  // rate <= 250 cores

#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace plumbline::lp {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

enum class sense { minimise, maximise };

/// By default, a variable is at least 0.
struct variable {
  std::string name{};  ///< for messages only
  double lower = 0, upper = infinity;
  double cost = 0;
  bool integer = false;
};

/// Bounds of the row's sum. Equal ones make an equation; infinite ones are no bound.
struct row {
  std::string name{};  ///< for messages only
  double lower = -infinity, upper = infinity;
};

/// One coefficient. Each (row, variable) at most once, in any order; a zero is allowed and keeps the shape the same for
/// other values.
struct entry {
  int row = 0, variable = 0;
  double value = 0;
};

/// One term of a row that is being added.
struct term {
  int variable = 0;
  double value = 0;
};

struct problem {
  sense goal = sense::minimise;
  double constant = 0;  ///< added to the objective
  std::vector<variable> variables{};
  std::vector<row> rows{};
  std::vector<entry> entries{};

  /// Both return the index of what they add. Nothing is checked before solve (see check.hpp).
  int add_variable(variable v) {
    variables.push_back(static_cast<variable&&>(v));
    return static_cast<int>(variables.size()) - 1;
  }
  int add_row(row r, std::initializer_list<term> terms) {
    return add_row(static_cast<row&&>(r), std::vector<term>(terms));
  }
  int add_row(row r, const std::vector<term>& terms) {
    const int number = static_cast<int>(rows.size());
    rows.push_back(static_cast<row&&>(r));
    for (const term& t : terms) entries.push_back({number, t.variable, t.value});
    return number;
  }
};

}  // namespace plumbline::lp
