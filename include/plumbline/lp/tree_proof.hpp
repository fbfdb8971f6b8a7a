#pragma once
/// tree proof: checks that no integer x is better than a solution of branch and bound. An integer variable is on one
/// side of each split whatever its value, so every integer x is in a leaf of the tree, and each leaf's multipliers
/// prove that nothing better is there.

#include <plumbline/lp/prover.hpp>

#include <utility>

namespace plumbline::lp::detail {

/// Rounds the bounds of an integer variable to integers. Returns false if no integer is between them.
inline bool round_limits(variable& v) {
  if (!v.integer) return true;
  v.lower = std::ceil(v.lower);
  v.upper = std::floor(v.upper);
  return v.lower <= v.upper;
}

inline problem with_whole_limits(problem p) {
  for (variable& v : p.variables) round_limits(v);
  return p;
}

class tree_proof {
 public:
  proof measure(const problem& p, const scaling& u, const solution& s) {
    part_ = p;
    out_ = {};
    cutoff_ = infinity;  // as if minimised
    const double sign = p.goal == sense::maximise ? -1 : 1;
    if (s.status == status::optimal) {
      out_.primal_residual = prover_.primal(p, u, s.x);
      double objective = p.constant, size = std::abs(p.constant);
      for (std::size_t j = 0; j < p.variables.size(); ++j) {
        if (p.variables[j].integer && s.x[j] != std::round(s.x[j])) out_.primal_residual = infinity;
        objective += p.variables[j].cost * s.x[j];
        size += std::abs(p.variables[j].cost * s.x[j]);
      }
      cutoff_ = sign * objective;
      out_.gap = prover_.relative(p, u, std::abs(objective - s.objective), size);
    }
    bool some = true;
    for (variable& v : part_.variables) some = round_limits(v) && some;
    if (some) closed(u, s, 0, 0);
    return out_;
  }

 private:
  /// Checks that nothing below a node is better than the cutoff; if something may be, the gap records by how much.
  void closed(const scaling& u, const solution& s, int number, int depth) {
    const auto count = static_cast<int>(s.tree.size());
    if (number < 0 || number >= count || depth > count) return fail();
    const tree_node& node = s.tree[static_cast<std::size_t>(number)];
    if (node.variable < 0) return leaf(u, node);
    if (node.variable >= static_cast<int>(part_.variables.size()) || node.at != std::floor(node.at)) return fail();
    variable& v = part_.variables[static_cast<std::size_t>(node.variable)];
    if (!v.integer) return fail();
    const double lower = v.lower, upper = v.upper;
    v.upper = std::min(upper, node.at);
    if (v.lower <= v.upper) closed(u, s, node.below, depth + 1);
    v.upper = upper;
    v.lower = std::max(lower, node.at + 1);
    if (v.lower <= v.upper) closed(u, s, node.above, depth + 1);
    v.lower = lower;
  }
  void leaf(const scaling& u, const tree_node& node) {
    if (node.multipliers.size() != part_.rows.size()) return fail();
    if (node.infeasible) {
      out_.farkas_residual = prover::worse(out_.farkas_residual, prover_.farkas(part_, u, node.multipliers));
      return;
    }
    if (cutoff_ == infinity) return fail();  // every leaf must be infeasible
    double size = 0;
    const double bound = prover_.bound_of(part_, u, node.multipliers, size, out_.dual_residual);
    const double missing = cutoff_ > bound ? cutoff_ - bound : 0;
    out_.gap = prover::worse(out_.gap, prover_.relative(part_, u, missing, size));
  }
  void fail() { out_.gap = infinity; }

  problem part_{};  ///< the problem with the bounds of a node
  proof out_{};
  double cutoff_ = 0;
  prover prover_{};
};

}  // namespace plumbline::lp::detail
