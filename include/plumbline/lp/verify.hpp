#pragma once
/// verify: whether a solution's proof holds, from the problem's and the solution's numbers alone. Residuals are relative to the
/// size of the sums they come from, or to the problem's own unit (units.hpp) where that is larger.
///   optimal      x is within all limits; duals and reduced costs have the signs that limits allow; both objectives agree
///                (weak duality: the duals bound every feasible x from the other side)
///   infeasible   the rows times `farkas` add up to one row that no x within its limits can satisfy (Farkas 1902)
///   unbounded    x is within all limits, and so is x + t ray for every t > 0, which improves with t
/// With integer marks, x must also be whole, and optimal or infeasible needs solution::tree: whatever x is, it is in one of the
/// leaves, and each leaf's multipliers prove that nothing better is there.

#include <plumbline/lp/solution.hpp>
#include <plumbline/lp/units.hpp>

#include <cmath>
#include <utility>

namespace plumbline::lp {

namespace detail {

/// Keeps the memory of its sums.
class prover {
 public:
  /// Of the relaxation.
  proof measure(const problem& p, const units& u, const solution& s) {
    start(p);
    proof out;
    if (s.status == status::infeasible) {
      out.farkas_residual = farkas(p, u, s.farkas);
      return out;
    }
    out.primal_residual = primal(p, u, s.x);
    if (s.status == status::unbounded)
      out.ray_residual = ray(p, u, s.ray);
    else
      dual(p, u, s, out);
    return out;
  }
  /// Of an integer problem's solution with its tree.
  proof measure_whole(const problem& p, const units& u, const solution& s) {
    start(p);
    proof out;
    const double sign = p.goal == sense::maximise ? -1 : 1;
    double cutoff = infinity;
    if (s.status == status::optimal) {
      out.primal_residual = primal(p, u, s.x);
      double objective = p.constant, size = std::abs(p.constant);
      for (int j = 0; j < n_; ++j) {
        const variable& v = p.variables[static_cast<std::size_t>(j)];
        if (v.integer && at(s.x, j) != std::round(at(s.x, j))) out.primal_residual = infinity;
        objective += v.cost * at(s.x, j);
        size += std::abs(v.cost * at(s.x, j));
      }
      cutoff = sign * objective;
      out.gap = std::abs(objective - s.objective) / std::max(size, power_of_two(u.size - u.cost));
    }
    problem part = p;
    if (s.tree.empty()) out.gap = infinity;
    else closed(part, u, s, 0, 0, cutoff, out);
    return out;
  }

 private:
  static double worse(double so_far, double x) { return x <= so_far ? so_far : std::isnan(x) ? infinity : x; }
  static double at(const std::vector<double>& v, int i) { return v[static_cast<std::size_t>(i)]; }
  void start(const problem& p) {
    m_ = static_cast<int>(p.rows.size());
    n_ = static_cast<int>(p.variables.size());
  }

  /// A x and the sizes of its sums, or A' y (of a problem's rows, or its variables).
  void sums(const problem& p, const std::vector<double>& v, bool by_row) {
    sum_.assign(by_row ? m_ : n_, 0.0);
    size_.assign(by_row ? m_ : n_, 0.0);
    for (const entry& e : p.entries) {
      const double x = e.value * at(v, by_row ? e.variable : e.row);
      const int k = by_row ? e.row : e.variable;
      sum_[k] += x;
      size_[k] += std::abs(x);
    }
  }
  static double violation(double x, double lower, double upper, double size, double unit) {
    const double limit = x < lower ? lower : upper, by = x < lower ? lower - x : x - upper;
    return x >= lower && x <= upper ? 0 : by / std::max(size + std::abs(limit), least_unit * unit);
  }

  double primal(const problem& p, const units& u, const std::vector<double>& x) {
    double worst = 0;
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      worst = worse(worst, violation(at(x, j), v.lower, v.upper, 0, u.of_variable(j)));
    }
    sums(p, x, true);
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

  /// What the multipliers prove: no x within its limits has an objective below this (as if minimised). `size`: of its terms.
  double bound_of(const problem& p, const units& u, const std::vector<double>& duals, double& size, double& residual) {
    const double sign = p.goal == sense::maximise ? -1 : 1;
    double bound = sign * p.constant;
    size = std::abs(p.constant);
    for (int i = 0; i < m_; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      const double y = sign * at(duals, i);
      if (!bounds(y, r.lower, r.upper, bound, size)) residual = worse(residual, std::abs(y) / u.of_dual(i));
    }
    sums(p, duals, false);
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      size_[j] += std::abs(v.cost);
      sum_[j] = sign * (v.cost - sum_[j]);
      const double d = std::abs(sum_[j]) <= rounding * size_[j] ? 0 : sum_[j];
      size_[j] = std::max(size_[j], least_unit * u.of_reduced_cost(j));
      if (!bounds(d, v.lower, v.upper, bound, size)) residual = worse(residual, std::abs(d) / size_[j]);
    }
    return bound;
  }

