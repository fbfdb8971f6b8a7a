#pragma once
/// prover: measures how far a solution is from satisfying its status, from the values of the problem and the solution
/// alone. Residuals are relative to the size of the sums that they come from, or to 1e-4 of the largest scaled value of
/// the solution (scaling.hpp) if that is larger: what is left after cancellation is no smaller than the rounding error.
///   optimal      x is within all bounds; duals and reduced costs have the signs that the bounds allow; both objectives
///                agree (weak duality: the duals bound every feasible x from the other side)
///   infeasible   the rows times `farkas` add up to one row that no x within its bounds can satisfy (Farkas 1902)
///   unbounded    x is within all bounds, and so is x + t ray for every t > 0, which improves with t

#include <plumbline/lp/scaling.hpp>
#include <plumbline/lp/solution.hpp>

#include <cmath>

namespace plumbline::lp::detail {

/// Keeps its memory between calls.
class prover {
 public:
  /// Measures a solution of the relaxation.
  proof measure(const problem& p, const scaling& u, const solution& s) {
    start(p);
    proof out;
    disagreement_ = 0;
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

  /// The worst relative violation of a bound by x.
  double primal(const problem& p, const scaling& u, const std::vector<double>& x) {
    start(p);
    double worst = 0;
    size_of_x_.assign(u.size.size(), 0.0);
    for (int j = 0; j < n_; ++j) grow(size_of_x_[u.part_of_variable[j]], at(x, j) * power_of_two(-u.variable[j]));
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      if (!std::isfinite(at(x, j))) return infinity;
      worst = worse(worst, violation(at(x, j), v.lower, v.upper,
                                     least_unit * size_of_x_[u.part_of_variable[j]] * power_of_two(u.variable[j])));
    }
    row_sums(p, u, x);
    for (int i = 0; i < m_; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      worst = worse(worst,
                    violation(sum_[i], r.lower, r.upper,
                              std::max(size_[i], least_unit * size_of_x_[u.part_of_row[i]] * power_of_two(-u.row[i]))));
    }
    return worst;
  }

  /// Returns the bound that the multipliers prove: no feasible x has a lower objective (as if minimised). `size` gets
  /// the size of its terms; `residual` is raised to the worst violation of a sign.
  double bound_of(const problem& p, const scaling& u, const std::vector<double>& duals, double& size,
                  double& residual) {
    start(p);
    const double sign = p.goal == sense::maximise ? -1 : 1;
    double bound = sign * p.constant;
    size = std::abs(p.constant);
    size_of_y_.assign(u.size.size(), 0.0);
    for (int i = 0; i < m_; ++i) grow(size_of_y_[u.part_of_row[i]], at(duals, i) * power_of_two(-u.row[i]));
    for (int j = 0; j < n_; ++j)
      grow(size_of_y_[u.part_of_variable[j]],
           p.variables[static_cast<std::size_t>(j)].cost * power_of_two(u.variable[j]));
    for (int i = 0; i < m_; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      const double y = sign * at(duals, i);
      if (!bounds(y, r.lower, r.upper, bound, size))
        residual = worse(residual, std::abs(y) * power_of_two(-u.row[i]) / size_of_y_[u.part_of_row[i]]);
    }
    column_sums(p, u, duals);
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      size_[j] += std::abs(v.cost);
      sum_[j] = sign * (v.cost - sum_[j]);
      const double d = std::abs(sum_[j]) <= rounding * size_[j] ? 0 : sum_[j];
      size_[j] = std::max(size_[j], least_unit * size_of_y_[u.part_of_variable[j]] * power_of_two(-u.variable[j]));
      if (!bounds(d, v.lower, v.upper, bound, size)) residual = worse(residual, std::abs(d) / size_[j]);
    }
    return bound;
  }

