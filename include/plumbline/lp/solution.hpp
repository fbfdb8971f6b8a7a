#pragma once
/// solution: the solver's result: a status, the values, and the proof that they are right, which verify.hpp checks.

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace plumbline::lp {

enum class status : std::uint8_t {
  optimal,            ///< x is optimal: the duals prove it
  infeasible,         ///< no x exists: `farkas` proves it
  unbounded,          ///< x is feasible, and along `ray` the objective improves without end
  iteration_limit,    ///< of simplex iterations or nodes; x is the best integer solution if `has_x`
  numerical_trouble,  ///< no result was found whose proof holds; the values are the best available
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

/// Status of a variable, or of a row's sum, in a basic solution.
enum class basis_status : std::uint8_t { basic, at_lower, at_upper, between /**< free and nonbasic: at 0 */ };

/// A starting basis: of any problem with as many rows and variables. It need not be valid: what does not fit is
/// repaired.
struct basis {
  std::vector<basis_status> variables{}, rows{};
};

/// How far the proof is from exact, in relative terms (prover.hpp). What does not apply to the status is 0.
struct proof {
  double primal_residual = 0;  ///< the worst violation of a bound by x
  double dual_residual = 0;    ///< the worst reduced cost of the wrong sign
  double gap = 0;              ///< between the objective and the bound that the duals prove
  double farkas_residual = 0;  ///< 0 within tolerance: `farkas` proves infeasibility; infinite: it does not
  double ray_residual = 0;     ///< 0 within tolerance: `ray` stays feasible and improves; infinite: it does not
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
  double at = 0;               ///< `below`: the variable is at most this; `above`: at least this + 1
  int below = -1, above = -1;  ///< indices of the child nodes
  bool infeasible = false;
  std::vector<double> multipliers{};
};

struct solution {
  lp::status status = lp::status::numerical_trouble;
  bool has_x = false;    ///< x is feasible
  double objective = 0;  ///< at x; infinite (the worst there is) if no x exists
  /// Proven bound: no x has a better objective. Equals the objective when optimal (for integer problems, by the tree
  /// that was searched).
  double bound = 0;
  std::vector<double> x{};
  std::vector<double> activity{};  ///< A x
  /// Shadow price of each row: the increase of the objective per unit that the row's active bound increases.
  std::vector<double> duals{};
  std::vector<double> reduced_costs{};  ///< cost - A' duals
  std::vector<double> farkas{};         ///< one multiplier per row
  std::vector<double> ray{};            ///< one component per variable
  /// One per row, if requested: the range of the row's active bound in which its shadow price holds. A row between its
  /// bounds has its activity at both ends: its price is 0 as long as the activity is within the bounds.
  std::vector<range> ranges{};
  std::vector<tree_node> tree{};  ///< of an integer problem, if requested; the first is the root
  lp::basis basis{};              ///< from which the next solve may start
  lp::proof proof{};
  long iterations = 0;
  long nodes = 0;  ///< of branch and bound; 0 without integer variables
};

namespace detail {

/// Reserves memory for all values of a linear program's solution.
inline void reserve(solution& s, std::size_t rows, std::size_t variables) {
  for (auto* v : {&s.x, &s.reduced_costs, &s.ray}) v->reserve(variables);
  for (auto* v : {&s.activity, &s.duals, &s.farkas}) v->reserve(rows);
  s.ranges.reserve(rows);
  s.basis.variables.reserve(variables);
  s.basis.rows.reserve(rows);
}

}  // namespace detail
}  // namespace plumbline::lp
