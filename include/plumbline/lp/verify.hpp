#pragma once
/// verify: whether a solution's proof holds, from the problem's and the solution's numbers alone. Residuals are relative to the
/// size of the sums they come from, or to the problem's own unit (units.hpp) where that is larger.
///   optimal      x is within all limits; duals and reduced costs have the signs that limits allow; both objectives agree
///                (weak duality: the duals bound every feasible x from the other side)
///   infeasible   the rows times `farkas` add up to one row that no x within its limits can satisfy (Farkas 1902)
///   unbounded    x is within all limits, and so is x + t ray for every t > 0, which improves with t
/// With integer marks, optimal says that x is feasible and whole and equal to the bound; that the tree which proved the bound
/// was searched rightly is not in the solution.

#include <plumbline/lp/solution.hpp>
#include <plumbline/lp/units.hpp>

#include <cmath>

namespace plumbline::lp {

namespace detail {

/// Keeps the memory of its sums.
class prover {
 public:
  proof measure(const problem& p, const units& u, const solution& s, bool whole) {
    m_ = static_cast<int>(p.rows.size());
    n_ = static_cast<int>(p.variables.size());
    proof out;
    if (s.status == status::infeasible) {
      out.farkas_residual = farkas(p, s);
      return out;
    }
    out.primal_residual = primal(p, u, s);
    if (s.status == status::unbounded)
      out.ray_residual = ray(p, s);
    else if (whole)
      out.gap = std::abs(s.objective - s.bound) / std::max({std::abs(s.objective), std::abs(s.bound), 1e-300});
    else
      dual(p, u, s, out);
    return out;
  }

 private:
  static double worse(double so_far, double x) { return x <= so_far ? so_far : std::isnan(x) ? infinity : x; }
  static double sized(const std::vector<double>& v, int i) { return v[static_cast<std::size_t>(i)]; }

  /// A x and the sizes of its sums, or A' y (of a problem's rows, or its variables).
  void sums(const problem& p, const std::vector<double>& v, bool by_row) {
    sum_.assign(by_row ? m_ : n_, 0.0);
    size_.assign(by_row ? m_ : n_, 0.0);
    for (const entry& e : p.entries) {
      const double x = e.value * sized(v, by_row ? e.variable : e.row);
      const int k = by_row ? e.row : e.variable;
      sum_[k] += x;
      size_[k] += std::abs(x);
    }
  }
  static double violation(double x, double lower, double upper, double size, double unit) {
    const double limit = x < lower ? lower : upper, by = x < lower ? lower - x : x - upper;
    return x >= lower && x <= upper ? 0 : by / std::max(size + std::abs(limit), unit);
  }

  double primal(const problem& p, const units& u, const solution& s) {
    double worst = 0;
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      worst = worse(worst, violation(sized(s.x, j), v.lower, v.upper, 0, u.of_variable(j)));
    }
    sums(p, s.x, true);
    for (int i = 0; i < m_; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      worst = worse(worst, violation(sum_[i], r.lower, r.upper, size_[i], u.of_row(i)));
    }
    return worst;
  }

  /// Of a multiplier with its limits: what it adds to the bound; false if it has a sign that would need an infinite limit.
  static bool bounds(double y, double lower, double upper, double& sum, double& size) {
    if (y == 0) return true;
    const double limit = y > 0 ? lower : upper;
    if (limit == -infinity || limit == infinity) return false;
    sum += y * limit;
    size += std::abs(y * limit);
    return true;
  }

  void dual(const problem& p, const units& u, const solution& s, proof& out) {
    const double sign = p.goal == sense::maximise ? -1 : 1;
    double bound = sign * p.constant, size = std::abs(p.constant), objective = p.constant, objective_size = size;
    for (int i = 0; i < m_; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      const double y = sign * sized(s.duals, i);
      if (!bounds(y, r.lower, r.upper, bound, size)) out.dual_residual = worse(out.dual_residual, std::abs(y) / u.of_dual(i));
    }
    sums(p, s.duals, false);
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      const double of_sum = size_[j] + std::abs(v.cost);
      double d = sign * (v.cost - sum_[j]);
      if (std::abs(d) <= rounding * of_sum) d = 0;
      if (!bounds(d, v.lower, v.upper, bound, size))
        out.dual_residual = worse(out.dual_residual, std::abs(d) / std::max(of_sum, u.of_reduced_cost(j)));
      out.dual_residual = worse(out.dual_residual, std::abs(sign * d - sized(s.reduced_costs, j)) / std::max(of_sum, u.of_reduced_cost(j)));
      objective += v.cost * sized(s.x, j);
      objective_size += std::abs(v.cost * sized(s.x, j));
    }
    const double unit = std::max({objective_size, size, power_of_two(u.size - u.cost)});
    out.gap = worse(std::abs(objective - sign * bound) / unit, std::abs(objective - s.objective) / unit);
  }

  double farkas(const problem& p, const solution& s) {
    double least = 0, size = 0, worst = 0;  // of y' r - (A'y)' x, over all r and x within their limits
    for (int i = 0; i < m_; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      if (!bounds(sized(s.farkas, i), r.lower, r.upper, least, size)) return infinity;
    }
    sums(p, s.farkas, false);
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      const double g = std::abs(sum_[j]) <= rounding * size_[j] ? 0 : -sum_[j];
      if (!bounds(g, v.lower, v.upper, least, size)) worst = worse(worst, std::abs(g) / size_[j]);
    }
    return least > 1e-9 * size ? worst : infinity;
  }

  double ray(const problem& p, const solution& s) {
    double worst = 0, gain = 0, size = 0;
    const auto leaves = [](double by, const auto& limits) { return by < 0 ? limits.lower != -infinity : by > 0 && limits.upper != infinity; };
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      if (leaves(sized(s.ray, j), v)) return infinity;
      gain += v.cost * sized(s.ray, j);
      size += std::abs(v.cost * sized(s.ray, j));
    }
    sums(p, s.ray, true);
    for (int i = 0; i < m_; ++i)
      if (leaves(sum_[i], p.rows[static_cast<std::size_t>(i)])) worst = worse(worst, std::abs(sum_[i]) / size_[i]);
    return (p.goal == sense::maximise ? gain : -gain) > 1e-9 * size ? worst : infinity;
  }

  static constexpr double rounding = 4e-15;  ///< of a sum, relative to its terms
  int m_ = 0, n_ = 0;
  array<double> sum_{}, size_{};
};

}  // namespace detail

/// Whether the solution is what its status says, to `tolerance`; and how far its proof is from exact.
struct verdict {
  bool holds = false;
  proof measured{};
};

inline verdict verify(const problem& p, const solution& s, double tolerance = 1e-7) {
  const auto has = [](const auto& v, const auto& of) { return v.size() == of.size(); };
  const bool with_x = s.status == status::optimal || s.status == status::unbounded;
  if (!with_x && s.status != status::infeasible) return {};
  bool whole = false;
  for (const variable& v : p.variables) whole = whole || v.integer;
  if (with_x && !has(s.x, p.variables)) return {};
  if (s.status == status::optimal && !whole && !(has(s.duals, p.rows) && has(s.reduced_costs, p.variables))) return {};
  if (s.status == status::infeasible && !has(s.farkas, p.rows)) return {};
  if (s.status == status::unbounded && !has(s.ray, p.variables)) return {};
  units u;
  u.find(p);
  const proof measured = detail::prover{}.measure(p, u, s, whole);
  return {measured.worst() <= tolerance, measured};
}

}  // namespace plumbline::lp
