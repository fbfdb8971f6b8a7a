// Invalid problems are reported, with the name of the row or the variable.
#include <catch2/catch.hpp>
#include <limits>

#include <plumbline/lp/solve.hpp>

namespace lp = plumbline::lp;
using Catch::Matchers::Contains;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

lp::problem good() {
  lp::problem p;
  p.add_variable({.name = "rate", .cost = 1});
  p.add_variable({.name = "cores", .upper = 16});
  p.add_row({.name = "decode", .lower = 1}, {{0, 1}, {1, 2}});
  p.add_row({.name = "budget", .upper = 9}, {{1, 1}});
  return p;
}

template <class Change> std::string error_of(Change change, lp::options o = {}) {
  lp::problem p = good();
  change(p);
  try {
    lp::solve(p, o);
  } catch (const lp::error& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("lp: errors name the row or the variable") {
  CHECK(error_of([](auto&) {}) == "nothing");
  CHECK_THAT(error_of([](auto& p) { p.variables[1].lower = 17; }), Contains("variable 1 (cores)") && Contains("above"));
  CHECK_THAT(error_of([](auto& p) { p.rows[0].upper = 0; }), Contains("row 0 (decode)") && Contains("above"));
  CHECK_THAT(error_of([](auto& p) { p.variables[0].lower = not_a_number; }),
             Contains("variable 0 (rate)") && Contains("not a number"));
  CHECK_THAT(error_of([](auto& p) { p.rows[1].upper = not_a_number; }),
             Contains("row 1 (budget)") && Contains("not a number"));
  CHECK_THAT(error_of([](auto& p) { p.variables[0].cost = not_a_number; }),
             Contains("variable 0 (rate)") && Contains("cost"));
  CHECK_THAT(error_of([](auto& p) { p.variables[0].cost = lp::infinity; }),
             Contains("variable 0 (rate)") && Contains("cost"));
  CHECK_THAT(error_of([](auto& p) { p.entries[1].value = not_a_number; }),
             Contains("row 0 (decode)") && Contains("variable 1 (cores)"));
  CHECK_THAT(error_of([](auto& p) { p.entries[1].value = -lp::infinity; }),
             Contains("row 0 (decode)") && Contains("variable 1 (cores)"));
  CHECK_THAT(error_of([](auto& p) { p.entries[0].variable = 7; }),
             Contains("row 0 (decode)") && Contains("variable 7"));
  CHECK_THAT(error_of([](auto& p) { p.entries[0].variable = -1; }),
             Contains("row 0 (decode)") && Contains("variable -1"));
  CHECK_THAT(error_of([](auto& p) { p.entries[0].row = 2; }), Contains("row 2") && Contains("variable 0 (rate)"));
  CHECK_THAT(error_of([](auto& p) { p.entries[0].row = -3; }), Contains("row -3"));
  CHECK_THAT(error_of([](auto& p) { p.entries.pop_back(); }),
             Contains("row 1 (budget)") && Contains("names no variable"));
  CHECK_THAT(error_of([](auto& p) {
               p.entries.push_back({0, 1, 5});
             }),
             Contains("row 0 (decode)") && Contains("variable 1 (cores)") && Contains("twice"));
  CHECK_THAT(error_of([](auto& p) { p.constant = not_a_number; }), Contains("constant"));
  CHECK_THAT(error_of([](auto& p) { p.variables[0].lower = lp::infinity; }), Contains("variable 0 (rate)"));
  CHECK_THAT(error_of([](auto& p) { p.rows[0].lower = lp::infinity; }), Contains("row 0 (decode)"));
  CHECK_THAT(error_of([](auto& p) {
               p.rows[0].name.clear();
               p.rows[0].upper = -1;
             }),
             Contains("row 0:"));
  CHECK(error_of([](auto& p) { p.entries.pop_back(); }, {.allow_empty_rows = true}) == "nothing");
}

TEST_CASE("lp: invalid options and bases") {
  const auto nothing = [](auto&) {};
  CHECK_THAT(error_of(nothing, {.tolerance = 0}), Contains("tolerance"));
  CHECK_THAT(error_of(nothing, {.tolerance = not_a_number}), Contains("tolerance"));
  CHECK_THAT(error_of(nothing, {.proof_tolerance = -1}), Contains("proof_tolerance"));
  CHECK_THAT(error_of(nothing, {.iteration_limit = -1}), Contains("iteration_limit"));
  CHECK_THAT(error_of(nothing, {.node_limit = 0}), Contains("node_limit"));
  CHECK_THAT(error_of(nothing, {.integer_tolerance = 0.5}), Contains("integer_tolerance"));
  const lp::problem p = good();
  CHECK_THROWS_WITH(lp::solve(p, {}, lp::basis{}),
                    Contains("the basis is of 0 rows and 0 variables, the problem has 2 and 2"));
  // a basis of the right size may hold any statuses
  for (const auto place : {lp::basis_status::basic, lp::basis_status::at_lower, lp::basis_status::at_upper,
                           lp::basis_status::between, static_cast<lp::basis_status>(77)}) {
    const lp::basis b{{place, place}, {place, place}};
    const lp::solution s = lp::solve(p, {}, b);
    CHECK(s.status == lp::status::optimal);
    CHECK(lp::verify(p, s).holds);
  }
}
