// Problems whose answer is known by construction, solved from scratch and from each other's bases: checks the status,
// the objective and the proof. PLUMBLINE_LP_PROBLEMS sets the number of problems (default: 200,000).
#include <catch2/catch.hpp>
#include <cmath>

#include <support/lp_problems.hpp>

using namespace plumbline_test;

namespace {

void check_known(lp::solver& solver, const known_problem& q, bool again) {
  const lp::options o{.allow_empty_rows = true};
  const lp::solution& s = again ? solver.solve_again(q.p, o) : solver.solve(q.p, o);
  bool right = s.status == q.status && lp::verify(q.p, s).holds;
  if (q.status == lp::status::optimal) {
    lp::scaling u;
    u.find(q.p);
    double size = std::abs(q.p.constant);
    for (std::size_t j = 0; j < s.x.size(); ++j)
      size += std::abs(q.p.variables[j].cost) * (std::abs(s.x[j]) + 1e-4 * u.of_variable(static_cast<int>(j)));
    right = right && std::abs(s.objective - q.objective) <= 1e-9 * std::max(size, std::abs(q.objective));
  }
  if (!right) {
    CAPTURE(s.objective, q.objective, s.proof.worst());
    CHECK(name_of(s.status) == name_of(q.status));
    FAIL_CHECK("wrong objective or proof");
  }
}

void check_many(int count, const known_family& family) {
  lp::solver solver;
  for (int k = 0; k < count; ++k) {
    CAPTURE(family.first_seed, k);
    const known_problem q = numbered(family, k);
    check_known(solver, q, false);
    // the same shape with other data, from the basis of this one
    if (k % 10 == 0) {
      known_problem other = q;
      for (lp::entry& e : other.p.entries) e.value *= 2;
      for (lp::row& r : other.p.rows) {
        r.lower *= 2;
        r.upper *= 2;
      }
      check_known(solver, other, true);
    }
  }
}

}  // namespace

TEST_CASE("lp: 200,000 problems with known answers, each with its proof") {
  const int count = wanted_problems("PLUMBLINE_LP_PROBLEMS", 200'000);
  check_many(count * 9 / 10, small_problems);
  check_many(count / 10, middling_problems);
  check_many(count / 1000, large_problems);
}

TEST_CASE("lp: no rows, no variables, nothing at all") {
  lp::problem p;
  CHECK(lp::solve(p).status == lp::status::optimal);
  p.constant = 5;
  CHECK(lp::solve(p).objective == 5);
  p.add_variable({.name = "x", .lower = 2, .upper = 7, .cost = 3});
  lp::solution s = lp::solve(p);
  CHECK(s.objective == 11);
  CHECK(s.x[0] == 2);
  CHECK(lp::verify(p, s).holds);
  p.goal = lp::sense::maximise;
  s = lp::solve(p);
  CHECK(s.objective == 26);
  CHECK(lp::verify(p, s).holds);
  p.variables[0].upper = lp::infinity;
  s = lp::solve(p);
  CHECK(s.status == lp::status::unbounded);
  CHECK(lp::verify(p, s).holds);

  lp::problem rows;
  rows.add_row({.name = "nothing", .lower = -1, .upper = 1}, {});
  CHECK(lp::solve(rows, {.allow_empty_rows = true}).status == lp::status::optimal);
  rows.rows[0].lower = 0.5;
  s = lp::solve(rows, {.allow_empty_rows = true});
  CHECK(s.status == lp::status::infeasible);
  CHECK(lp::verify(rows, s).holds);
}
