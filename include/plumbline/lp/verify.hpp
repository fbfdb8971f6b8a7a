#pragma once
/// verify: whether a solution is what its status says, from the problem's and the solution's numbers alone (prover.hpp
/// says how). With integer marks x must also be whole, and what is said to be optimal or infeasible needs
/// solution::tree (tree_proof.hpp; options::keep_tree), or multipliers that do without the marks.

#include <plumbline/lp/check.hpp>
#include <plumbline/lp/tree_proof.hpp>

namespace plumbline::lp {

struct verdict {
  bool holds = false;
  proof measured{};  ///< how far the proof is from exact; without meaning if parts of the proof are missing
};

/// Throws lp::error if the problem cannot be meant.
inline verdict verify(const problem& p, const solution& s, double tolerance = 1e-7) {
  check(p, true);
  bool marked = false;
  for (const variable& v : p.variables) marked = marked || v.integer;
  const bool by_tree = marked && !s.tree.empty();
  const bool x = s.x.size() == p.variables.size(),
             prices = s.duals.size() == p.rows.size() && s.reduced_costs.size() == p.variables.size();
  const bool complete = s.status == status::optimal      ? x && (by_tree || (prices && !marked))
                        : s.status == status::infeasible ? by_tree || s.farkas.size() == p.rows.size()
                        : s.status == status::unbounded  ? x && s.ray.size() == p.variables.size() && !marked
                                                         : false;
  if (!complete) return {};
  scaling u;
  u.find(p);
  const proof measured = by_tree  ? detail::tree_proof{}.measure(p, u, s)
                         : marked ? detail::prover{}.measure(detail::with_whole_limits(p), u, s)
                                  : detail::prover{}.measure(p, u, s);
  return {measured.worst() <= tolerance, measured};
}

}  // namespace plumbline::lp
