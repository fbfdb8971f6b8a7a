#pragma once
/// verify: checks whether a solution satisfies its status, from the values of the problem and the solution alone (see
/// prover.hpp). With integer variables x must also be integer, and optimality needs solution::tree (tree_proof.hpp;
/// options::keep_tree); infeasibility needs the tree or a Farkas certificate of the relaxation.

#include <plumbline/lp/check.hpp>
#include <plumbline/lp/tree_proof.hpp>

namespace plumbline::lp {

struct verdict {
  bool holds = false;
  proof measured{};  ///< how far the proof is from exact; meaningless if parts of the proof are missing
};

/// Throws lp::error if the problem is invalid.
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
