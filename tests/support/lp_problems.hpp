#pragma once
// Linear programs whose answer is known by construction: a point and prices are drawn first, then data that make them
// optimal (or multipliers that contradict the rows, or a ray that improves without limit).

#include <plumbline/lp/solve.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace plumbline_test {

namespace lp = plumbline::lp;

struct known_problem {
  lp::problem p{};
  lp::status status = lp::status::optimal;
  double objective = 0;
};

class problem_maker {
 public:
  explicit problem_maker(std::uint64_t seed, bool other_units = true) : random_(seed), other_units_(other_units) {}

  bool chance(double probability) { return std::uniform_real_distribution<>(0, 1)(random_) < probability; }
  int number(int low, int high) { return std::uniform_int_distribution<>(low, high)(random_); }
  double real(double low, double high) { return std::uniform_real_distribution<>(low, high)(random_); }

  // A problem with an optimum; at most `most` rows and variables, possibly none.
  known_problem optimal(int most) {
    known_problem out;
    frame(out.p, most);
    const int n = variables(), m = rows();
    std::vector<double> x(at(n)), y(at(m)), d(at(n));
    const bool degenerate = chance(0.4);
    for (int j = 0; j < n; ++j) {
      lp::variable& v = out.p.variables[at(j)];
      x[at(j)] = whole(-4, 8);
      const double wide = number(0, 5);
      switch (number(0, 7)) {
        case 0:
        case 1:  // at its lower limit
          v.lower = x[at(j)];
          v.upper = chance(0.5) ? lp::infinity : x[at(j)] + wide;
          d[at(j)] = chance(degenerate ? 0.5 : 0.1) ? 0 : whole(1, 5);
          break;
        case 2:  // at its upper limit
          v.upper = x[at(j)];
          v.lower = chance(0.5) ? -lp::infinity : x[at(j)] - wide;
          d[at(j)] = chance(degenerate ? 0.5 : 0.1) ? 0 : -whole(1, 5);
          break;
        case 3:  // free
          v.lower = -lp::infinity;
          v.upper = lp::infinity;
          break;
        case 4:  // fixed
          v.lower = v.upper = x[at(j)];
          d[at(j)] = whole(-5, 5);
          break;
        default:  // between
          v.lower = chance(0.3) ? -lp::infinity : x[at(j)] - wide;
          v.upper = chance(0.3) ? lp::infinity : x[at(j)] + (chance(degenerate ? 0.5 : 0.1) ? 0 : number(1, 5));
      }
    }
    const std::vector<double> activity = activities(out.p, x);
    for (int i = 0; i < m; ++i) {
      lp::row& r = out.p.rows[at(i)];
      const double a = activity[at(i)], wide = number(0, 9);
      switch (number(0, 5)) {
        case 0:  // an equation
          r.lower = r.upper = a;
          y[at(i)] = whole(-5, 5);
          break;
        case 1:  // at its lower limit
          r.lower = a;
          r.upper = chance(0.7) ? lp::infinity : a + wide;
          y[at(i)] = chance(degenerate ? 0.5 : 0.1) ? 0 : whole(1, 5);
          break;
        case 2:
        case 3:  // at its upper limit
          r.upper = a;
          r.lower = chance(0.7) ? -lp::infinity : a - wide;
          y[at(i)] = chance(degenerate ? 0.5 : 0.1) ? 0 : -whole(1, 5);
          break;
        default:  // not binding, or barely
          r.lower = chance(0.5) ? -lp::infinity : a - wide;
          r.upper = chance(0.5) ? lp::infinity : a + (degenerate ? 0 : wide);
      }
    }
    for (int j = 0; j < n; ++j) out.p.variables[at(j)].cost = d[at(j)];
    for (const lp::entry& e : out.p.entries) out.p.variables[at(e.variable)].cost += e.value * y[at(e.row)];
    repeat_rows(out.p);
    out.p.constant = chance(0.2) ? whole(-10, 10) : 0;
    out.objective = out.p.constant;
    for (int j = 0; j < n; ++j) out.objective += out.p.variables[at(j)].cost * x[at(j)];
    finish(out);
    return out;
  }

  // A problem without a feasible x: multipliers of its rows add up to a contradiction.
  known_problem infeasible(int most) {
    known_problem out;
    out.status = lp::status::infeasible;
    do frame(out.p, most);
    while (out.p.rows.empty());
    const int n = variables(), m = rows();
    std::vector<double> y(at(m)), g(at(n));
    for (double& v : y) v = chance(0.4) ? 0 : whole(-3, 3);
    y[at(m) - 1] = 1;
    for (const lp::entry& e : out.p.entries) g[at(e.variable)] += e.value * y[at(e.row)];
    double most_of_g = 0;
    for (int j = 0; j < n; ++j) {
      lp::variable& v = out.p.variables[at(j)];
      v.lower = g[at(j)] < 0 || chance(0.5) ? whole(-4, 4) : -lp::infinity;
      v.upper = g[at(j)] > 0 || chance(0.3) ? (v.lower == -lp::infinity ? 0 : v.lower) + number(0, 4) : lp::infinity;
      v.cost = whole(-5, 5);
      if (g[at(j)] != 0) most_of_g += g[at(j)] * (g[at(j)] > 0 ? v.upper : v.lower);
    }
    for (int i = 0; i < m; ++i) {
      lp::row& r = out.p.rows[at(i)];
      const double limit = i == m - 1 ? most_of_g + number(1, 5) : whole(-9, 9);
      r.lower = y[at(i)] > 0 || (y[at(i)] == 0 && chance(0.3)) ? limit : -lp::infinity;
      r.upper =
          y[at(i)] < 0 || chance(0.3) ? (r.lower == -lp::infinity ? limit : r.lower + number(0, 4)) : lp::infinity;
      if (y[at(i)] != 0) most_of_g -= y[at(i)] * limit;
    }
    finish(out);
    return out;
  }

