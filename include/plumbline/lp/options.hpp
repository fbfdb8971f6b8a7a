#pragma once
/// What may be asked of the solver. The defaults are for everybody.

#include <plumbline/lp/check.hpp>

namespace plumbline::lp {

struct options {
  /// Limits and reduced costs may be missed by this much in the problem's own units (units.hpp).
  double tolerance = 1e-9;
  /// The proof must hold to this, or the status is `numerical_trouble`.
  double proof_tolerance = 1e-7;
  /// Simplex steps, over all nodes of branch and bound; 0: 100 (rows + variables) + 20,000 for each of them.
  int iteration_limit = 0;
  /// Nodes of branch and bound.
  int node_limit = 1'000'000;
  /// Integer marks are obeyed; without, the relaxation is solved.
  bool integers = true;
  /// An integer is whole if it is nearer than this to a whole number.
  double integer_tolerance = 1e-6;
  /// A row without entries is an error that names it; files of other people's problems may have them.
  bool allow_empty_rows = false;
  /// Also keep the tree that proves the bound of an integer problem, solution::tree: then verify() checks it.
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
