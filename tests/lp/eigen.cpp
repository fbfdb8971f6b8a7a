// Checks certificates with Eigen, from the definitions alone; and problems given as matrices.
#include <catch2/catch.hpp>

#include <plumbline/lp/eigen.hpp>
#include <support/lp_problems.hpp>

using namespace plumbline_test;

TEST_CASE("lp: optimal solutions satisfy the definition, checked with Eigen") {
  lp::solver solver;
  int optimal = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 9'000'000, false);  // small integers
    const known_problem q = make.optimal(12);
    const lp::solution& s = solver.solve(q.p, {.allow_empty_rows = true});
    REQUIRE(s.status == lp::status::optimal);
    ++optimal;
    const auto a = lp::matrix_of(q.p);
    const auto x = lp::vector_of(s.x), y = lp::vector_of(s.duals);
    const Eigen::VectorXd activity = a * x, priced = a.transpose() * y;
    const Eigen::VectorXd activity_size = a.cwiseAbs() * x.cwiseAbs(),
                          priced_size = a.cwiseAbs().transpose() * y.cwiseAbs();
    const double turn = q.p.goal == lp::sense::maximise ? -1 : 1;
    for (Eigen::Index i = 0; i < activity.size(); ++i) {
      const lp::row& r = q.p.rows[static_cast<std::size_t>(i)];
      const double near = 1e-9 * (activity_size[i] + 1);
      CHECK((activity[i] >= r.lower - near && activity[i] <= r.upper + near));
      if (turn * y[i] > 1e-9) CHECK(std::abs(activity[i] - r.lower) <= near);  // complementary slackness
      if (turn * y[i] < -1e-9) CHECK(std::abs(activity[i] - r.upper) <= near);
    }
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      const lp::variable& v = q.p.variables[static_cast<std::size_t>(j)];
      const double d = turn * (v.cost - priced[j]), small = 1e-9 * (priced_size[j] + 1);
      CHECK((x[j] >= v.lower && x[j] <= v.upper));
      if (d > small) CHECK(x[j] == Approx(v.lower));
      if (d < -small) CHECK(x[j] == Approx(v.upper));
      CHECK(std::abs(turn * s.reduced_costs[static_cast<std::size_t>(j)] - d) <= small);
    }
  }
  CHECK(optimal == 2000);
}

TEST_CASE("lp: a problem given as Eigen matrices") {
  Eigen::SparseMatrix<double> a(2, 2);
  a.insert(0, 0) = 1;
  a.insert(0, 1) = 2;
  a.insert(1, 0) = 3;
  a.insert(1, 1) = 1;
  const Eigen::Vector2d none(-lp::infinity, -lp::infinity), limits(4, 6), cost(-1, -1), zero(0, 0),
      free(lp::infinity, lp::infinity);
  const lp::problem p = lp::problem_of(a, none, limits, cost, zero, free);
  const lp::solution s = lp::solve(p);
  CHECK(s.x[0] == Approx(1.6));
  CHECK(s.x[1] == Approx(1.2));
  CHECK(lp::matrix_of(p).isApprox(a));
  CHECK_THROWS_WITH(lp::problem_of(a, none, Eigen::VectorXd(3), cost, zero, free),
                    Catch::Matchers::Contains("row_upper has 3 values"));
}
