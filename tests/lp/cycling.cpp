// Examples on which the simplex method cycles if it chooses pivots naively; and Bland's rule, the last resort, alone.
#include <catch2/catch.hpp>

#include <support/lp_problems.hpp>

using namespace plumbline_test;

namespace {

struct example {
  const char* name;
  lp::problem p;
  lp::status status;
  double objective;
};

lp::problem rows_of(std::vector<double> costs, std::vector<std::vector<double>> rows, std::vector<double> upper,
                    bool equations = false) {
  lp::problem p;
  for (const double c : costs) p.add_variable({.cost = c});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<lp::term> terms;
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      if (rows[i][j] != 0) terms.push_back({static_cast<int>(j), rows[i][j]});
    p.add_row({.lower = equations ? upper[i] : -lp::infinity, .upper = upper[i]}, terms);
  }
  return p;
}

std::vector<example> examples() {
  std::vector<example> all;
  all.push_back(
      {"Beale 1955",
       rows_of({-0.75, 150, -0.02, 6}, {{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}, {0, 0, 1, 0}}, {0, 0, 1}),
       lp::status::optimal, -0.05});
  all.push_back({"Kuhn",
                 rows_of({-2, -3, 1, 12}, {{-2, -9, 1, 9}, {1.0 / 3, 1, -1.0 / 3, -2}, {2, 3, -1, -12}}, {0, 0, 2}),
                 lp::status::optimal, -2});
  all.push_back({"Chvatal, page 31",
                 rows_of({-10, 57, 9, 24}, {{0.5, -5.5, -2.5, 9}, {0.5, -1.5, -0.5, 1}, {1, 0, 0, 0}}, {0, 0, 1}),
                 lp::status::optimal, -1});
  all.push_back({"Marshall and Suurballe",
                 rows_of({-0.4, -0.4, 1.8, 0},
                         {{0.6, -6.4, 4.8, 0}, {0.2, -1.8, 0.6, 0}, {0.4, -1.6, 0.2, 0}, {0, 1, 0, 0}}, {0, 0, 0, 1}),
                 lp::status::unbounded, 0});
  all.push_back({"Yudin and Golshtein",
                 rows_of({-1, 1, -1, 1}, {{1, -2, -3, 4}, {4, -3, -2, 1}, {1, 1, 1, 1}}, {0, 0, 1}),
                 lp::status::optimal, -1});
  return all;
}

}  // namespace

TEST_CASE("lp: cycling examples terminate, with Bland's rule alone too") {
  for (const auto& e : examples()) {
    CAPTURE(e.name);
    const lp::solution s = lp::solve(e.p);
    CHECK(lp::verify(e.p, s).holds);
    CHECK(name_of(s.status) != "iteration limit");
    // Bland's rule from the first step
    lp::scaling u;
    u.find(e.p);
    lp::detail::simplex bland;
    bland.load(e.p, u);
    bland.start_cold();
    bland.t.iteration_limit = 1000;
    const auto last = bland.run(1e-9, true);
    CHECK(last == (s.status == lp::status::optimal ? lp::detail::outcome::done : lp::detail::outcome::unbounded));
    if (s.status == lp::status::optimal && e.status == lp::status::optimal) {
      CHECK(s.objective == Approx(e.objective).margin(1e-12));
    }
  }
}

TEST_CASE("lp: Bland's rule alone gives the right outcome") {
  lp::solver solver;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 5'000'000);
    const known_problem q = seed % 10 < 7 ? make.optimal(10) : seed % 10 < 9 ? make.infeasible(10) : make.unbounded(10);
    lp::scaling u;
    u.find(q.p);
    lp::detail::simplex bland;
    bland.load(q.p, u);
    bland.start_cold();
    bland.t.iteration_limit = 100'000;
    const auto last = bland.run(1e-9, true);
    using lp::detail::outcome;
    CHECK(last == (q.status == lp::status::optimal      ? outcome::done
                   : q.status == lp::status::infeasible ? outcome::infeasible
                                                        : outcome::unbounded));
  }
}

TEST_CASE("lp: vertices where hundreds of rows meet") {
  // an assignment problem: every basic solution is degenerate
  for (const int n : {5, 20, 40}) {
    lp::problem p;
    std::vector<std::vector<lp::term>> from(static_cast<std::size_t>(n)), to(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const int x = p.add_variable({.cost = static_cast<double>((i * 7 + j * 13 + i * j) % 10)});
        from[static_cast<std::size_t>(i)].push_back({x, 1});
        to[static_cast<std::size_t>(j)].push_back({x, 1});
      }
    for (const auto* side : {&from, &to})
      for (const auto& terms : *side) p.add_row({.lower = 1, .upper = 1}, terms);
    const lp::solution s = lp::solve(p);
    CHECK(s.status == lp::status::optimal);
    CHECK(lp::verify(p, s).holds);
    CHECK(s.iterations < 20L * n);
  }
  // a cone: all rows pass through the origin
  problem_maker make(3);
  lp::problem cone{.goal = lp::sense::maximise};
  for (int j = 0; j < 10; ++j) cone.add_variable({.cost = make.real(0.1, 1)});
  for (int i = 0; i < 300; ++i) {
    std::vector<lp::term> terms;
    for (int j = 0; j < 10; ++j) terms.push_back({j, make.real(-0.5, 1)});
    cone.add_row({.upper = 0}, terms);
  }
  const lp::solution s = lp::solve(cone);
  CHECK((s.status == lp::status::optimal || s.status == lp::status::unbounded));
  CHECK(lp::verify(cone, s).holds);
}
