#include <plumbline/lp/solve.hpp>

#include "lp/question.hpp"

namespace lp_bench {
namespace {

class contestant final : public contender {
 public:
  void load(const lp::problem& p) override { problem_ = p; }
  answer solve() override { return answer_of(solver_.solve(problem_, options)); }
  answer again(const lp::problem& p) override { return answer_of(solver_.solve_again(p, options)); }

 private:
  static constexpr lp::options options{.allow_empty_rows = true};
  static answer answer_of(const lp::solution& s) { return {name_of(s.status), s.objective, s.iterations}; }
  lp::problem problem_{};
  lp::solver solver_{};
};

const bool entered = enter({"plumbline", [] { return std::make_unique<contestant>(); }});

}  // namespace
}  // namespace lp_bench
