#pragma once
// GLPK, for comparison in tests and benchmarks only: it is not part of plumbline and has another licence (GPL).

#include <plumbline/lp/solve.hpp>

#include <glpk.h>

#include <utility>
#include <vector>

namespace plumbline_test {

struct glpk_answer {
  plumbline::lp::status status = plumbline::lp::status::numerical_trouble;
  double objective = 0;
  int iterations = 0;
};

class glpk {
 public:
  explicit glpk(const plumbline::lp::problem& p) : lp_(glp_create_prob()) {
    glp_term_out(GLP_OFF);
    const int m = static_cast<int>(p.rows.size()), n = static_cast<int>(p.variables.size());
    if (m > 0) glp_add_rows(lp_, m);
    if (n > 0) glp_add_cols(lp_, n);
    set(p);
    for (int j = 0; j < n; ++j)
      if (p.variables[static_cast<std::size_t>(j)].integer) glp_set_col_kind(lp_, j + 1, GLP_IV);
  }
  ~glpk() { glp_delete_prob(lp_); }
  glpk(const glpk&) = delete;

  // Loads other data of the same shape; the basis stays.
  void set(const plumbline::lp::problem& p) {
    glp_set_obj_dir(lp_, p.goal == plumbline::lp::sense::maximise ? GLP_MAX : GLP_MIN);
    glp_set_obj_coef(lp_, 0, p.constant);
    for (std::size_t i = 0; i < p.rows.size(); ++i)
      glp_set_row_bnds(lp_, static_cast<int>(i) + 1, kind(p.rows[i].lower, p.rows[i].upper), p.rows[i].lower,
                       p.rows[i].upper);
    for (std::size_t j = 0; j < p.variables.size(); ++j) {
      const auto& v = p.variables[j];
      glp_set_col_bnds(lp_, static_cast<int>(j) + 1, kind(v.lower, v.upper), v.lower, v.upper);
      glp_set_obj_coef(lp_, static_cast<int>(j) + 1, v.cost);
    }
    row_.assign(1, 0);
    column_.assign(1, 0);
    value_.assign(1, 0);
    for (const auto& e : p.entries) {
      if (e.value == 0) continue;
      row_.push_back(e.row + 1);
      column_.push_back(e.variable + 1);
      value_.push_back(e.value);
    }
    glp_load_matrix(lp_, static_cast<int>(row_.size()) - 1, row_.data(), column_.data(), value_.data());
  }
  void scale() { glp_scale_prob(lp_, GLP_SF_AUTO); }
  // Resets the basis: all auxiliary variables (those of the rows) become basic.
  void forget() { glp_std_basis(lp_); }

  glpk_answer solve() {
    using plumbline::lp::status;
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    if (glp_simplex(lp_, &how) != 0) return {};
    const int s = glp_get_status(lp_);
    return {s == GLP_OPT      ? status::optimal
            : s == GLP_NOFEAS ? status::infeasible
            : s == GLP_UNBND  ? status::unbounded
                              : status::numerical_trouble,
            glp_get_obj_val(lp_), glp_get_it_cnt(lp_)};
  }
  glpk_answer solve_whole() {
    using plumbline::lp::status;
    const glpk_answer relaxed = solve();
    if (relaxed.status != status::optimal) return relaxed;
    glp_iocp how;
    glp_init_iocp(&how);
    how.msg_lev = GLP_MSG_OFF;
    if (glp_intopt(lp_, &how) != 0) return {};
    const int s = glp_mip_status(lp_);
    return {s == GLP_OPT      ? status::optimal
            : s == GLP_NOFEAS ? status::infeasible
                              : status::numerical_trouble,
            glp_mip_obj_val(lp_), 0};
  }

 private:
  static int kind(double lower, double upper) {
    const bool low = lower != -plumbline::lp::infinity, high = upper != plumbline::lp::infinity;
    return low && high ? (lower == upper ? GLP_FX : GLP_DB) : low ? GLP_LO : high ? GLP_UP : GLP_FR;
  }
  glp_prob* lp_;
  std::vector<int> row_{}, column_{};
  std::vector<double> value_{};
};

}  // namespace plumbline_test