  void dual(const problem& p, const units& u, const solution& s, proof& out) {
    const double sign = p.goal == sense::maximise ? -1 : 1;
    double size = 0, objective = p.constant, objective_size = std::abs(p.constant);
    const double bound = sign * bound_of(p, u, s.duals, size, out.dual_residual);
    for (int j = 0; j < n_; ++j) {
      const double term = p.variables[static_cast<std::size_t>(j)].cost * at(s.x, j);
      objective += term;
      objective_size += std::abs(term);
      out.dual_residual = worse(out.dual_residual, std::abs(sign * sum_[j] - at(s.reduced_costs, j)) / size_[j]);
    }
    const double unit = std::max({objective_size, size, power_of_two(u.size - u.cost)});
    out.gap = worse(std::abs(objective - bound) / unit, std::abs(objective - s.objective) / unit);
  }

  /// That no whole x under a node of the tree is better than the cutoff.
  void closed(problem& p, const units& u, const solution& s, int node, int depth, double cutoff, proof& out) {
    if (node < 0 || node >= static_cast<int>(s.tree.size()) || depth > 10'000) {
      out.gap = infinity;
      return;
    }
    const tree_node& here = s.tree[static_cast<std::size_t>(node)];
    if (here.variable < 0) {
      if (static_cast<int>(here.multipliers.size()) != m_) {
        out.gap = infinity;
      } else if (here.infeasible) {
        out.farkas_residual = worse(out.farkas_residual, farkas(p, u, here.multipliers));
      } else {
        double size = 0;
        const double bound = bound_of(p, u, here.multipliers, size, out.dual_residual);
        out.gap = worse(out.gap, std::max(cutoff - bound, 0.0) / std::max(size, power_of_two(u.size - u.cost)));
      }
      return;
    }
    if (here.variable >= n_ || !p.variables[static_cast<std::size_t>(here.variable)].integer || here.at != std::round(here.at)) {
      out.gap = infinity;
      return;
    }
    double& upper = p.variables[static_cast<std::size_t>(here.variable)].upper;
    double& lower = p.variables[static_cast<std::size_t>(here.variable)].lower;
    const double old_upper = std::exchange(upper, std::min(upper, here.at));
    closed(p, u, s, here.below, depth + 1, cutoff, out);
    upper = old_upper;
    const double old_lower = std::exchange(lower, std::max(lower, here.at + 1));
    closed(p, u, s, here.above, depth + 1, cutoff, out);
    lower = old_lower;
  }

  double farkas(const problem& p, const units& u, const std::vector<double>& y) {
    double least = 0, size = 0, worst = 0, largest = 0;  // of y' r - (A'y)' x, over all r and x within their limits
    for (int i = 0; i < m_; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      largest = std::max(largest, std::abs(at(y, i)) * power_of_two(-u.row[i]));
      if (!bounds(at(y, i), r.lower, r.upper, least, size)) return infinity;
    }
    sums(p, y, false);
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      const double g = std::abs(sum_[j]) <= rounding * size_[j] ? 0 : -sum_[j];
      if (!bounds(g, v.lower, v.upper, least, size)) worst = worse(worst, std::abs(g) / std::max(size_[j], largest * power_of_two(-u.variable[j])));
    }
    return least > least_margin * size ? worst : infinity;
  }

  double ray(const problem& p, const units& u, const std::vector<double>& z) {
    double worst = 0, gain = 0, size = 0, largest = 0;
    const auto leaves = [](double by, const auto& limits) { return by < 0 ? limits.lower != -infinity : by > 0 && limits.upper != infinity; };
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      if (leaves(at(z, j), v)) return infinity;
      largest = std::max(largest, std::abs(at(z, j)) * power_of_two(-u.variable[j]));
      gain += v.cost * at(z, j);
      size += std::abs(v.cost * at(z, j));
    }
    sums(p, z, true);
    for (int i = 0; i < m_; ++i)
      if (leaves(sum_[i], p.rows[static_cast<std::size_t>(i)])) worst = worse(worst, std::abs(sum_[i]) / std::max(size_[i], largest * power_of_two(-u.row[i])));
    return (p.goal == sense::maximise ? gain : -gain) > least_margin * size ? worst : infinity;
  }

  static constexpr double least_unit = 1e-4;    ///< sums smaller than this, in the problem's units, count as this
  static constexpr double least_margin = 1e-9;  ///< of a proof's one inequality, relative to its terms
  static constexpr double rounding = 4e-15;       ///< of a sum, relative to its terms
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
  const auto fits = [](const auto& v, const auto& of) { return v.size() == of.size(); };
  const bool optimal = s.status == status::optimal, infeasible = s.status == status::infeasible;
  bool whole = false;
  for (const variable& v : p.variables) whole = whole || v.integer;
  const bool by_tree = whole && !s.tree.empty() && (optimal || infeasible);
  const bool complete = optimal      ? fits(s.x, p.variables) && (by_tree || (!whole && fits(s.duals, p.rows) && fits(s.reduced_costs, p.variables)))
                        : infeasible ? by_tree || fits(s.farkas, p.rows)
                                     : s.status == status::unbounded && !whole && fits(s.x, p.variables) && fits(s.ray, p.variables);
  if (!complete) return {};
  units u;
  u.find(p);
  detail::prover prover;
  const proof measured = by_tree ? prover.measure_whole(p, u, s) : prover.measure(p, u, s);
  return {measured.worst() <= tolerance, measured};
}

}  // namespace plumbline::lp
