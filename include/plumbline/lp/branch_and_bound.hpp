#pragma once
/// branch and bound: the best x whose marked variables are whole. Depth first, so that each relaxation starts from its
/// parent's basis, whose duals stay feasible: a few steps of the dual simplex. The variable furthest from whole is
/// split, the nearer side first. Land and Doig 1960; Dakin, "A tree-search algorithm for mixed integer programming
/// problems", 1965.

#include <plumbline/lp/relaxation.hpp>
#include <plumbline/lp/tree_proof.hpp>

namespace plumbline::lp::detail {

class branch_and_bound {
 public:
  /// `lp` is loaded with `p`.
  void run(const problem& p, const options& o, relaxation& lp, solution& out) {
    search(p, o, lp, out);
    if (out.tree.empty() || (out.status != status::optimal && out.status != status::infeasible)) return;
    units_.find(p);
    out.proof = tree_proof_.measure(p, units_, out);
    if (!(out.proof.worst() <= o.proof_tolerance)) out.status = status::numerical_trouble;
  }

 private:
  void search(const problem& p, const options& o, relaxation& lp, solution& out) {
    p_ = p;
    sign_ = p.goal == sense::maximise ? -1 : 1;
    path_.clear();
    path_.reserve(p.variables.size() + 64);
    rounded_.reserve(2 * p.variables.size());
    for (auto* s : {&node_, &trial_, &best_}) reserve(*s, p.rows.size(), p.variables.size());
    best_.has_x = false;
    best_.tree.clear();
    long nodes = 0;
    bool finished = false, trouble = false;
    double bound = infinity;  // of everything that was closed, as if minimised
    bool some = true;
    for (std::size_t j = 0; j < p_.variables.size(); ++j) {
      if (!p_.variables[j].integer) continue;
      some = round_limits(p_.variables[j]) && some;
      if (some) lp.limit(static_cast<int>(j), p_.variables[j].lower, p_.variables[j].upper);
    }
    if (!some) {  // a variable without a whole number between its limits
      best_.tree.resize(o.keep_tree ? 1 : 0);
      node_.basis.variables.assign(p.variables.size(), place::at_lower);
      node_.basis.rows.assign(p.rows.size(), place::basic);
      finish(out, true, false, infinity);
      out.iterations = out.nodes = 0;
      return;
    }
    while (true) {
      int number = -1;
      if (o.keep_tree) number = grow();
      ++nodes;
      lp.run(p_, o, node_);
      if (nodes == 1 &&
          node_.status != status::optimal) {  // what is true without the marks is true with them, or unknown
        out = node_;
        out.nodes = 1;
        if (number >= 0 && out.status == status::infeasible) {
          close(number);
          std::swap(out.tree, best_.tree);
        }
        return;
      }
      if (node_.status == status::unbounded || node_.status == status::iteration_limit) break;
      if (node_.status == status::numerical_trouble) trouble = true;
      const int split = node_.status == status::optimal ? judge(o, lp) : -1;
      if (split >= 0 && nodes < o.node_limit) {
        const variable& v = p_.variables[static_cast<std::size_t>(split)];
        const double x = node_.x[static_cast<std::size_t>(split)];
        path_.push_back(
            {split, v.lower, v.upper, std::floor(x), x - std::floor(x) > 0.5, false, number, sign_ * node_.objective});
        enter(lp);
        continue;
      }
      if (split >= 0) break;
      if (number >= 0) close(number);
      if (node_.status == status::optimal) bound = std::min(bound, sign_ * node_.objective);
      while (!path_.empty() && path_.back().second) leave(lp);
      finished = path_.empty();
      if (finished) break;
      path_.back().second = true;
      path_.back().above = !path_.back().above;
      enter(lp);
    }
    for (const choice& c : path_) bound = std::min(bound, c.bound);  // what was left open
    finish(out, finished && !trouble, trouble,
           sign_ * (best_.has_x ? std::min(bound, sign_ * best_.objective) : bound));
    out.iterations = lp.iterations();
    out.nodes = nodes;
  }

  struct choice {
    int column;
    double lower, upper;  ///< before it
    double at;            ///< at most this on one side, at least one more on the other
    bool above, second;   ///< the side that is being looked at; both have been, or are
    int node;
    double bound;
  };

