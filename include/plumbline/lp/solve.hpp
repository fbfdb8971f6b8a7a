#pragma once
/// solve: a linear program, with integer marks or without.
///   const lp::solution s = lp::solve(p);
///   lp::solver keeps its memory: solving problems of a shape that it has seen allocates nothing.

#include <plumbline/lp/simplex.hpp>
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
    const bool fits = s_.basis.variables.size() == p.variables.size() && s_.basis.rows.size() == p.rows.size();
    return solve(p, o, fits ? &s_.basis : nullptr);
  }
  const solution& last() const { return s_; }

 private:
  const solution& solve(const problem& p, const options& o, const basis* from) {
    check_(p, o.allow_empty_rows);
    if (from != nullptr && (from->variables.size() != p.variables.size() || from->rows.size() != p.rows.size()))
      detail::complain("the basis is of " + std::to_string(from->rows.size()) + " rows and " +
                       std::to_string(from->variables.size()) + " variables, the problem has " +
                       std::to_string(p.rows.size()) + " and " + std::to_string(p.variables.size()));
    units_.find(p);
    simplex_.load(p, units_);
    if (from != nullptr)
      simplex_.start_from(*from);
    else
      simplex_.start_cold();
    auto& t = simplex_.t;
    t.iteration_limit = o.iteration_limit > 0 ? o.iteration_limit : 100L * t.all + 20'000;
    double tolerance = o.tolerance;
    for (int attempt = 0;; ++attempt) {
      const auto now = simplex_.run(tolerance);
      extract(p, now);
      if (s_.status == status::iteration_limit) break;
      s_.proof = prover_.measure(p, units_, s_, false);
      if (now != detail::outcome::trouble && s_.proof.worst() <= o.proof_tolerance) break;
      if (attempt == 2) {
        s_.status = status::numerical_trouble;
        break;
      }
      tolerance *= attempt == 0 ? 1e-2 : 1e4;  // more exact, then less
    }
    s_.has_x = s_.status == status::optimal || s_.status == status::unbounded;
    return s_;
  }

  void extract(const problem& p, detail::outcome now) {
    using detail::outcome;
    const auto& t = simplex_.t;
    const auto at = [](auto& v, int i) -> auto& { return v[static_cast<std::size_t>(i)]; };
    const double sign = p.goal == sense::maximise ? -1 : 1;
    s_.status = now == outcome::done         ? status::optimal
                : now == outcome::infeasible ? status::infeasible
                : now == outcome::unbounded  ? status::unbounded
                : now == outcome::limit      ? status::iteration_limit
                                             : status::numerical_trouble;
    s_.iterations = t.iterations;
    s_.x.resize(p.variables.size());
    s_.reduced_costs.resize(p.variables.size());
    s_.basis.variables.resize(p.variables.size());
    s_.duals.resize(p.rows.size());
    s_.basis.rows.resize(p.rows.size());
    s_.activity.assign(p.rows.size(), 0.0);
    s_.objective = p.constant;
    for (int j = 0; j < t.n; ++j) {
      const variable& v = at(p.variables, j);
      const double x = t.x[j];
      at(s_.x, j) = std::max(v.lower, std::min(v.upper, x * units_.of_variable(j)));
      at(s_.reduced_costs, j) = sign * t.d[j] * units_.of_reduced_cost(j);
      at(s_.basis.variables, j) = t.at[j];
      s_.objective += v.cost * at(s_.x, j);
    }
    for (const entry& e : p.entries) at(s_.activity, e.row) += e.value * at(s_.x, e.variable);
    for (int i = 0; i < t.m; ++i) {
      const row& r = at(p.rows, i);
      double y = -t.d[t.n + i];
      if ((y > 0 && r.lower == -infinity) || (y < 0 && r.upper == infinity)) y = 0;
      at(s_.duals, i) = sign * y * units_.of_dual(i);
      at(s_.basis.rows, i) = detail::simplex::mirrored(t.at[t.n + i]);
    }
    s_.bound = s_.objective;
    s_.farkas.clear();
    s_.ray.clear();
    if (s_.status == status::infeasible) {
      s_.farkas.resize(p.rows.size());
      for (int i = 0; i < t.m; ++i) {
        double y = simplex_.dual.proof[i];
        if (std::abs(y) < 1e-9 && ((y > 0 && at(p.rows, i).lower == -infinity) || (y < 0 && at(p.rows, i).upper == infinity))) y = 0;
        at(s_.farkas, i) = y * detail::power_of_two(units_.row[i]);
      }
    }
    if (s_.status == status::unbounded) {
      s_.ray.resize(p.variables.size());
      for (int j = 0; j < t.n; ++j) {
        const variable& v = at(p.variables, j);
        double z = simplex_.primal.ray[j];
        if (std::abs(z) < 1e-9 && ((z < 0 && v.lower != -infinity) || (z > 0 && v.upper != infinity))) z = 0;
        at(s_.ray, j) = z * detail::power_of_two(units_.variable[j]);
      }
      s_.bound = sign * -infinity;
    }
  }

  detail::checker check_{};
  units units_{};
  detail::simplex simplex_{};
  detail::prover prover_{};
  solution s_{};
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
