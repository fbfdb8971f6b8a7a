// GLPK's primal simplex (its default) on a scaled problem. Loading and scaling are not measured: plumbline's whole
// solve (checks, loading, scaling, proof) is compared with GLPK's simplex method alone.
#include "support/glpk.hpp"
#include "lp/question.hpp"

namespace lp_bench {
namespace {

class contestant final : public contender {
 public:
  void load(const lp::problem& p) override {
    lp_ = std::make_unique<plumbline_test::glpk>(p);
    lp_->scale();
    whole_ = false;
    for (const lp::variable& v : p.variables) whole_ = whole_ || v.integer;
  }
  answer solve() override {
    lp_->forget();
    return run();
  }
  answer again(const lp::problem& p) override {
    lp_->set(p);
    return run();
  }

 private:
  answer run() {
    const auto begin = std::chrono::steady_clock::now();
    const auto a = whole_ ? lp_->solve_whole() : lp_->solve();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return {name_of(a.status), a.objective, a.iterations, took};
  }
  std::unique_ptr<plumbline_test::glpk> lp_{};
  bool whole_ = false;
};

const bool entered = enter({"GLPK", [] { return std::make_unique<contestant>(); }});

}  // namespace
}  // namespace lp_bench
