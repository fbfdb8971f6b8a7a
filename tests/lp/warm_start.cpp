// Families of nearly equal problems: from the last basis, whatever changed, the answer is that from nothing, with fewer
// steps.
#include <catch2/catch.hpp>
#include <cmath>

#include <support/lp_problems.hpp>

using namespace plumbline_test;

namespace {

void change_numbers(lp::problem& p, problem_maker& make, double by) {
  const auto moved = [&](double x) { return x * (1 + make.real(-by, by)); };
  if (make.chance(0.7))
    for (lp::entry& e : p.entries) e.value = moved(e.value);
  if (make.chance(0.7))
    for (lp::variable& v : p.variables) v.cost = moved(v.cost);
  if (make.chance(0.7))
    for (lp::row& r : p.rows) {
      const double factor = 1 + make.real(0, by);
      r.lower = r.lower > 0 ? r.lower / factor : r.lower * factor;
      r.upper = r.upper > 0 ? r.upper * factor : r.upper / factor;
    }
  if (make.chance(0.3))
    for (lp::variable& v : p.variables)
      if (v.lower != -lp::infinity && v.upper != lp::infinity) v.upper += by;
}

}  // namespace

TEST_CASE("lp: solved again with other numbers") {
  lp::solver warm, cold;
  long warm_steps = 0, cold_steps = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 600'000);
    lp::problem p = make.optimal(15).p;
    const lp::options o{.allow_empty_rows = true};
    warm.solve(p, o);
    for (int round = 0; round < 5; ++round) {
      CAPTURE(round);
      change_numbers(p, make, round < 3 ? 0.05 : 1.5);
      const lp::solution& a = warm.solve_again(p, o);
      const lp::solution& b = cold.solve(p, o);
      CHECK(lp::verify(p, a).holds);
      CHECK(name_of(a.status) == name_of(b.status));
      if (a.status == lp::status::optimal && b.status == lp::status::optimal)
        CHECK(std::abs(a.objective - b.objective) <= 1e-7 * (std::abs(a.objective) + std::abs(b.objective) + 1e-6));
      if (round < 3) {
        warm_steps += a.iterations;
        cold_steps += b.iterations;
      }
    }
  }
  CHECK(3 * warm_steps < cold_steps);
}

TEST_CASE("lp: what a solver knows of the last problem's pattern does not matter") {
  lp::solver kept;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    problem_maker make(seed + 650'000);
    lp::problem p = make.optimal(10).p;
    for (int round = 0; round < 12; ++round) {
      CAPTURE(seed, round);
      if (!p.entries.empty()) {
        const auto any = [&] {
          return static_cast<std::size_t>(make.number(0, static_cast<int>(p.entries.size()) - 1));
        };
        lp::entry &a = p.entries[any()], &b = p.entries[any()];
        if (round % 4 == 0) a.value = a.value == 0 ? 3 : 0;
        if (round % 4 == 1) std::swap(a, b);
        if (round % 4 == 2) std::swap(a.value, b.value);
        if (round % 8 == 3) p.entries.pop_back();
        if (round % 8 == 7) p.add_variable({.upper = 1, .cost = 1});
      }
      const lp::solution fresh = lp::solve(p, {.allow_empty_rows = true});
      const lp::solution& s = kept.solve(p, {.allow_empty_rows = true});
      CHECK(s.status == fresh.status);
      CHECK(s.iterations == fresh.iterations);
      CHECK(s.x == fresh.x);
      CHECK(s.duals == fresh.duals);
    }
    if (p.entries.empty()) continue;
    p.entries.push_back(p.entries.front());
    for (int time = 0; time < 2; ++time) CHECK_THROWS_AS(kept.solve(p, {.allow_empty_rows = true}), lp::error);
  }
}

TEST_CASE("lp: a basis is a value: kept, given to another solver, to another problem of the shape") {
  problem_maker make(11);
  known_problem q;
  do q = make.optimal(20);
  while (q.p.rows.size() < 10 || q.p.variables.size() < 10);
  const lp::solution first = lp::solve(q.p, {.allow_empty_rows = true});
  const lp::solution second = lp::solve(q.p, {.allow_empty_rows = true}, first.basis);
  CHECK(second.iterations == 0);
  CHECK(second.objective == Approx(first.objective));
  // a basis that is no basis: all basic, none basic, dependent columns
  for (const auto place : {lp::place::basic, lp::place::at_lower, lp::place::at_upper, lp::place::between}) {
    lp::basis b;
    b.rows.assign(q.p.rows.size(), place);
    b.variables.assign(q.p.variables.size(), place);
    const lp::solution s = lp::solve(q.p, {.allow_empty_rows = true}, b);
    CHECK(s.status == lp::status::optimal);
    CHECK(s.objective == Approx(first.objective));
    CHECK(lp::verify(q.p, s).holds);
  }
}

TEST_CASE("lp: solve_again after another shape starts from nothing") {
  lp::solver solver;
  lp::problem a;
  a.add_variable({.lower = 1, .cost = 1});
  CHECK(solver.solve_again(a).objective == 1);
  lp::problem b{.goal = lp::sense::maximise};
  const int x = b.add_variable({.cost = 1}), y = b.add_variable({.cost = 1});
  b.add_row({.upper = 3}, {{x, 1}, {y, 2}});
  CHECK(solver.solve_again(b).objective == 3);
  CHECK(solver.solve_again(a).objective == 1);
}