  /// The variable to split, -1: nothing better can be below this node.
  int judge(const options& o, relaxation& lp) {
    if (!improves(node_.objective)) return -1;
    int furthest = -1;
    double by = 0;
    for (std::size_t j = 0; j < p_.variables.size(); ++j)
      if (p_.variables[j].integer)
        if (const double f = std::abs(node_.x[j] - std::round(node_.x[j])); f > by) {
          by = f;
          furthest = static_cast<int>(j);
        }
    if (by > o.integer_tolerance) return furthest;
    if (furthest < 0) {
      accept(node_);
      return -1;
    }
    round_and_solve(o, lp);
    return improves(node_.objective) ? furthest : -1;
  }
  bool improves(double objective) const {
    return !best_.has_x || sign_ * objective < sign_ * best_.objective - 1e-9 * std::abs(best_.objective);
  }

  /// Nearly whole is not whole: with a coefficient of 1e9 a millionth is much. So the rest is solved with the marked
  /// ones rounded.
  void round_and_solve(const options& o, relaxation& lp) {
    rounded_.clear();
    for (std::size_t j = 0; j < p_.variables.size(); ++j) {
      variable& v = p_.variables[j];
      if (!v.integer) continue;
      rounded_.push_back(v.lower);
      rounded_.push_back(v.upper);
      v.lower = v.upper = std::round(node_.x[j]);
      lp.limit(static_cast<int>(j), v.lower, v.upper);
    }
    lp.run(p_, o, trial_);
    if (trial_.status == status::optimal) accept(trial_);
    std::size_t k = 0;
    for (std::size_t j = 0; j < p_.variables.size(); ++j) {
      variable& v = p_.variables[j];
      if (!v.integer) continue;
      v.lower = rounded_[k++];
      v.upper = rounded_[k++];
      lp.limit(static_cast<int>(j), v.lower, v.upper);
    }
  }
  void accept(const solution& s) {
    if (!improves(s.objective)) return;
    best_.has_x = true;
    best_.objective = s.objective;
    best_.x = s.x;
    best_.activity = s.activity;
    best_.duals = s.duals;
    best_.reduced_costs = s.reduced_costs;
    best_.basis = s.basis;
    best_.proof = s.proof;
  }

  void set(relaxation& lp, int j, double lower, double upper) {
    p_.variables[static_cast<std::size_t>(j)].lower = lower;
    p_.variables[static_cast<std::size_t>(j)].upper = upper;
    lp.limit(j, lower, upper);
  }
  void enter(relaxation& lp) {
    const choice& c = path_.back();
    if (c.above)
      set(lp, c.column, c.at + 1, c.upper);
    else
      set(lp, c.column, c.lower, c.at);
  }
  void leave(relaxation& lp) {
    set(lp, path_.back().column, path_.back().lower, path_.back().upper);
    path_.pop_back();
  }

  /// A node of the tree that proves the bound, under the one where the path splits.
  int grow() {
    const int number = static_cast<int>(best_.tree.size());
    best_.tree.emplace_back();
    if (!path_.empty()) {
      const choice& c = path_.back();
      tree_node& parent = best_.tree[static_cast<std::size_t>(c.node)];
      parent.variable = c.column;
      parent.at = c.at;
      (c.above ? parent.above : parent.below) = number;
    }
    return number;
  }
  void close(int number) {
    tree_node& leaf = best_.tree[static_cast<std::size_t>(number)];
    leaf.infeasible = node_.status == status::infeasible;
    leaf.multipliers = leaf.infeasible ? node_.farkas : node_.duals;
  }

  void finish(solution& out, bool proven, bool trouble, double bound) {
    out = best_;  // copied: each solution keeps its memory
    out.status = trouble     ? status::numerical_trouble
                 : !proven   ? status::iteration_limit
                 : out.has_x ? status::optimal
                             : status::infeasible;
    out.bound = bound;
    out.farkas.clear();
    out.ray.clear();
    if (out.has_x) return;
    for (auto* v : {&out.x, &out.activity, &out.duals, &out.reduced_costs}) v->clear();
    out.basis = node_.basis;
    out.objective = sign_ * infinity;
    out.proof = {};
  }

  problem p_{};
  double sign_ = 1;
  std::vector<choice> path_{};
  std::vector<double> rounded_{};
  solution node_{}, trial_{}, best_{};
  units units_{};
  tree_proof tree_proof_{};
};

}  // namespace plumbline::lp::detail
