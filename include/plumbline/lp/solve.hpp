#pragma once
/// solve: a linear program, with integer marks or without.
///   const lp::solution s = lp::solve(p);
///   if (s.status == lp::status::optimal) use(s.objective, s.x[rate]);  // rate: what add_variable returned
///   s.duals[budget];       // what one more unit of that row's limit is worth; how far that holds: options::ranges
///   lp::verify(p, s);      // the proof once more, independently; of integer problems with options::keep_tree
///   lp::solver keeps;      // its memory: solving another problem of a shape that it knows allocates nothing
///   keeps.solve(p);
///   keeps.solve_again(q);  // from the basis that p ended with
/// Mistakes in the data (problem.hpp, options.hpp) are an lp::error that names the row or the variable; that no x
/// exists, or that there is no end, is an answer (solution.hpp).

#include <plumbline/lp/branch_and_bound.hpp>
#include <plumbline/lp/verify.hpp>

namespace plumbline::lp {

class solver {
 public:
  /// Throws lp::error if the problem cannot be meant. The solution stays valid until the next call.
  const solution& solve(const problem& p, const options& o = {}) { return solve(p, o, nullptr); }
  /// The same, from a basis of an earlier solution.
  const solution& solve(const problem& p, const options& o, const basis& from) { return solve(p, o, &from); }
  /// The same, from where the last call ended, if that had the same shape.
  const solution& solve_again(const problem& p, const options& o = {}) {
    return solve(p, o, fits(solution_.basis, p) ? &solution_.basis : nullptr);
  }
  /// Of the last call that did not throw.
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
      if (o.ranges && solution_.status == status::optimal) relaxation_.tell_ranges(solution_);
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
