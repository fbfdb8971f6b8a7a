// Comparison with GLPK, if it is installed (libglpk-dev): random problems whose answers are not known beforehand.
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>

#include <support/lp_problems.hpp>
#include <support/skip.hpp>

#ifdef PLUMBLINE_TEST_GLPK
#include <support/glpk.hpp>

using namespace plumbline_test;

namespace {

// A problem with independently drawn limits, which may be optimal, infeasible or unbounded.
lp::problem any_problem(problem_maker& make, int most) {
  lp::problem p{.goal = make.chance(0.5) ? lp::sense::maximise : lp::sense::minimise};
  const int n = make.number(1, most), m = make.number(1, most);
  for (int j = 0; j < n; ++j) {
    const double low = make.number(-5, 5);
    p.add_variable({.lower = make.chance(0.2)   ? -lp::infinity
                             : make.chance(0.6) ? 0
                                                : low,
                    .upper = make.chance(0.6) ? lp::infinity : std::max(low, 0.0) + make.number(0, 8),
                    .cost = static_cast<double>(make.number(-5, 5))});
  }
  for (int i = 0; i < m; ++i) {
    std::vector<lp::term> terms;
    for (int j = 0; j < n; ++j)
      if (make.chance(0.5))
        terms.push_back({j, make.chance(0.5) ? static_cast<double>(make.number(-3, 3)) : make.real(-3, 3)});
    if (terms.empty()) terms.push_back({0, 1});
    const double low = make.number(-10, 5), high = low + make.number(0, 20);
    p.add_row({.lower = make.chance(0.6) ? -lp::infinity : low, .upper = make.chance(0.3) ? lp::infinity : high},
              terms);
  }
  return p;
}

}  // namespace

TEST_CASE("lp: 20,000 random problems, the same answer as GLPK", "[host]") {
  lp::solver solver;
  int count[3] = {};
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 40'000'000);
    const lp::problem p = any_problem(make, seed % 20 == 0 ? 30 : 9);
    const lp::solution& s = solver.solve(p);
    CHECK(lp::verify(p, s).holds);
    const glpk_answer other = glpk(p).solve();
    CHECK(name_of(s.status) == name_of(other.status));
    if (s.status == lp::status::optimal && other.status == lp::status::optimal)
      CHECK(s.objective == Approx(other.objective).epsilon(1e-7).margin(1e-7));
    ++count[static_cast<int>(s.status)];
  }
  for (const int c : count) CHECK(c > 1000);  // of each kind
}

TEST_CASE("lp: 2,000 random integer problems, the same answer as GLPK", "[host]") {
  lp::solver solver;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 50'000'000);
    lp::problem p = any_problem(make, 10);
    for (auto& v : p.variables) {
      if (make.chance(0.3)) continue;
      v.integer = true;
      v.lower = std::max(v.lower, -3.0);
      v.upper = std::max(v.lower, std::min(v.upper, 4.0));
    }
    const lp::solution& s = solver.solve(p, {.keep_tree = true});
    const glpk_answer other = glpk(p).solve_whole();
    CHECK(name_of(s.status) == name_of(other.status));
    if (s.status == lp::status::optimal) {
      CHECK(lp::verify(p, s).holds);
      CHECK(s.objective == Approx(other.objective).epsilon(1e-6).margin(1e-6));
    }
  }
}

#else
TEST_CASE("lp: against GLPK", "[host]") { plumbline_test::skip("built without GLPK; install libglpk-dev"); }
#endif
