// Numbers as they occur in pipelines: rates from 1e-3 to 1e9, bytes up to 1e13, seconds from 1e-9.
#include <catch2/catch.hpp>
#include <cmath>

#include <support/lp_problems.hpp>

using namespace plumbline_test;

namespace {

// Maximise the rate X: X <= theta_i R_i, sum of theta_i <= cores, bytes * X <= disk. best() is the exact answer.
struct pipeline {
  std::vector<double> rates{};
  double cores = 16, bytes = 1e6, disk = 1e9;
  double best() const {
    double time = 0;
    for (const double r : rates) time += 1 / r;
    return std::min(cores / time, disk / bytes);
  }
  lp::problem problem() const {
    lp::problem p{.goal = lp::sense::maximise};
    const int x = p.add_variable({.name = "rate", .cost = 1});
    std::vector<lp::term> all;
    for (const double r : rates) {
      const int theta = p.add_variable({.name = "cores of a stage"});
      p.add_row({.name = "stage", .upper = 0}, {{x, 1}, {theta, -r}});
      all.push_back({theta, 1});
    }
    p.add_row({.name = "cores", .upper = cores}, all);
    p.add_row({.name = "disk", .upper = disk}, {{x, bytes}});
    return p;
  }
};

}  // namespace

TEST_CASE("lp: pipelines in any units, to ten digits") {
  problem_maker make(1);
  lp::solver solver;
  for (int k = 0; k < 5000; ++k) {
    CAPTURE(k);
    pipeline of;
    const bool wild = k % 2 == 0;
    for (int i = make.number(1, 24); i > 0; --i)
      of.rates.push_back(std::pow(10.0, wild ? make.real(-3, 9) : make.real(2, 4)));
    of.bytes = std::pow(10.0, make.real(0, 13));
    of.disk = std::pow(10.0, make.real(0, 13));
    of.cores = std::pow(10.0, make.real(0, 3));
    const lp::problem p = of.problem();
    const lp::solution& s = k % 3 == 0 ? solver.solve_again(p) : solver.solve(p);
    REQUIRE(s.status == lp::status::optimal);
    CHECK(std::abs(s.objective - of.best()) <= 1e-10 * of.best());
    CHECK(lp::verify(p, s).holds);
  }
}

TEST_CASE("lp: the same pipeline in seconds or nanoseconds, bytes or terabytes") {
  const pipeline of{.rates = {120, 5500, 31, 860, 2400}, .cores = 12, .bytes = 3.7e6, .disk = 2.1e8};
  for (const double time : {1e-9, 1e-3, 1.0, 1e6})
    for (const double size : {1e-12, 1e-6, 1.0, 1e3}) {
      CAPTURE(time, size);
      pipeline other = of;
      for (double& r : other.rates) r *= time;
      other.bytes *= size;
      other.disk *= size * time;
      const lp::solution s = lp::solve(other.problem());
      REQUIRE(s.status == lp::status::optimal);
      CHECK(std::abs(s.objective - of.best() * time) <= 1e-12 * of.best() * time);
    }
}

TEST_CASE("lp: small and large numbers in one problem, each accurate at its own scale") {
  lp::problem p;
  const int t = p.add_variable({.name = "seconds", .cost = 1}), b = p.add_variable({.name = "bytes", .cost = 1});
  p.add_row({.name = "latency", .lower = 1e-9}, {{t, 1}});
  p.add_row({.name = "memory", .lower = 1e13}, {{b, 1}});
  const lp::solution s = lp::solve(p);
  REQUIRE(s.status == lp::status::optimal);
  CHECK(s.x[0] == Approx(1e-9).epsilon(1e-12));
  CHECK(s.x[1] == Approx(1e13).epsilon(1e-12));
  p.rows[0].upper = 2e-9;
  p.variables[0].upper = 0.5e-9;
  const lp::solution none = lp::solve(p);
  CHECK(none.status == lp::status::infeasible);
  CHECK(lp::verify(p, none).holds);
}

TEST_CASE("lp: a problem scaled by a power of ten has the scaled answer") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 800'000);
    known_problem q = make.optimal(12);
    for (const double times : {1e-9, 1e9}) {
      lp::problem p = q.p;
      for (auto& v : p.variables) {
        v.lower *= times;
        v.upper *= times;
      }
      for (auto& r : p.rows) {
        r.lower *= times;
        r.upper *= times;
      }
      p.constant *= times;
      const lp::solution s = lp::solve(p, {.allow_empty_rows = true});
      CHECK(s.status == lp::status::optimal);
      CHECK(lp::verify(p, s).holds);
      double size = 0;
      for (std::size_t j = 0; j < s.x.size(); ++j) size += std::abs(p.variables[j].cost * s.x[j]);
      CHECK(std::abs(s.objective - q.objective * times) <= 1e-9 * (size + std::abs(q.objective) * times));
    }
  }
}

TEST_CASE("lp: rows and variables that coefficients connect form one part, others separate parts") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    problem_maker make(seed + 7'000'000);
    const int m = make.number(1, 12), n = make.number(1, 12);
    lp::problem p;
    p.rows.resize(static_cast<std::size_t>(m));
    p.variables.resize(static_cast<std::size_t>(n));
    for (int e = make.number(0, 20); e > 0; --e)  // in any order; a zero connects nothing
      p.entries.push_back({make.number(0, m - 1), make.number(0, n - 1), make.chance(0.2) ? 0 : make.real(0.1, 9)});
    std::vector<int> part(static_cast<std::size_t>(m + n));  // rows first: the lowest index that each is connected to
    for (std::size_t k = 0; k < part.size(); ++k) part[k] = static_cast<int>(k);
    for (int pass = 0; pass < m + n; ++pass)
      for (const lp::entry& e : p.entries) {
        auto &a = part[static_cast<std::size_t>(e.row)], &b = part[static_cast<std::size_t>(m + e.variable)];
        if (e.value != 0) a = b = std::min(a, b);
      }
    lp::scaling u;
    u.find(p);
    const auto found = [&](int k) { return k < m ? u.part_of_row[k] : u.part_of_variable[k - m]; };
    for (int a = 0; a < m + n; ++a)
      for (int b = 0; b < a; ++b)
        CHECK((found(a) == found(b)) == (part[static_cast<std::size_t>(a)] == part[static_cast<std::size_t>(b)]));
  }
}
