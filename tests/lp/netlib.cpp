// The reference problems of Netlib (lp/data and lp/infeas): each is solved to the value in optima.csv, or recognised as
// infeasible, with a proof.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <plumbline/lp/solve.hpp>
#include <support/mps.hpp>
#include <support/real_data.hpp>

namespace lp = plumbline::lp;
using plumbline_test::mps_reader;
using plumbline_test::real_data;

namespace {

struct reference {
  std::string name, status;
  double optimum = 0;
};

std::vector<reference> references(const std::string& folder) {
  std::ifstream in(folder + "/optima.csv");
  std::vector<reference> out;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    reference r;
    std::string value;
    std::getline(fields, r.name, ',');
    std::getline(fields, r.status, ',');
    std::getline(fields, value, ',');
    if (!value.empty()) r.optimum = std::stod(value);
    out.push_back(r);
  }
  return out;
}

void check_reference(const std::string& folder, const reference& r) {
  CAPTURE(r.name);
  const lp::problem p = mps_reader::read_file(folder + "/" + r.name + ".mps");
  lp::solver solver;
  const lp::options o{.allow_empty_rows = true};
  const lp::solution& s = solver.solve(p, o);
  CHECK(name_of(s.status) == r.status);
  const lp::verdict v = lp::verify(p, s);
  CHECK(v.holds);
  if (s.status == lp::status::optimal) CHECK(std::abs(s.objective - r.optimum) <= 1e-7 * std::abs(r.optimum));
  // from its own last basis no iteration is needed
  if (s.status == lp::status::optimal) {
    solver.solve_again(p, o);
    CHECK(solver.last().iterations <= 2);
    CHECK(std::abs(solver.last().objective - r.optimum) <= 1e-7 * std::abs(r.optimum));
  }
}

}  // namespace

TEST_CASE("lp: the problems of Netlib, with a proof of each answer", "[data]") {
  const auto folder = real_data("netlib_lp");
  if (!folder) return;
  const auto all = references(*folder);
  REQUIRE(!all.empty());
  int found = 0;
  for (const auto& r : all) {
    if (!std::filesystem::exists(*folder + "/" + r.name + ".mps")) {
      plumbline_test::skip("no " + r.name + ".mps");
      continue;
    }
    check_reference(*folder, r);
    ++found;
  }
  CHECK(found > 0);
}

TEST_CASE("lp: Netlib's problems in other units and maximised", "[data]") {
  const auto folder = real_data("netlib_lp");
  if (!folder) return;
  for (const auto& r : references(*folder)) {
    const std::string path = *folder + "/" + r.name + ".mps";
    if (!std::filesystem::exists(path) || r.name == "25fv47") continue;  // 25fv47 takes a second in a debug build
    CAPTURE(r.name);
    lp::problem p = mps_reader::read_file(path);
    p.goal = lp::sense::maximise;
    p.constant = -p.constant;
    for (auto& v : p.variables) v.cost = -v.cost;
    // rows in units of 10^-3 to 10^3, variables too
    const auto unit = [](std::size_t k) { return std::pow(10.0, static_cast<double>((k * 7919) % 61) / 10 - 3); };
    for (std::size_t i = 0; i < p.rows.size(); ++i) {
      p.rows[i].lower *= unit(i);
      p.rows[i].upper *= unit(i);
    }
    for (std::size_t j = 0; j < p.variables.size(); ++j) {
      p.variables[j].lower /= unit(j + 17);
      p.variables[j].upper /= unit(j + 17);
      p.variables[j].cost *= unit(j + 17);
    }
    for (auto& e : p.entries)
      e.value *= unit(static_cast<std::size_t>(e.row)) * unit(static_cast<std::size_t>(e.variable) + 17);
    const lp::solution s = lp::solve(p, {.allow_empty_rows = true});
    CHECK(name_of(s.status) == r.status);
    CHECK(lp::verify(p, s).holds);
    if (r.status == "optimal") CHECK(std::abs(s.objective + r.optimum) <= 1e-7 * std::abs(r.optimum));
  }
}