  /// How far the rows times y are from a contradiction: 0 if they are one, infinite if they are not even near one.
  double farkas(const problem& p, const scaling& u, const std::vector<double>& y) {
    start(p);
    double least = 0, size = 0, worst = 0, largest = 0;  // of y' r - (A'y)' x, over all r and x within their bounds
    for (int i = 0; i < m_; ++i) {
      const row& r = p.rows[static_cast<std::size_t>(i)];
      largest = std::max(largest, std::abs(at(y, i)) * power_of_two(-u.row[i]));
      if (!bounds(at(y, i), r.lower, r.upper, least, size)) return infinity;
    }
    column_sums(p, u, y);
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      const double g = std::abs(sum_[j]) <= rounding * size_[j] ? 0 : -sum_[j];
      if (!bounds(g, v.lower, v.upper, least, size))
        worst = worse(worst, std::abs(g) / std::max(size_[j], largest * power_of_two(-u.variable[j])));
    }
    return least > least_margin * size ? worst : infinity;
  }

  /// The error `by` of an objective, relative to the size of its terms and its bound's, or to 1e-4 of the largest term
  /// that is possible if all of x were as large as its largest value.
  double relative(const problem& p, const scaling& u, double by, double size) const {
    if (by == 0) return 0;
    double most = 0;
    for (int j = 0; j < n_; ++j)
      grow(most, p.variables[static_cast<std::size_t>(j)].cost * power_of_two(u.variable[j]) *
                     size_of_x_[u.part_of_variable[j]]);
    return worse(0, by / std::max(size, least_unit * most));
  }
  /// In the last measurement: between the reduced costs and those computed from the duals.
  double disagreement() const { return disagreement_; }
  static double worse(double so_far, double x) { return x <= so_far ? so_far : std::isnan(x) ? infinity : x; }

 private:
  static void grow(double& size, double x) { size = std::max(size, std::abs(x)); }
  static double at(const std::vector<double>& v, int i) { return v[static_cast<std::size_t>(i)]; }
  void start(const problem& p) {
    m_ = static_cast<int>(p.rows.size());
    n_ = static_cast<int>(p.variables.size());
    for (auto* v : {&sum_, &size_, &size_of_x_, &size_of_y_}) v->reserve(m_ + n_);
  }

  /// A x and the sizes of its sums.
  void row_sums(const problem& p, const scaling& u, const std::vector<double>& x) {
    for (auto* of_rows : {&sum_, &size_}) of_rows->resize(m_);
    for (int i = 0; i < m_; ++i) {
      double sum = 0, size = 0;
      u.for_row(p, i, [&](int j, double a) {
        sum += a * at(x, j);
        size += std::abs(a * at(x, j));
      });
      sum_[i] = sum;
      size_[i] = size;
    }
  }
  /// A' y and the sizes of its sums.
  void column_sums(const problem& p, const scaling& u, const std::vector<double>& y) {
    for (auto* of_columns : {&sum_, &size_}) of_columns->assign(n_, 0.0);
    for (int i = 0; i < m_; ++i)
      if (const double by = at(y, i); by != 0)
        u.for_row(p, i, [&](int j, double a) {
          sum_[j] += a * by;
          size_[j] += std::abs(a * by);
        });
  }
  static double violation(double x, double lower, double upper, double size) {
    const double limit = x < lower ? lower : upper, by = x < lower ? lower - x : x - upper;
    return x >= lower && x <= upper ? 0 : by / (size + std::abs(limit));
  }

  /// Adds the contribution of a multiplier to the bound. Returns false if its sign would need an infinite bound.
  static bool bounds(double y, double lower, double upper, double& sum, double& size) {
    if (y == 0) return true;
    const double limit = y > 0 ? lower : upper;
    if (limit == -infinity || limit == infinity) return false;
    sum += y * limit;
    size += std::abs(y * limit);
    return true;
  }

  void dual(const problem& p, const scaling& u, const solution& s, proof& out) {
    const double sign = p.goal == sense::maximise ? -1 : 1;
    double size = 0, objective = p.constant, objective_size = std::abs(p.constant);
    const double bound = sign * bound_of(p, u, s.duals, size, out.dual_residual);
    for (int j = 0; j < n_; ++j) {
      const double term = p.variables[static_cast<std::size_t>(j)].cost * at(s.x, j);
      objective += term;
      objective_size += std::abs(term);
      const double off = std::abs(sign * sum_[j] - at(s.reduced_costs, j));
      if (!(off == 0)) disagreement_ = worse(disagreement_, off / size_[j]);
    }
    out.dual_residual = worse(out.dual_residual, disagreement_);
    out.gap = relative(p, u, std::max(std::abs(objective - bound), std::abs(objective - s.objective)),
                       std::max(objective_size, size));
  }

  double ray(const problem& p, const scaling& u, const std::vector<double>& z) {
    double worst = 0, gain = 0, size = 0, largest = 0;
    const auto leaves = [](double by, const auto& limits) {
      return by < 0 ? limits.lower != -infinity : by > 0 && limits.upper != infinity;
    };
    for (int j = 0; j < n_; ++j) {
      const variable& v = p.variables[static_cast<std::size_t>(j)];
      if (leaves(at(z, j), v)) return infinity;
      largest = std::max(largest, std::abs(at(z, j)) * power_of_two(-u.variable[j]));
      gain += v.cost * at(z, j);
      size += std::abs(v.cost * at(z, j));
    }
    row_sums(p, u, z);
    for (int i = 0; i < m_; ++i)
      if (leaves(sum_[i], p.rows[static_cast<std::size_t>(i)]))
        worst = worse(worst, std::abs(sum_[i]) / std::max(size_[i], largest * power_of_two(-u.row[i])));
    return (p.goal == sense::maximise ? gain : -gain) > least_margin * size ? worst : infinity;
  }

  static constexpr double least_unit = 1e-4;    ///< least size of a sum, relative to the largest value
  static constexpr double least_margin = 1e-9;  ///< of the one inequality of a proof, relative to its terms
  static constexpr double rounding = 4e-15;     ///< error of a sum, relative to its terms
  int m_ = 0, n_ = 0;
  double disagreement_ = 0;
  array<double> sum_{}, size_{};
  array<double> size_of_x_{}, size_of_y_{};  ///< the largest |x| and |y| of each part, scaled
};

}  // namespace plumbline::lp::detail
