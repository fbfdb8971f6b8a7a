// Shadow prices of the rows' limits and the ranges in which they hold, compared with solving with the limit moved.
#include <catch2/catch.hpp>
#include <cmath>

#include <support/lp_problems.hpp>

using namespace plumbline_test;

TEST_CASE("lp: shadow prices and ranges of a textbook problem") {
  // Hillier and Lieberman's Wyndor Glass: prices 0, 3/2, 1; ranges 2 to infinity, 6 to 18, 12 to 24
  lp::problem p{.goal = lp::sense::maximise};
  const int doors = p.add_variable({.name = "doors", .cost = 3}),
            windows = p.add_variable({.name = "windows", .cost = 5});
  p.add_row({.name = "plant 1", .upper = 4}, {{doors, 1}});
  p.add_row({.name = "plant 2", .upper = 12}, {{windows, 2}});
  p.add_row({.name = "plant 3", .upper = 18}, {{doors, 3}, {windows, 2}});
  const lp::solution s = lp::solve(p, {.ranges = true});
  CHECK(s.objective == Approx(36));
  CHECK(s.duals[0] == 0);
  CHECK(s.duals[1] == Approx(1.5));
  CHECK(s.duals[2] == Approx(1));
  REQUIRE(s.ranges.size() == 3);
  CHECK(s.ranges[0].lower == Approx(2));  // not at its limit: the price is 0 as long as 2 fits
  CHECK(s.ranges[0].upper == Approx(2));
  CHECK(s.ranges[1].lower == Approx(6));
  CHECK(s.ranges[1].upper == Approx(18));
  CHECK(s.ranges[2].lower == Approx(12));
  CHECK(s.ranges[2].upper == Approx(24));
}

TEST_CASE("lp: within its range a shadow price is what moving the limit gives") {
  lp::solver solver, other;
  int moved = 0, left = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 70'000'000);
    const known_problem q = make.optimal(10);
    const lp::solution& s = solver.solve(q.p, {.allow_empty_rows = true, .ranges = true});
    REQUIRE(s.status == lp::status::optimal);
    for (std::size_t i = 0; i < q.p.rows.size(); ++i) {
      CAPTURE(i);
      const lp::row& r = q.p.rows[i];
      const lp::range& range = s.ranges[i];
      CHECK((range.lower <= s.activity[i] && s.activity[i] <= range.upper));
      if (s.duals[i] == 0) continue;
      const bool at_lower = (s.duals[i] > 0) == (q.p.goal == lp::sense::minimise);
      const double limit = at_lower ? r.lower : r.upper, unit = std::abs(limit) + std::abs(s.activity[i]) + 1e-3;
      for (const double side : {-1.0, 1.0}) {
        const double room = side > 0 ? range.upper - limit : limit - range.lower;
        if (room < 1e-7 * unit) continue;
        const double by = side * std::min(0.9 * room, unit);
        lp::problem changed = q.p;
        (at_lower ? changed.rows[i].lower : changed.rows[i].upper) = limit + by;
        if (changed.rows[i].lower > changed.rows[i].upper) {
          if (r.lower != r.upper) continue;  // it would cross its other limit
          changed.rows[i].lower = changed.rows[i].upper = limit + by;
        } else if (r.lower == r.upper) {
          changed.rows[i].lower = changed.rows[i].upper = limit + by;
        }
        const lp::solution& t = other.solve(changed, {.allow_empty_rows = true});
        REQUIRE(t.status == lp::status::optimal);
        double size = std::abs(s.objective) + std::abs(s.duals[i] * by);
        for (std::size_t j = 0; j < s.x.size(); ++j) size += std::abs(q.p.variables[j].cost * s.x[j]);
        CHECK(std::abs(t.objective - s.objective - s.duals[i] * by) <= 1e-7 * size);
        ++moved;
        // past the range the price differs, or is the same by chance
        if (room < unit && std::isfinite(room)) ++left;
      }
    }
  }
  CHECK(moved > 2000);
  CHECK(left > 100);
}
