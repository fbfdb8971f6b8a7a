#pragma once
/// options: the options of the solver. The defaults suit most problems.

#include <plumbline/lp/check.hpp>

namespace plumbline::lp {

struct options {
  /// Feasibility tolerance of bounds and reduced costs, in the scaled problem (scaling.hpp).
  double tolerance = 1e-9;
  /// The proof must hold within this, or the status is `numerical_trouble`.
  double proof_tolerance = 1e-7;
  /// Simplex iterations, over all nodes of branch and bound; 0: 100 (rows + variables) + 20,000 for each node.
  int iteration_limit = 0;
  /// Maximum number of nodes in branch and bound.
  int node_limit = 1'000'000;
  /// If false, integer marks are ignored and the relaxation is solved.
  bool integers = true;
  /// A value counts as integer if it is nearer than this to one.
  double integer_tolerance = 1e-6;
  /// If false, a row without entries is an error that names it; problem files may have such rows.
  bool allow_empty_rows = false;
  /// Also keep the tree that proves the bound of an integer problem (solution::tree), so that verify() can check it.
  bool keep_tree = false;
  /// Also compute solution::ranges (not for integer problems).
  bool ranges = false;
};

namespace detail {

inline void check(const options& o) {
  const auto within = [](double x, double low, double high) { return x >= low && x <= high; };
  if (!within(o.tolerance, 1e-15, 1e-3)) complain("options::tolerance must be from 1e-15 to 1e-3");
  if (!within(o.proof_tolerance, 1e-15, 1e-3)) complain("options::proof_tolerance must be from 1e-15 to 1e-3");
  if (!within(o.integer_tolerance, 0, 0.1)) complain("options::integer_tolerance must be from 0 to 0.1");
  if (o.iteration_limit < 0) complain("options::iteration_limit must not be negative");
  if (o.node_limit < 1) complain("options::node_limit must be at least 1");
}

}  // namespace detail
}  // namespace plumbline::lp
