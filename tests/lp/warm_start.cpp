// Families of nearly equal problems: solving from the last basis, whatever changed, gives the same answer as from
// scratch, with fewer steps.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

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

TEST_CASE("lp: solved again with other data") {
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

namespace {

/// The number of rows in which a basis puts x past its limits, and the number of its prices that are wrong.
std::pair<int, int> wrong_in(const lp::problem& p, const lp::basis& b) {
  lp::scaling u;
  u.find(p);
  lp::detail::simplex s;
  s.load(p, u);
  s.start_from(b);
  s.t.tolerance = 1e-9;
  s.restore();
  std::pair<int, int> out;
  for (const int j : s.t.head) out.first += s.t.miss(j) != 0 ? 1 : 0;
  for (int j = 0; j < s.t.all; ++j) out.second += s.t.wrong(j) != 0 ? 1 : 0;
  return out;
}

lp::basis any_basis(const lp::problem& p, problem_maker& make) {
  const auto any = [&] {
    return std::array{lp::basis_status::basic, lp::basis_status::at_lower, lp::basis_status::at_upper,
                      lp::basis_status::between}[static_cast<std::size_t>(make.number(0, 3))];
  };
  lp::basis b;
  for (std::size_t j = 0; j < p.variables.size(); ++j) b.variables.push_back(any());
  for (std::size_t i = 0; i < p.rows.size(); ++i) b.rows.push_back(any());
  return b;
}

}  // namespace

TEST_CASE("lp: a start that is primal feasible, dual feasible, both or neither") {
  const lp::options o{.allow_empty_rows = true};
  lp::solver warm;
  int kinds[2][2] = {}, statuses[5] = {};
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 700'000);
    const int most = seed % 10 == 0 ? 40 : 12;
    // many of the optimal ones are degenerate: many limits are met at once, many prices are 0
    const known_problem q = seed % 10 < 7   ? make.optimal(most)
                            : seed % 10 < 9 ? make.infeasible(most)
                                            : make.unbounded(most);
    for (const int from : {0, 1, 2, 3}) {
      CAPTURE(from);
      lp::problem other = q.p;
      if (from == 0 || from == 2)
        for (lp::variable& v : other.variables) v.cost = make.real(-5, 5);
      if (from == 1 || from == 2)
        for (lp::row& r : other.rows) {
          const double by = make.real(-4, 4);
          r.lower += by;
          r.upper += by;
        }
      const lp::basis b = from == 3 ? any_basis(q.p, make) : lp::solve(other, o).basis;
      const auto [misses, wrong] = wrong_in(q.p, b);
      ++kinds[misses != 0 ? 1 : 0][wrong != 0 ? 1 : 0];
      const lp::solution& s = warm.solve(q.p, o, b);
      ++statuses[static_cast<int>(s.status)];
      CHECK(name_of(s.status) == name_of(q.status));
      CHECK(lp::verify(q.p, s).holds);
      if (misses == 0 && wrong == 0) CHECK(s.iterations == 0);
      if (q.status == lp::status::optimal)
        CHECK(std::abs(s.objective - q.objective) <= 1e-7 * (std::abs(q.objective) + 1));
    }
  }
  for (const auto& with_misses : kinds)
    for (const int count : with_misses) CHECK(count > 1000);
  CHECK(statuses[static_cast<int>(lp::status::infeasible)] > 2000);
  CHECK(statuses[static_cast<int>(lp::status::unbounded)] > 1000);
}

TEST_CASE("lp: from a basis that is neither primal nor dual feasible, few steps lead to the answer") {
  lp::solver warm, cold;
  long warm_steps = 0, cold_steps = 0, of_neither = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 750'000);
    // a production plan, whose stores, needs and prices change by up to a quarter each day
    lp::problem p{.goal = lp::sense::maximise};
    for (int j = 0; j < 30; ++j) p.add_variable({.upper = make.real(1, 20), .cost = make.real(1, 5)});
    for (int i = 0; i < 20; ++i) {
      std::vector<lp::term> needs;
      for (int j = 0; j < 30; ++j)
        if (make.chance(0.2)) needs.push_back({j, make.real(0.5, 2)});
      p.add_row({.upper = make.real(5, 50)}, needs);
    }
    for (int day = 0; day < 4; ++day) {
      CAPTURE(day);
      if (day > 0) {
        const auto move = [&](double& x) { x *= make.real(0.8, 1.25); };
        for (lp::entry& e : p.entries) move(e.value);
        for (lp::row& r : p.rows) move(r.upper);
        for (lp::variable& v : p.variables) move(v.cost);
        const auto [misses, wrong] = wrong_in(p, warm.last().basis);
        of_neither += misses != 0 && wrong != 0 ? 1 : 0;
      }
      const lp::solution& b = cold.solve(p, {.allow_empty_rows = true});
      const lp::solution& a = warm.solve_again(p, {.allow_empty_rows = true});
      CHECK(a.status == lp::status::optimal);
      CHECK(lp::verify(p, a).holds);
      CHECK(a.objective == Approx(b.objective).epsilon(1e-9));
      if (day == 0) continue;
      warm_steps += a.iterations;
      cold_steps += b.iterations;
    }
  }
  CHECK(of_neither > 500);
  CHECK(3 * warm_steps < 2 * cold_steps);
}

TEST_CASE("lp: what a solver keeps of the last problem's pattern does not affect the answer") {
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

TEST_CASE("lp: a basis can be kept and given to another solver, even if it is invalid") {
  problem_maker make(11);
  known_problem q;
  do q = make.optimal(20);
  while (q.p.rows.size() < 10 || q.p.variables.size() < 10);
  const lp::solution first = lp::solve(q.p, {.allow_empty_rows = true});
  const lp::solution second = lp::solve(q.p, {.allow_empty_rows = true}, first.basis);
  CHECK(second.iterations == 0);
  CHECK(second.objective == Approx(first.objective));
  // statuses that form no basis: all basic, none basic, dependent columns
  for (const auto place :
       {lp::basis_status::basic, lp::basis_status::at_lower, lp::basis_status::at_upper, lp::basis_status::between}) {
    lp::basis b;
    b.rows.assign(q.p.rows.size(), place);
    b.variables.assign(q.p.variables.size(), place);
    const lp::solution s = lp::solve(q.p, {.allow_empty_rows = true}, b);
    CHECK(s.status == lp::status::optimal);
    CHECK(s.objective == Approx(first.objective));
    CHECK(lp::verify(q.p, s).holds);
  }
}

TEST_CASE("lp: solve_again after another shape starts from scratch") {
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
