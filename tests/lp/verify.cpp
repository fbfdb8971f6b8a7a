// A certificate that cannot fail certifies nothing: damages each part of a proof, one at a time.
#include <catch2/catch.hpp>
#include <cmath>

#include <support/lp_problems.hpp>

using namespace plumbline_test;

namespace {

lp::problem diet() {
  lp::problem p;
  const int bread = p.add_variable({.name = "bread", .cost = 2}),
            milk = p.add_variable({.name = "milk", .upper = 10, .cost = 3.5});
  p.add_row({.name = "energy", .lower = 2000}, {{bread, 90}, {milk, 120}});
  p.add_row({.name = "vitamin", .lower = 20}, {{bread, 0.1}, {milk, 8}});
  p.add_row({.name = "volume", .upper = 40}, {{bread, 1}, {milk, 1}});
  return p;
}

}  // namespace

TEST_CASE("lp: a damaged solution does not pass") {
  const lp::problem p = diet();
  const lp::solution s = lp::solve(p);
  REQUIRE(lp::verify(p, s).holds);
  const auto fails = [&](auto damage) {
    lp::solution bad = s;
    damage(bad);
    return !lp::verify(p, bad).holds;
  };
  for (std::size_t j = 0; j < 2; ++j) {
    CHECK(fails([&](auto& b) { b.x[j] += 1e-4; }));
    CHECK(fails([&](auto& b) { b.x[j] -= 1e-4; }));
    CHECK(fails([&](auto& b) { b.x[j] = std::nan(""); }));
    CHECK(fails([&](auto& b) { b.reduced_costs[j] += 1e-4; }));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(fails([&](auto& b) { b.duals[i] += 1e-4; }));
    CHECK(fails([&](auto& b) { b.duals[i] -= 1e-4; }));
    CHECK(fails([&](auto& b) { b.duals[i] = std::nan(""); }));
  }
  CHECK(fails([](auto& b) { b.objective += 1e-4; }));
  CHECK(fails([](auto& b) { b.x.pop_back(); }));
  CHECK(fails([](auto& b) { b.duals.clear(); }));
  CHECK(fails([](auto& b) { b.reduced_costs.clear(); }));
  CHECK(fails([](auto& b) { b.status = lp::status::infeasible; }));
  CHECK(fails([](auto& b) { b.status = lp::status::unbounded; }));
  CHECK(fails([](auto& b) { b.status = lp::status::iteration_limit; }));
  CHECK(fails([](auto& b) { b.status = lp::status::numerical_trouble; }));
  // a feasible point that is not the best, with its own objective
  CHECK(fails([](auto& b) {
    b.x = {20, 5};
    b.objective = 57.5;
  }));
}

TEST_CASE("lp: damaged proofs of infeasibility and of unboundedness do not pass") {
  lp::problem p = diet();
  p.rows[2].upper = 15;
  lp::solution s = lp::solve(p);
  REQUIRE(s.status == lp::status::infeasible);
  REQUIRE(lp::verify(p, s).holds);
  for (std::size_t i = 0; i < 3; ++i) {
    lp::solution bad = s;
    bad.farkas[i] = bad.farkas[i] == 0 ? 1 : -bad.farkas[i];
    CHECK(!lp::verify(p, bad).holds);
  }
  lp::solution none = s;
  none.farkas = {0, 0, 0};
  CHECK(!lp::verify(p, none).holds);
  CHECK(!lp::verify(diet(), s).holds);  // of another problem

  p = diet();
  p.variables[0].cost = -1;
  p.rows[2].upper = lp::infinity;
  s = lp::solve(p);
  REQUIRE(s.status == lp::status::unbounded);
  REQUIRE(lp::verify(p, s).holds);
  for (const auto& ray : {std::vector<double>{0, 0}, {-1, 0}, {0, 1}, {1, -1}}) {
    lp::solution bad = s;
    bad.ray = ray;
    CHECK(!lp::verify(p, bad).holds);
  }
  s.x[0] = -1;
  CHECK(!lp::verify(p, s).holds);
}

TEST_CASE("lp: small damage anywhere in random solutions is detected") {
  lp::solver solver;
  int damaged = 0, seen = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    problem_maker make(seed + 90'000'000);
    const known_problem q = make.optimal(8);
    const lp::solution& s = solver.solve(q.p, {.allow_empty_rows = true});
    if (s.x.empty() || s.objective == 0) continue;
    lp::solution bad = s;
    double terms = 0;
    for (std::size_t j = 0; j < s.x.size(); ++j) terms += std::abs(q.p.variables[j].cost * s.x[j]);
    if (std::abs(s.objective) < 0.01 * terms) continue;
    // claims a better objective than the best
    bad.objective -= (q.p.goal == lp::sense::maximise ? -1 : 1) * 0.01 * std::abs(s.objective);
    CHECK(!lp::verify(q.p, bad).holds);
    // a wrong price
    if (s.duals.empty()) continue;
    bad = s;
    const auto i = static_cast<std::size_t>(make.number(0, static_cast<int>(s.duals.size()) - 1));
    if (bad.duals[i] == 0) continue;
    bad.duals[i] *= 1.01;
    ++damaged;
    seen += !lp::verify(q.p, bad).holds;
  }
  CHECK(damaged > 300);
  CHECK(seen > damaged * 9 / 10);  // the others have reduced costs too large to show it
}

TEST_CASE("lp: numerical trouble is reported as such") {
  // Two rows contradict each other by 1e-12. That is too little to prove that no x exists, and more than x may miss
  // under a proof tolerance of 1e-14.
  lp::problem p;
  const int x = p.add_variable({.name = "x", .lower = -lp::infinity, .cost = 1});
  p.add_row({.name = "below", .upper = 1}, {{x, 1}});
  p.add_row({.name = "above", .lower = 1 + 1e-12}, {{x, 1}});
  lp::solution s = lp::solve(p, {.proof_tolerance = 1e-14});
  CHECK(s.status == lp::status::numerical_trouble);
  CHECK(name_of(s.status) == "numerical trouble");
  CHECK(!s.has_x);
  CHECK(s.bound == -lp::infinity);
  CHECK(s.proof.worst() > 1e-14);
  CHECK(!lp::verify(p, s).holds);
  p.variables[0].integer = true;
  CHECK(lp::solve(p, {.proof_tolerance = 1e-14}).status == lp::status::numerical_trouble);
  p.variables[0].integer = false;
  s = lp::solve(p);  // with the default tolerance x = 1 is good enough
  CHECK(s.status == lp::status::optimal);
  CHECK(lp::verify(p, s).holds);
  CHECK(s.objective == Approx(1));
}
