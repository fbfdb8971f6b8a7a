#pragma once
/// What the solver answers: a status, the numbers, and the proof that they are right, which verify.hpp checks.

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace plumbline::lp {

enum class status : std::uint8_t {
  optimal,            ///< x with duals that prove it
  infeasible,         ///< no x exists: `farkas` proves it
  unbounded,          ///< x is feasible, and going along `ray` from it improves without end
  iteration_limit,    ///< of simplex steps or nodes; x is the best integer solution if `has_x`
  numerical_trouble,  ///< no answer whose proof holds was found; the numbers are the best there were
};

constexpr std::string_view name_of(status s) {
  switch (s) {
    case status::optimal:
      return "optimal";
    case status::infeasible:
      return "infeasible";
    case status::unbounded:
      return "unbounded";
    case status::iteration_limit:
      return "iteration limit";
    case status::numerical_trouble:
      return "numerical trouble";
  }
  return "no status";
}

/// Where a variable, or a row's sum, stands in a basic solution.
enum class basis_status : std::uint8_t { basic, at_lower, at_upper, between /**< free and not basic: at 0 */ };

/// A point to start from: of any problem with as many rows and variables. Need not be valid: what does not fit is
/// mended.
struct basis {
  std::vector<basis_status> variables{}, rows{};
};

/// How far the proof is from exact, relative as in verify.hpp. What does not belong to the status is 0.
struct proof {
  double primal_residual = 0;  ///< the worst violation of a limit by x
  double dual_residual = 0;    ///< the worst reduced cost of the wrong sign
  double gap = 0;              ///< between the objective and the bound that the duals prove
  double farkas_residual = 0;  ///< 0 to tolerance: `farkas` proves infeasibility; infinite: it does not
  double ray_residual = 0;     ///< 0 to tolerance: `ray` stays feasible and improves; infinite: it does not
  double worst() const {
    double w = primal_residual;
    for (const double r : {dual_residual, gap, farkas_residual, ray_residual}) w = r <= w ? w : r;
    return w;
  }
};

struct range {
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

/// A node of branch and bound: split at a variable, or closed by multipliers of the rows that prove a bound or
/// infeasibility.
struct tree_node {
  int variable = -1;           ///< -1: closed
  double at = 0;               ///< below: the variable is at most this; above: at least one more
  int below = -1, above = -1;  ///< numbers of nodes
  bool infeasible = false;
  std::vector<double> multipliers{};
};

struct solution {
  lp::status status = lp::status::numerical_trouble;
  bool has_x = false;    ///< x is feasible
  double objective = 0;  ///< at x; infinite (the worst there is) if no x exists
  /// Proven: nothing is better than this. Equals the objective when optimal (of integer problems: by the tree that was
  /// searched).
  double bound = 0;
  std::vector<double> x{};
  std::vector<double> activity{};  ///< A x
  /// Shadow price of each row: by how much the objective grows for each unit that the row's active limit grows.
  std::vector<double> duals{};
  std::vector<double> reduced_costs{};  ///< cost - A' duals
  std::vector<double> farkas{};         ///< one multiplier a row
  std::vector<double> ray{};            ///< one direction a variable
  /// One a row, if asked for: in which range of the row's active limit its shadow price holds. A row between its limits
  /// has its activity in both: as long as that is within its limits, its price is 0.
  std::vector<range> ranges{};
  std::vector<tree_node> tree{};  ///< of an integer problem, if asked for; the first is the root
  lp::basis basis{};              ///< to start the next one from
  lp::proof proof{};
  long iterations = 0;
  long nodes = 0;  ///< of branch and bound; 0 without integer marks
};

namespace detail {

/// Room for everything that one linear program's solution holds.
inline void reserve(solution& s, std::size_t rows, std::size_t variables) {
  for (auto* v : {&s.x, &s.reduced_costs, &s.ray}) v->reserve(variables);
  for (auto* v : {&s.activity, &s.duals, &s.farkas}) v->reserve(rows);
  s.ranges.reserve(rows);
  s.basis.variables.reserve(variables);
  s.basis.rows.reserve(rows);
}

}  // namespace detail
}  // namespace plumbline::lp
