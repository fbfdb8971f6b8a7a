#pragma once
/// relaxation: solves one linear program, without integer marks, to a result whose proof holds. The result of the
/// simplex method is unscaled and measured in the original problem; if its proof does not hold, the method continues
/// with other tolerances.

#include <plumbline/lp/branching.hpp>
#include <plumbline/lp/prover.hpp>
#include <plumbline/lp/sensitivity.hpp>
#include <plumbline/lp/simplex.hpp>

namespace plumbline::lp::detail {

class relaxation {
 public:
  /// The problem must have passed check(). `from`: a basis of its shape, or null.
  void load(const problem& p, const basis* from) {
    reserve(other_, p.rows.size(), p.variables.size());
    for (auto* sizes : {&size_x_, &size_y_}) sizes->reserve(static_cast<int>(p.rows.size() + p.variables.size()));
    scaling_.find(p);
    simplex_.load(p, scaling_);
    branching_.resize(simplex_.t);
    from != nullptr ? simplex_.start_from(*from) : simplex_.start_cold();
  }
  /// Changes the bounds of a variable, which must be changed in the problem too; the next run starts from the last
  /// basis.
  void limit(int j, double lower, double upper) {
    simplex_.t.true_lower[j] = lower / scaling_.of_variable(j);
    simplex_.t.true_upper[j] = upper / scaling_.of_variable(j);
  }
  long iterations() const { return simplex_.t.iterations; }

  /// Solves to a result whose proof holds, if one is found.
  void run(const problem& p, const options& o, solution& s) {
    go(o);
    prove(p, o, s);
  }
  /// Runs the simplex method and returns x, without a proof: for a node of branch and bound that will be split, from
  /// which nothing is concluded. The status is optimal or, if not known, numerical_trouble.
  void look(const problem& p, const options& o, solution& s) {
    go(o);
    s.status = ended_ == outcome::done ? status::optimal : status::numerical_trouble;
    if (ended_ == outcome::done) unscale_point(p, s);
  }
  /// Turns what look() ended with into a result with its proof.
  void prove(const problem& p, const options& o, solution& s) {
    auto& t = simplex_.t;
    const auto fine = [&] { return s.status == status::iteration_limit || s.proof.worst() <= 0.01 * o.tolerance; };
    answer(p, o, o.tolerance, ended_, s);
    // a tighter tolerance; then scaled by the size of the solution; then, if no proof holds, other tolerances
    if (!fine()) better(p, o, 1e-2 * o.tolerance, s);
    if (!fine() && resize(p, s)) better(p, o, o.tolerance, s);
    for (const double other : {1e-3 * o.tolerance, 1e-4 * o.tolerance, std::max(100 * o.tolerance, 1e-7)})
      if (s.status == status::numerical_trouble) better(p, o, other, s);
    s.has_x = s.status == status::optimal || s.status == status::unbounded;
    s.iterations = t.iterations;
    const double worst = p.goal == sense::maximise ? -infinity : infinity;
    if (s.status == status::infeasible) s.objective = worst;
    s.bound = s.status == status::optimal || s.status == status::infeasible ? s.objective : -worst;
  }

  /// After look(): the cost of splitting at variable j (branching.hpp), as if minimised.
  penalty cost_of_splitting(int j, double down, double up) {
    if (simplex_.t.at[j] != basis_status::basic) return {};
    const int part = scaling_.part_of_variable[j];
    const double unit = power_of_two(scaling_.size[part] - scaling_.cost[part]), by = 1 / scaling_.of_variable(j);
    const penalty cost = branching_.of(simplex_.t, j, down * by, up * by);
    return {cost.down * unit, cost.up * unit};
  }

  /// Sets s.ranges, after an optimal run.
  void find_ranges(solution& s) { plumbline::lp::detail::find_ranges(simplex_.t, scaling_, s); }

