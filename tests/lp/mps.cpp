// The reader of MPS files in tests/support, which reads the reference problems.
#include <catch2/catch.hpp>
#include <sstream>

#include <plumbline/lp/solve.hpp>
#include <support/mps.hpp>

namespace lp = plumbline::lp;
using plumbline_test::mps_form;
using plumbline_test::mps_reader;

namespace {
lp::problem read(const std::string& text, mps_form form) {
  std::istringstream in(text);
  return mps_reader::read(in, form);
}
void is_bounded(const lp::variable& v, double lower, double upper, bool integer) {
  CAPTURE(v.name);
  CHECK(v.lower == lower);
  CHECK(v.upper == upper);
  CHECK(v.integer == integer);
}
}  // namespace

TEST_CASE("mps: fixed form, names with blanks, RANGES of every sign, an objective constant") {
  const lp::problem p = read(
      "* a comment\n"
      "NAME          TEST\n"
      "ROWS\n"
      " N  COST\n"
      " L  LIM 1\n"
      " G  LIM 2\n"
      " E  EQ UP\n"
      " E  EQ DOWN\n"
      " N  IGNORED\n"
      "COLUMNS\n"
      "    X ONE     COST               1.0   LIM 1              1.0\n"
      "    X ONE     LIM 2              1.0   IGNORED            7.0\n"
      "    Y         COST               2.0   EQ UP             -1.5\n"
      "    Y         EQ DOWN          1D+02\n"
      "RHS\n"
      "    RHS       LIM 1              4.0   LIM 2              1.0\n"
      "    RHS       EQ UP              7.0   EQ DOWN            8.0\n"
      "    RHS       COST              -9.0\n"
      "RANGES\n"
      "    RNG       LIM 1              2.5   LIM 2              3.0\n"
      "    RNG       EQ UP              4.0   EQ DOWN           -5.0\n"
      "ENDATA\n",
      mps_form::fixed);
  REQUIRE(p.rows.size() == 4);
  REQUIRE(p.variables.size() == 2);
  CHECK(p.constant == 9);
  CHECK(p.variables[0].name == "X ONE");
  CHECK(p.variables[0].cost == 1);
  CHECK(p.rows[0].name == "LIM 1");
  CHECK((p.rows[0].lower == 1.5 && p.rows[0].upper == 4));
  CHECK((p.rows[1].lower == 1 && p.rows[1].upper == 4));
  CHECK((p.rows[2].lower == 7 && p.rows[2].upper == 11));
  CHECK((p.rows[3].lower == 3 && p.rows[3].upper == 8));
  REQUIRE(p.entries.size() == 4);
  CHECK(p.entries[3].value == 100);
}

TEST_CASE("mps: free form, every kind of bound, integers, OBJSENSE") {
  const lp::problem p = read(
      "NAME bounds\n"
      "OBJSENSE\n"
      "    MAX\n"
      "ROWS\n"
      " N obj\n"
      " L a_row_with_a_long_name\n"
      "COLUMNS\n"
      " up obj 1 a_row_with_a_long_name 1\n"
      " lo obj 1\n"
      " fx obj 1\n"
      " fr obj 1\n"
      " mi obj 1\n"
      " pl obj 1\n"
      " neg obj 1\n"
      " M1 'MARKER' 'INTORG'\n"
      " int1 obj 1\n"
      " int2 obj 1\n"
      " int3 obj 1\n"
      " M2 'MARKER' 'INTEND'\n"
      " bv obj 1\n"
      " ui obj 1\n"
      " inf obj 1\n"
      "RHS\n"
      " a_row_with_a_long_name 12\n"
      "BOUNDS\n"
      " UP b up 4\n"
      " LO b lo -3\n"
      " FX b fx 2.5\n"
      " FR b fr\n"
      " MI b mi\n"
      " PL b pl\n"
      " UP b neg -2\n"
      " UP b int2 7\n"
      " LO b int3 2\n"
      " BV b bv\n"
      " UI b ui 9\n"
      " UP b inf 1e30\n"
      "ENDATA\n",
      mps_form::free);
  CHECK(p.goal == lp::sense::maximise);
  CHECK(p.rows[0].upper == 12);
  const auto is = [&](std::size_t j, double lower, double upper, bool integer) {
    is_bounded(p.variables[j], lower, upper, integer);
  };
  const double inf = lp::infinity;
  is(0, 0, 4, false);
  is(1, -3, inf, false);
  is(2, 2.5, 2.5, false);
  is(3, -inf, inf, false);
  is(4, -inf, inf, false);
  is(5, 0, inf, false);
  is(6, -inf, -2, false);
  is(7, 0, 1, true);
  is(8, 0, 7, true);
  is(9, 2, inf, true);
  is(10, 0, 1, true);
  is(11, 0, 9, true);
  is(12, 0, inf, false);
}