  // A problem with a feasible x and a ray from it that improves without limit.
  known_problem unbounded(int most) {
    known_problem out;
    out.status = lp::status::unbounded;
    do frame(out.p, most);
    while (out.p.variables.empty());
    const int n = variables(), m = rows();
    std::vector<double> x(at(n)), z(at(n));
    double gain = 0;
    for (int j = 0; j < n; ++j) {
      x[at(j)] = whole(-4, 8);
      z[at(j)] = chance(0.5) ? 0 : whole(-3, 3);
      if (j == 0) z[0] = 2;
      lp::variable& v = out.p.variables[at(j)];
      v.lower = z[at(j)] < 0 || chance(0.3) ? -lp::infinity : x[at(j)] - number(0, 3);
      v.upper = z[at(j)] > 0 || chance(0.3) ? lp::infinity : x[at(j)] + number(0, 3);
      v.cost = whole(-5, 5);
      gain += v.cost * z[at(j)];
    }
    if (gain >= 0) out.p.variables[0].cost -= std::floor(gain / 2) + 1;
    const std::vector<double> activity = activities(out.p, x), along = activities(out.p, z);
    for (int i = 0; i < m; ++i) {
      lp::row& r = out.p.rows[at(i)];
      r.lower = along[at(i)] < 0 || chance(0.3) ? -lp::infinity : activity[at(i)] - number(0, 3);
      r.upper = along[at(i)] > 0 || chance(0.3) ? lp::infinity : activity[at(i)] + number(0, 3);
    }
    finish(out);
    return out;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int variables() const { return n_; }
  int rows() const { return m_; }
  double whole(int low, int high) { return number(low, high); }

  // Makes rows, variables and coefficients: small integers, so that results computed from them are exact.
  void frame(lp::problem& p, int most) {
    p = {};
    n_ = number(chance(0.02) ? 0 : 1, most);
    m_ = number(chance(0.05) ? 0 : 1, most);
    for (int j = 0; j < n_; ++j) p.add_variable({.name = "x" + std::to_string(j)});
    const double density = chance(0.5) ? real(0.05, 0.5) : 0.9;
    for (int i = 0; i < m_; ++i) {
      std::vector<lp::term> terms;
      for (int j = 0; j < n_; ++j)
        if (chance(density)) terms.push_back({j, chance(0.03) ? 0 : whole(-4, 4)});
      p.add_row({.name = "r" + std::to_string(i)}, terms);
    }
  }

  static std::vector<double> activities(const lp::problem& p, const std::vector<double>& x) {
    std::vector<double> a(p.rows.size());
    for (const lp::entry& e : p.entries) a[at(e.row)] += e.value * x[at(e.variable)];
    return a;
  }

  // Sometimes repeats some rows, so that the rows are linearly dependent.
  void repeat_rows(lp::problem& p) {
    if (p.rows.empty() || !chance(0.2)) return;
    const std::size_t m = p.rows.size();
    for (int k = number(1, 3); k > 0; --k) {
      const int from = number(0, static_cast<int>(m) - 1);
      const double times = chance(0.5) ? 1 : 2;
      std::vector<lp::term> terms;
      for (const lp::entry& e : p.entries)
        if (e.row == from) terms.push_back({e.variable, times * e.value});
      lp::row r = p.rows[at(from)];
      p.add_row({.name = r.name + "'", .lower = times * r.lower, .upper = times * r.upper}, terms);
    }
  }

  // Randomly negates the problem for maximise, changes the units of rows and variables, and shuffles the entries.
  void finish(known_problem& out) {
    lp::problem& p = out.p;
    if (chance(0.5)) {
      p.goal = lp::sense::maximise;
      p.constant = -p.constant;
      for (lp::variable& v : p.variables) v.cost = -v.cost;
      out.objective = -out.objective;
    }
    if (other_units_ && chance(0.4)) {
      const double reach = chance(0.3) ? 6 : 2;
      std::vector<double> row_unit(p.rows.size()), unit(p.variables.size());
      for (double& u : row_unit) u = std::pow(10.0, real(-reach, reach));
      for (double& u : unit) u = std::pow(10.0, real(-reach, reach));
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        p.rows[i].lower *= row_unit[i];
        p.rows[i].upper *= row_unit[i];
      }
      for (std::size_t j = 0; j < p.variables.size(); ++j) {
        p.variables[j].lower /= unit[j];
        p.variables[j].upper /= unit[j];
        p.variables[j].cost *= unit[j];
      }
      for (lp::entry& e : p.entries) e.value *= row_unit[at(e.row)] * unit[at(e.variable)];
    }
    if (chance(0.3)) std::shuffle(p.entries.begin(), p.entries.end(), random_);
  }

  std::mt19937_64 random_;
  bool other_units_;
  int n_ = 0, m_ = 0;
};

// Families of problems with known answers. The problem with a given number is the same in every test.
struct known_family {
  int most;
  std::uint64_t first_seed;
};
inline constexpr known_family small_problems{8, 1'000'000'000}, middling_problems{20, 2'000'000'000},
    large_problems{60, 3'000'000'000};
inline known_problem numbered(const known_family& f, int k) {
  problem_maker make(f.first_seed + static_cast<std::uint64_t>(k));
  return k % 10 < 7 ? make.optimal(f.most) : k % 10 < 9 ? make.infeasible(f.most) : make.unbounded(f.most);
}

// The number of problems in a test: `usual`, or what an environment variable states.
inline int wanted_problems(const char* variable, int usual) {
  const char* wanted = std::getenv(variable);
  return wanted != nullptr ? std::atoi(wanted) : usual;
}

}  // namespace plumbline_test
