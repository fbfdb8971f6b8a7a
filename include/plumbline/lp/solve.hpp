#pragma once
/// solve: solves a linear program, with or without integer variables.
///   const lp::solution s = lp::solve(p);
///   if (s.status == lp::status::optimal) use(s.objective, s.x[rate]);  // rate: what add_variable returned
///   s.duals[budget];       // the value of one more unit of that row's bound; options::ranges: how far that holds
///   lp::verify(p, s);      // checks the proof independently; integer problems need options::keep_tree
///   lp::solver keeps;      // keeps its memory: solving another problem of the same shape allocates nothing
///   keeps.solve(p);
///   keeps.solve_again(q);  // starts from the final basis of p
/// Invalid data (problem.hpp, options.hpp) throw an lp::error that names the row or the variable. That a problem is
/// infeasible or unbounded is a result (solution.hpp).

#include <plumbline/lp/branch_and_bound.hpp>
#include <plumbline/lp/verify.hpp>

namespace plumbline::lp {

class solver {
 public:
  /// Throws lp::error if the problem is invalid. The solution stays valid until the next call.
  const solution& solve(const problem& p, const options& o = {}) { return solve(p, o, nullptr); }
  /// The same, starting from the basis of an earlier solution.
  const solution& solve(const problem& p, const options& o, const basis& from) { return solve(p, o, &from); }
  /// The same, starting from the final basis of the last call, if that had the same shape.
  const solution& solve_again(const problem& p, const options& o = {}) {
    return solve(p, o, fits(solution_.basis, p) ? &solution_.basis : nullptr);
  }
  /// The solution of the last call that did not throw.
  const solution& last() const { return solution_; }

 private:
  static bool fits(const basis& b, const problem& p) {
    return b.variables.size() == p.variables.size() && b.rows.size() == p.rows.size();
  }

  const solution& solve(const problem& p, const options& o, const basis* from) {
    detail::check(o);
    check_(p, o.allow_empty_rows);
    if (from != nullptr && !fits(*from, p))
      detail::complain("the basis is of " + std::to_string(from->rows.size()) + " rows and " +
                       std::to_string(from->variables.size()) + " variables, the problem has " +
                       std::to_string(p.rows.size()) + " and " + std::to_string(p.variables.size()));
    relaxation_.load(p, from);  // reads `from`, which may be the last solution's
    detail::reserve(solution_, p.rows.size(), p.variables.size());
    bool whole = false;
    for (const variable& v : p.variables) whole = whole || v.integer;
    solution_.ranges.clear();
    if (whole && o.integers) {
      solution_.tree.clear();
      tree_.run(p, o, relaxation_, solution_);
    } else {
      relaxation_.run(p, o, solution_);
      solution_.nodes = 0;
      if (o.ranges && solution_.status == status::optimal) relaxation_.find_ranges(solution_);
    }
    return solution_;
  }

  detail::checker check_{};
  detail::relaxation relaxation_{};
  detail::branch_and_bound tree_{};
  solution solution_{};
};

inline solution solve(const problem& p, const options& o = {}) {
  solver s;
  return s.solve(p, o);
}
inline solution solve(const problem& p, const options& o, const basis& from) {
  solver s;
  return s.solve(p, o, from);
}

}  // namespace plumbline::lp
