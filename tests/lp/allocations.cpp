// After the first solve of a shape, solving it again with other data allocates nothing.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>
#include <tuple>

#include <support/lp_problems.hpp>

namespace {
thread_local long allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size,
                   const std::nothrow_t&) noexcept {  // a sanitizer's own would not match free()
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

using namespace plumbline_test;

namespace {

// Changes all coefficients, limits and costs, so that the pivots change too.
void renew(lp::problem& p, problem_maker& make) {
  for (lp::entry& e : p.entries) e.value = make.chance(0.1) ? 0 : make.real(-4, 4);
  for (lp::variable& v : p.variables) v.cost = make.real(-5, 5);
  for (lp::row& r : p.rows) {
    const double a = make.real(-5, 5), b = make.real(0, 9);
    r.lower = make.chance(0.5) ? a : -lp::infinity;
    r.upper = r.lower == -lp::infinity || make.chance(0.3) ? a + b : lp::infinity;
  }
}

lp::problem shape_of(problem_maker& make, int rows, int variables, double density) {
  lp::problem p;
  for (int j = 0; j < variables; ++j)
    p.add_variable(
        {.name = "a variable with a long name " + std::to_string(j), .upper = make.chance(0.5) ? 9 : lp::infinity});
  for (int i = 0; i < rows; ++i) {
    std::vector<lp::term> terms{{i % variables, 1}};
    for (int j = 0; j < variables; ++j)
      if (j != i % variables && make.chance(density)) terms.push_back({j, 1});
    p.add_row({.name = "a row with a long name, longer than small strings are " + std::to_string(i)}, terms);
  }
  return p;
}

}  // namespace

TEST_CASE("lp: solving a shape again allocates nothing") {
  problem_maker make(5);
  long statuses[5] = {};
  for (const auto& [rows, variables, density] : {std::tuple{5, 5, 0.9}, {18, 15, 0.2}, {40, 60, 0.1}, {70, 70, 0.5}}) {
    lp::problem p = shape_of(make, rows, variables, density);
    lp::solver solver;
    renew(p, make);
    solver.solve(p, {.ranges = true});
    for (int k = 0; k < 200; ++k) {
      CAPTURE(rows, k);
      renew(p, make);
      const long before = allocations;
      const lp::solution& s = k % 2 == 0 ? solver.solve(p, {.ranges = true}) : solver.solve_again(p);
      const long after = allocations;
      CHECK(after == before);
      ++statuses[static_cast<int>(s.status)];
    }
  }
  CHECK(statuses[0] > 50);  // every outcome occurred
  CHECK(statuses[1] > 50);
  CHECK(statuses[2] > 5);
}

TEST_CASE("lp: solving an integer shape again allocates nothing") {
  problem_maker make(6);
  lp::problem p = shape_of(make, 10, 12, 0.4);
  for (std::size_t j = 0; j < 8; ++j) {
    p.variables[j].integer = true;
    p.variables[j].upper = 1;
  }
  lp::solver solver;
  renew(p, make);
  solver.solve(p);
  for (int k = 0; k < 200; ++k) {
    CAPTURE(k);
    renew(p, make);
    const long before = allocations;
    solver.solve_again(p);
    const long after = allocations;
    CHECK(after == before);
  }
}
