// Integer variables: compared with enumeration of every choice, and with a tree that proves the answer.
// PLUMBLINE_LP_WHOLE_PROBLEMS sets the number of problems (default: 25,000).
#include <catch2/catch.hpp>
#include <cmath>

#include <support/lp_problems.hpp>

using namespace plumbline_test;

namespace {

// Makes some variables binary, or integer within a short range; at most 4096 choices in all.
std::vector<std::size_t> mark(lp::problem& p, problem_maker& make) {
  std::vector<std::size_t> marked;
  const auto most = static_cast<std::size_t>(make.number(1, 12));
  int choices = 1;
  for (std::size_t j = 0; j < p.variables.size() && marked.size() < most; ++j) {
    if (p.variables.size() > most && !make.chance(0.8)) continue;
    lp::variable& v = p.variables[j];
    const bool wide = make.chance(0.1) && 4 * choices <= 4096;
    if (2 * choices > 4096) break;
    choices *= wide ? 4 : 2;
    v.integer = true;
    v.lower = wide ? -1.5 : 0;
    v.upper = wide ? 2.5 : 1;
    marked.push_back(j);
  }
  return marked;
}

struct best_of {
  bool found = false, endless = false;
  double objective = 0;
};

// Enumerates every choice of the integer variables; linear programs find the others.
void enumerate(lp::problem& p, const std::vector<std::size_t>& marked, std::size_t next, lp::solver& solver,
               best_of& best) {
  if (next == marked.size()) {
    const lp::solution& s = solver.solve_again(p, {.integers = false, .allow_empty_rows = true});
    if (s.status == lp::status::unbounded) best.endless = true;
    if (s.status != lp::status::optimal) {
      CHECK((s.status == lp::status::infeasible || s.status == lp::status::unbounded));
      return;
    }
    const bool better = p.goal == lp::sense::maximise ? s.objective > best.objective : s.objective < best.objective;
    if (!best.found || better) best.objective = s.objective;
    best.found = true;
    return;
  }
  lp::variable& v = p.variables[marked[next]];
  const double lower = v.lower, upper = v.upper;
  for (double x = std::ceil(lower); x <= upper; ++x) {
    v.lower = v.upper = x;
    enumerate(p, marked, next + 1, solver, best);
  }
  v.lower = lower;
  v.upper = upper;
}

}  // namespace

TEST_CASE("lp: integer problems agree with enumeration, and their trees prove them") {
  lp::solver solver, helper;
  int whole = 0, none = 0, unbounded = 0, count[13] = {};
  const int problems = wanted_problems("PLUMBLINE_LP_WHOLE_PROBLEMS", 25'000);
  for (int number = 0; number < problems; ++number) {  // the problems of known_answers.cpp, with integer variables
    CAPTURE(number);
    known_problem q = number % 10 == 0 ? numbered(middling_problems, number / 10)
                                       : numbered(small_problems, number - number / 10 - 1);
    problem_maker make(static_cast<std::uint64_t>(number));
    const auto marked = mark(q.p, make);
    ++count[marked.size()];
    if (marked.empty()) continue;
    best_of best;
    lp::problem copy = q.p;
    enumerate(copy, marked, 0, helper, best);
    const lp::solution& s = solver.solve(q.p, {.allow_empty_rows = true, .keep_tree = true});
    if (best.endless) {
      CHECK(s.status == lp::status::unbounded);
      ++unbounded;
      continue;
    }
    if (s.status ==
        lp::status::unbounded) {  // the relaxation is: no integer x exists, or enumeration would have found the ray
      CHECK(!best.found);
      continue;
    }
    CHECK(name_of(s.status) == (best.found ? "optimal" : "infeasible"));
    const auto v = lp::verify(q.p, s);
    CAPTURE(v.measured.primal_residual, v.measured.dual_residual, v.measured.gap, v.measured.farkas_residual,
            s.tree.size(), name_of(s.status), s.objective);
    CHECK(v.holds);
    if (best.found) {
      ++whole;
      double size = std::abs(best.objective);
      for (std::size_t j = 0; j < s.x.size(); ++j) size += std::abs(q.p.variables[j].cost * s.x[j]);
      CHECK(std::abs(s.objective - best.objective) <= 1e-8 * size);
      CHECK(std::abs(s.bound - s.objective) <= 1e-8 * size);
    } else {
      ++none;
    }
  }
  CHECK(whole > problems / 20);
  CHECK(none > problems / 20);
  CHECK(unbounded > 0);
  for (std::size_t k = 1; k <= 12; ++k) CHECK(count[k] > 0);
}

TEST_CASE("lp: a knapsack, its bound and its tree; a tampered tree proves nothing") {
  lp::problem p{.goal = lp::sense::maximise};
  const double worth[] = {92, 57, 49, 68, 60, 43, 67, 84, 87, 72}, weight[] = {23, 31, 29, 44, 53, 38, 63, 85, 89, 82};
  std::vector<lp::term> load;
  for (int k = 0; k < 10; ++k)
    load.push_back({p.add_variable({.upper = 1, .cost = worth[k], .integer = true}), weight[k]});
  p.add_row({.name = "load", .upper = 165}, load);
  lp::solution s = lp::solve(p, {.keep_tree = true});
  REQUIRE(s.status == lp::status::optimal);
  CHECK(s.objective == Approx(309).epsilon(1e-12));  // items 1 to 4 and 6 (Kreher and Stinson)
  CHECK(lp::verify(p, s).holds);
  CHECK(lp::verify(p, lp::solve(p)).holds == false);  // without the tree there is no proof
  const lp::solution relaxed = lp::solve(p, {.integers = false});
  CHECK(relaxed.objective > 309);
  for (std::size_t k = 0; k < s.tree.size(); ++k) {
    lp::solution bad = s;
    if (bad.tree[k].variable < 0) {
      for (double& y : bad.tree[k].multipliers) y = 0;  // a leaf without a proof
      bad.tree[k].infeasible = true;
    } else {
      bad.tree[k].above = static_cast<int>(k);  // a branch that was not explored
    }
    CHECK(!lp::verify(p, bad).holds);
  }
  s.x[0] = 0.5;
  CHECK(!lp::verify(p, s).holds);
}

TEST_CASE("lp: no integer solution, an infinite tree, general integers") {
  lp::problem p;
  const int x = p.add_variable({.name = "x", .lower = 0.2, .upper = 0.8, .cost = 1, .integer = true});
  p.add_row({.upper = 5}, {{x, 1}});
  lp::solution s = lp::solve(p, {.keep_tree = true});
  CHECK(s.status == lp::status::infeasible);
  CHECK(lp::verify(p, s).holds);
  // 2 a - 2 b = 1 has no integer solution, but infinitely many nodes
  lp::problem q;
  const int a = q.add_variable({.name = "a", .cost = 1, .integer = true}),
            b = q.add_variable({.name = "b", .integer = true});
  q.add_row({.lower = 1, .upper = 1}, {{a, 2}, {b, -2}});
  s = lp::solve(q, {.node_limit = 500});
  CHECK(s.status == lp::status::iteration_limit);
  CHECK(!s.has_x);
  // general integers: the largest 3 u + 2 v with 7 u + 5 v <= 99.5
  lp::problem r{.goal = lp::sense::maximise};
  const int u = r.add_variable({.cost = 3, .integer = true}), v = r.add_variable({.cost = 2, .integer = true});
  r.add_row({.upper = 99.5}, {{u, 7}, {v, 5}});
  s = lp::solve(r, {.keep_tree = true});
  CHECK(s.objective == Approx(42));  // 14 of the first and none of the second
  CHECK(lp::verify(r, s).holds);
}