TEST_CASE("mps: bounds in fixed form, of integers, one after the other; sets without names") {
  const lp::problem p = read(
      "NAME          BOUNDS\n"
      "OBJSENSE MIN\n"
      "ROWS\n"
      " N  COST\n"
      " G  ROW\n"
      "COLUMNS\n"
      "    LI        COST               1.0   ROW                1.0\n"
      "    M         'MARKER'                 'INTORG'\n"
      "    LIUP      COST               1.0\n"
      "    FX        COST               1.0\n"
      "    PL        COST               1.0\n"
      "    FR        COST               1.0\n"
      "    M         'MARKER'                 'INTEND'\n"
      "    LOUP      COST               1.0\n"
      "    MIUP      COST               1.0\n"
      "    ZERO      COST               1.0\n"
      "RHS\n"
      "              ROW               -4.0\n"
      "BOUNDS\n"
      " LI BND       LI                -3.0\n"
      " LI BND       LIUP               2.0\n"
      " UI BND       LIUP               5.0\n"
      " FX BND       FX                 4.0\n"
      " PL BND       PL\n"
      " FR BND       FR\n"
      " LO BND       LOUP              -9.0\n"
      " UP BND       LOUP              -7.0\n"
      " MI BND       MIUP\n"
      " UP BND       MIUP               6.0\n"
      " UP           ZERO               0.0\n"
      "ENDATA\n",
      mps_form::fixed);
  CHECK(p.goal == lp::sense::minimise);
  CHECK(p.rows[0].lower == -4);
  REQUIRE(p.variables.size() == 8);
  const auto is = [&](std::size_t j, double lower, double upper, bool integer) {
    is_bounded(p.variables[j], lower, upper, integer);
  };
  const double inf = lp::infinity;
  is(0, -3, inf, true);  // LI makes it an integer
  is(1, 2, 5, true);
  is(2, 4, 4, true);
  is(3, 0, inf, true);
  is(4, -inf, inf, true);
  is(5, -9, -7, false);
  is(6, -inf, 6, false);
  is(7, 0, 0, false);
}

TEST_CASE("mps: errors name the line") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(read("ROWS\n X r\n", mps_form::free), Contains("line 2") && Contains("kind of row X"));
  CHECK_THROWS_WITH(read("ROWS\n N c\nCOLUMNS\n x nowhere 1\n", mps_form::free),
                    Contains("line 4") && Contains("nowhere"));
  CHECK_THROWS_WITH(read("ROWS\n N c\nCOLUMNS\n x c one\n", mps_form::free), Contains("`one` is no number"));
  CHECK_THROWS_WITH(read("ROWS\n N c\n N c\n", mps_form::free), Contains("second row"));
  CHECK_THROWS_WITH(read("SURPRISE\n x\n", mps_form::free), Contains("unknown section"));
  CHECK_THROWS_WITH(read("ROWS\n N c\nCOLUMNS\n x c 1\nBOUNDS\n ZZ b x 1\n", mps_form::free),
                    Contains("kind of bound ZZ"));
}