 private:
  /// Runs the simplex method to its end.
  void go(const options& o) {
    auto& t = simplex_.t;
    t.iteration_limit = o.iteration_limit > 0 ? o.iteration_limit : t.iterations + 100L * t.all + 20'000;
    ended_ = go(o.tolerance);
  }
  outcome go(double tolerance) {
    const outcome now = simplex_.run(tolerance);
    // violations within the tolerance can be large relative to the terms that the proof measures: a few steps fix them
    if (now == outcome::done && !simplex_.holds(0.01 * tolerance) && simplex_.run(0.01 * tolerance) != outcome::done)
      return simplex_.run(tolerance);
    return now;
  }
  void answer(const problem& p, const options& o, double tolerance, outcome now, solution& s) {
    s.status = now == outcome::infeasible  ? status::infeasible
               : now == outcome::unbounded ? status::unbounded
               : now == outcome::limit     ? status::iteration_limit
                                           : status::optimal;
    clean_ = true;
    unscale(p, now, s);
    if (now == outcome::limit) return;
    if (!(s.proof.worst() <= 0.01 * tolerance)) {
      simplex_.t.refine_x();
      simplex_.t.refine_d();
      unscale(p, now, s);
    }
    if (const double cleaned = s.proof.worst();
        !(cleaned <= 0.01 * tolerance) && prover_.disagreement() > 0.01 * tolerance) {
      clean_ = false;
      unscale(p, now, s);
      clean_ = !(s.proof.worst() < cleaned);
      if (clean_) unscale(p, now, s);
    }
    if (!(s.proof.worst() <= o.proof_tolerance)) s.status = status::numerical_trouble;
  }
  void unscale(const problem& p, outcome now, solution& s) {
    unscale_point(p, s);
    unscale_prices(p, s);
    s.farkas.clear();
    s.ray.clear();
    if (now == outcome::infeasible) unscale_farkas(p, s);
    if (now == outcome::unbounded) unscale_ray(p, s);
    s.proof = now == outcome::limit ? proof{} : prover_.measure(p, scaling_, s);
  }
  /// Chooses the scale of x and of the duals again if the estimates from bounds and costs were wrong, and reloads.
  bool resize(const problem& p, const solution& s) {
    auto& t = simplex_.t;
    const int parts = scaling_.size.size();
    size_x_.assign(parts, 0.0);
    size_y_.assign(parts, 0.0);
    const auto grow = [](double& size, double x) { size = std::max(size, std::isfinite(x) ? std::abs(x) : 0.0); };
    for (int j = 0; j < t.n; ++j) grow(size_x_[scaling_.part_of_variable[j]], t.x[j]);
    for (int i = 0; i < t.m; ++i) grow(size_y_[scaling_.part_of_row[i]], t.d[t.n + i]);
    bool other = false;
    for (int k = 0; k < parts; ++k) {
      const int by_x = size_x_[k] > 0 ? exponent_of(size_x_[k]) : 0,
                by_y = size_y_[k] > 0 ? exponent_of(size_y_[k]) : 0;
      if (std::abs(by_x) < 3 && std::abs(by_y) < 3) continue;
      scaling_.size[k] += by_x;
      scaling_.cost[k] -= by_y;
      other = true;
    }
    if (!other) return false;
    const long iterations = t.iterations, limit = t.iteration_limit;
    simplex_.load(p, scaling_);
    simplex_.start_from(s.basis);
    t.iterations = iterations;
    t.iteration_limit = limit;
    return true;
  }
  /// Makes another attempt, which is kept if its proof is better.
  void better(const problem& p, const options& o, double tolerance, solution& s) {
    simplex_.t.careful = true;
    answer(p, o, tolerance, go(tolerance), other_);
    simplex_.t.careful = false;
    const bool holds = other_.status != status::numerical_trouble && other_.status != status::iteration_limit;
    if (holds && (s.status == status::numerical_trouble || other_.proof.worst() < s.proof.worst())) {
      std::swap(s.tree, other_.tree);
      std::swap(s.ranges, other_.ranges);
      std::swap(s, other_);
    } else {
      simplex_.start_from(s.basis);
      simplex_.restore();
    }
  }

  static auto& of(auto& v, int i) { return v[static_cast<std::size_t>(i)]; }

  void unscale_point(const problem& p, solution& s) const {
    const auto& t = simplex_.t;
    s.x.resize(p.variables.size());
    s.basis.variables.resize(p.variables.size());
    s.basis.rows.resize(p.rows.size());
    s.activity.resize(p.rows.size());
    s.objective = p.constant;
    for (int j = 0; j < t.n; ++j) {
      const variable& v = of(p.variables, j);
      of(s.x, j) = std::max(v.lower, std::min(v.upper, t.x[j] * scaling_.of_variable(j)));
      of(s.basis.variables, j) = t.at[j];
      s.objective += v.cost * of(s.x, j);
    }
    for (int i = 0; i < t.m; ++i) {
      of(s.basis.rows, i) = simplex::mirrored(t.at[t.n + i]);
      double sum = 0;
      scaling_.for_row(p, i, [&](int j, double a) { sum += a * of(s.x, j); });
      of(s.activity, i) = sum;
    }
  }

  /// A dual value that would need an infinite bound is within tolerance of zero, and reported as zero; unless its row
  /// has coefficients so large that this would show in the reduced costs.
  double allowed(double y, double lower, double upper) const { return clean_ && forbidden(y, lower, upper) ? 0 : y; }
  static bool forbidden(double y, double lower, double upper) {
    return (y > 0 && lower == -infinity) || (y < 0 && upper == infinity);
  }

  void unscale_prices(const problem& p, solution& s) const {
    const auto& t = simplex_.t;
    const double sign = p.goal == sense::maximise ? -1 : 1;
    s.duals.resize(p.rows.size());
    s.reduced_costs.resize(p.variables.size());
    for (int i = 0; i < t.m; ++i)
      of(s.duals, i) =
          sign * allowed(-t.d[t.n + i], of(p.rows, i).lower, of(p.rows, i).upper) * scaling_.of_dual(i) + 0.0;  // no -0
    for (int j = 0; j < t.n; ++j) of(s.reduced_costs, j) = sign * t.d[j] * scaling_.of_reduced_cost(j) + 0.0;
  }

  void unscale_farkas(const problem& p, solution& s) const {
    const auto& y = simplex_.dual.proof;
    double largest = 0;
    for (const double v : y) largest = std::max(largest, std::abs(v));
    s.farkas.resize(p.rows.size());
    for (int i = 0; i < simplex_.t.m; ++i) {
      const row& r = of(p.rows, i);
      const double v = std::abs(y[i]) > 1e-9 * largest || !forbidden(y[i], r.lower, r.upper) ? y[i] : 0;
      of(s.farkas, i) = v / scaling_.of_row(i);
    }
  }

  void unscale_ray(const problem& p, solution& s) const {
    const auto& z = simplex_.primal.ray;
    double largest = 0;
    for (int j = 0; j < simplex_.t.n; ++j) largest = std::max(largest, std::abs(z[j]));
    s.ray.resize(p.variables.size());
    for (int j = 0; j < simplex_.t.n; ++j)
      of(s.ray, j) = std::abs(z[j]) > 1e-11 * largest ? z[j] * scaling_.of_variable(j) : 0;
  }

  scaling scaling_{};
  simplex simplex_{};
  prover prover_{};
  branching branching_{};
  outcome ended_ = outcome::trouble;  ///< of the simplex method, before any retry
  solution other_{};
  array<double> size_x_{}, size_y_{};
  bool clean_ = true;
};

}  // namespace plumbline::lp::detail
