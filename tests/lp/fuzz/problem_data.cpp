// A fuzzer over problem data (libFuzzer): arbitrary rows, variables, coefficients, options and bases, mostly invalid.
// Each must give an lp::error, or an answer whose proof holds, without undefined behaviour. Built and run by hand:
//   clang++-16 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined \
//     -fno-sanitize-recover=all -Iinclude tests/lp/fuzz/problem_data.cpp -o /tmp/fuzz_lp
//   /tmp/fuzz_lp -max_total_time=600 -max_len=1024
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <plumbline/lp/solve.hpp>

namespace lp = plumbline::lp;

namespace {

class bytes {
 public:
  bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  int below(int n) { return next() % n; }
  // Mostly numbers that are common in problems, sometimes arbitrary ones.
  double number() {
    const std::uint8_t kind = next();
    if (kind < 160) return static_cast<double>(static_cast<std::int8_t>(next())) / (kind < 120 ? 1 : 8);
    if (kind < 200)
      return std::ldexp(static_cast<double>(static_cast<std::int8_t>(next())), static_cast<std::int8_t>(next()) / 2);
    if (kind < 240) return 0;
    static const double special[] = {lp::infinity, -lp::infinity, 1e13, 1e-9, 1e300, -1e300, 5e-324, -0.0, 1e-300, 1e9};
    if (kind < 252) return special[next() % std::size(special)];
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k) bits = bits << 8U | next();
    return std::bit_cast<double>(bits);
  }
  double limit(double otherwise) { return below(2) == 0 ? otherwise : number(); }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

lp::problem problem_from(bytes& in) {
  lp::problem p{.goal = in.below(2) == 0 ? lp::sense::minimise : lp::sense::maximise};
  const int n = in.below(12), m = in.below(12), entries = in.below(80);
  if (in.below(8) == 0) p.constant = in.number();
  for (int j = 0; j < n; ++j) {
    double lower = in.limit(0), upper = in.limit(lp::infinity);
    if (lower > upper && in.below(16) != 0) std::swap(lower, upper);
    p.add_variable({.name = "x", .lower = lower, .upper = upper, .cost = in.number(), .integer = in.below(6) == 0});
  }
  for (int i = 0; i < m; ++i) {
    double lower = in.limit(-lp::infinity), upper = in.limit(lp::infinity);
    if (lower > upper && in.below(16) != 0) std::swap(lower, upper);
    p.add_row({.name = "r", .lower = lower, .upper = upper}, {});
  }
  for (int k = 0; k < entries; ++k) {
    const bool wild = in.below(64) == 0;
    const int row = wild ? static_cast<std::int8_t>(in.next()) : m == 0 ? 0 : in.below(m);
    const int variable = wild ? static_cast<std::int8_t>(in.next()) : n == 0 ? 0 : in.below(n);
    bool twice = false;
    for (const auto& e : p.entries) twice = twice || (e.row == row && e.variable == variable);
    if (!twice || wild) p.entries.push_back({row, variable, in.number()});
  }
  return p;
}

void demand(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

void check(const lp::problem& p, const lp::solution& s) {
  const bool claims =
      s.status == lp::status::optimal || s.status == lp::status::infeasible || s.status == lp::status::unbounded;
  bool marked = false;
  for (const auto& v : p.variables) marked = marked || v.integer;
  if (claims && !(marked && s.status == lp::status::unbounded)) demand(lp::verify(p, s).holds, "the proof holds");
  if (s.status == lp::status::optimal) demand(s.has_x, "what is optimal has an x");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bytes in(data, size);
  lp::problem p = problem_from(in);
  lp::options o{.iteration_limit = 3000,
                .node_limit = 60,
                .allow_empty_rows = in.below(8) != 0,
                .keep_tree = true,
                .ranges = true};
  if (in.below(16) == 0) o.tolerance = in.number();
  static lp::solver solver;  // shared: what the last problem left in it must not matter
  try {
    check(p, solver.solve(p, o));
    for (auto& e : p.entries)
      if (in.below(2) == 0) e.value = in.number();
    for (auto& v : p.variables)
      if (in.below(4) == 0) v.cost = in.number();
    check(p, solver.solve_again(p, o));
    lp::basis b;
    for (std::size_t j = 0; j < p.variables.size(); ++j)
      b.variables.push_back(static_cast<lp::basis_status>(in.below(6)));
    for (std::size_t i = 0; i < p.rows.size(); ++i) b.rows.push_back(static_cast<lp::basis_status>(in.below(6)));
    check(p, solver.solve(p, o, b));
  } catch (const lp::error& e) {
    demand(std::strlen(e.what()) > 20, "an error says something");
  }
  return 0;
}
