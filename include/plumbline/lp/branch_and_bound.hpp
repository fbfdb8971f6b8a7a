#pragma once
/// branch and bound: finds the best x whose integer variables have integer values. Depth first, so that each relaxation
/// starts from its parent's basis, which stays dual feasible: a few iterations of the dual simplex method. Splits on
/// the variable with the highest cost (branching.hpp), the cheaper side first. Only the root and the leaves need a
/// proof: nothing is concluded from the other nodes. Land and Doig 1960; Dakin, "A tree-search algorithm for mixed
/// integer programming problems", 1965.

#include <plumbline/lp/relaxation.hpp>
#include <plumbline/lp/tightening.hpp>
#include <plumbline/lp/tree_proof.hpp>
#include <plumbline/lp/tree_record.hpp>

namespace plumbline::lp::detail {

class branch_and_bound {
 public:
  /// `lp` must be loaded with `p`.
  void run(const problem& p, const options& o, relaxation& lp, solution& out) {
    search(p, o, lp, out);
    if (out.tree.empty() || (out.status != status::optimal && out.status != status::infeasible)) return;
    scaling_.find(p);
    out.proof = tree_proof_.measure(p, scaling_, out);
    if (!(out.proof.worst() <= o.proof_tolerance)) out.status = status::numerical_trouble;
  }

 private:
  void search(const problem& p, const options& o, relaxation& lp, solution& out) {
    p_ = p;
    sign_ = p.goal == sense::maximise ? -1 : 1;
    path_.clear();
    path_.reserve(p.variables.size() + 64);
    rounded_.reserve(p.variables.size());
    tightening_.reserve(p);
    for (auto* s : {&node_, &trial_, &best_}) reserve(*s, p.rows.size(), p.variables.size());
    best_.has_x = false;
    record_.nodes.clear();
    bool some = true;
    for (variable& v : p_.variables) some = round_limits(v) && some;
    if (!some) {  // a variable has no integer value within its bounds
      record_.nodes.resize(o.keep_tree ? 1 : 0);
      node_.basis.variables.assign(p.variables.size(), basis_status::at_lower);
      node_.basis.rows.assign(p.rows.size(), basis_status::basic);
      finish(out, true, false, infinity);
      out.iterations = out.nodes = 0;
      return;
    }
    const bool tightened = tighten(o);
    apply_limits(lp);
    lp.run(p_, o, node_);
    if (tightened && node_.status != status::optimal) {  // again, without the tightened bounds
      p_ = p;
      for (variable& v : p_.variables) round_limits(v);
      apply_limits(lp);
      lp.run(p_, o, node_);
    }
    if (node_.status != status::optimal) {  // the status holds for the integer problem too, or is unknown
      out = node_;
      out.nodes = 1;
      if (!o.keep_tree || out.status != status::infeasible) return;
      record_.close(grow(), true, node_.farkas);
      out.tree = record_.nodes;
      return;
    }
    long nodes = 0;
    bool finished = false, trouble = false, proven = true;
    double bound = infinity;  // of all closed nodes, as if minimised
    const double bound_of_root = sign_ * node_.objective;
    while (true) {
      const int number = o.keep_tree ? grow() : -1;
      ++nodes;
      if (!proven) lp.look(p_, o, node_);
      split next;
      if (node_.status == status::optimal) next = choose_split(o, lp);
      if (next.column < 0) {  // this node is a leaf
        if (!proven) lp.prove(p_, o, node_);
        if (node_.status == status::unbounded || node_.status == status::iteration_limit) break;
        if (node_.status == status::numerical_trouble) trouble = true;
        if (node_.status == status::optimal) next = branch_or_prune(o, lp);
      }
      proven = false;
      if (next.column >= 0 && nodes < o.node_limit) {
        const variable& v = p_.variables[static_cast<std::size_t>(next.column)];
        const double x = node_.x[static_cast<std::size_t>(next.column)];
        path_.push_back({next.column, v.lower, v.upper, std::floor(x), next.up_first, false, number});
        enter(lp);
        continue;
      }
      if (next.column >= 0) break;
      const bool infeasible = node_.status == status::infeasible;
      if (number >= 0) record_.close(number, infeasible, infeasible ? node_.farkas : node_.duals);
      if (node_.status == status::optimal) bound = std::min(bound, sign_ * node_.objective);
      while (!path_.empty() && path_.back().second) leave(lp);
      finished = path_.empty();
      if (finished) break;
      path_.back().second = true;
      path_.back().above = !path_.back().above;
      enter(lp);
    }
    if (!finished) bound = bound_of_root;
    finish(out, finished && !trouble, trouble,
           sign_ * (best_.has_x ? std::min(bound, sign_ * best_.objective) : bound));
    out.iterations = lp.iterations();
    out.nodes = nodes;
  }

  void apply_limits(relaxation& lp) const {
    for (std::size_t j = 0; j < p_.variables.size(); ++j)
      if (p_.variables[j].integer) lp.limit(static_cast<int>(j), p_.variables[j].lower, p_.variables[j].upper);
  }
  /// Tightens bounds. In the tree, each change is a split with one side closed by the row itself.
  bool tighten(const options& o) {
    return tightening_.run(p_, [&](int row, int column, double at, bool above, bool low) {
      if (o.keep_tree) record_.cut(column, at, above, p_.rows.size(), row, low ? 1 : -1);
    });
  }

  struct limits {
    int column;
    double lower, upper;
  };
  struct split {
    int column = -1;        ///< -1: none
    bool up_first = false;  ///< the upper side is the cheaper one
  };
  struct choice {
    int column;
    double lower, upper;  ///< bounds before the split
    double at;            ///< at most this on the lower side, at least this + 1 on the upper side
    bool above, second;   ///< the upper side is being searched; it is the second side
    int node;
  };

  /// Returns the variable to split; -1 if there is none, or if the subtree of this node can have nothing better.
  split choose_split(const options& o, relaxation& lp) {
    split best;
    if (!improves(node_.objective)) return best;
    double dearest = -1;
    for (std::size_t j = 0; j < p_.variables.size(); ++j) {
      const double down = node_.x[j] - std::floor(node_.x[j]), up = 1 - down;
      if (!p_.variables[j].integer || std::min(down, up) <= o.integer_tolerance) continue;
      const penalty cost = lp.cost_of_splitting(static_cast<int>(j), down, up);
      const double most = std::max(cost.down, cost.up) + 1e-9 * std::min(down, up);
      if (most <= dearest) continue;
      dearest = most;
      best = {static_cast<int>(j), cost.up < cost.down || (cost.up == cost.down && up < down)};
    }
    return best;
  }

  /// At a leaf: accepts its x if that is integer, or rounded to integers. Returns the variable to split if rounding may
  /// have lost something better.
  split branch_or_prune(const options& o, relaxation& lp) {
    if (const split s = choose_split(o, lp); s.column >= 0 || !improves(node_.objective)) return s;
    split furthest;
    double by = 0;
    for (std::size_t j = 0; j < p_.variables.size(); ++j)
      if (p_.variables[j].integer)
        if (const double f = std::abs(node_.x[j] - std::round(node_.x[j])); f > by) {
          by = f;
          furthest = {static_cast<int>(j), node_.x[j] - std::floor(node_.x[j]) > 0.5};
        }
    if (furthest.column < 0) {
      accept(node_);
      return {};
    }
    round_and_solve(o, lp);
    return improves(node_.objective) ? furthest : split{};
  }
  bool improves(double objective) const {
    return !best_.has_x || sign_ * objective < sign_ * best_.objective - 1e-9 * std::abs(best_.objective);
  }

  /// Nearly integer is not integer: with a coefficient of 1e9 a millionth matters. So this fixes the integer variables
  /// at their rounded values and solves for the rest.
  void round_and_solve(const options& o, relaxation& lp) {
    rounded_.clear();
    for (int j = 0; j < static_cast<int>(p_.variables.size()); ++j) {
      const variable& v = p_.variables[static_cast<std::size_t>(j)];
      if (!v.integer) continue;
      const double whole = std::round(node_.x[static_cast<std::size_t>(j)]);
      rounded_.push_back({j, v.lower, v.upper});
      set(lp, j, whole, whole);
    }
    lp.run(p_, o, trial_);
    if (trial_.status == status::optimal) accept(trial_);
    for (const auto& r : rounded_) set(lp, r.column, r.lower, r.upper);
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
    c.above ? set(lp, c.column, c.at + 1, c.upper) : set(lp, c.column, c.lower, c.at);
  }
  void leave(relaxation& lp) {
    set(lp, path_.back().column, path_.back().lower, path_.back().upper);
    path_.pop_back();
  }

  /// Adds a node to the tree that proves the bound, below the last split of the path.
  int grow() {
    if (path_.empty()) return record_.grow(-1, -1, 0, false);
    const choice& c = path_.back();
    return record_.grow(c.node, c.column, c.at, c.above);
  }

  void finish(solution& out, bool proven, bool trouble, double bound) {
    out = best_;  // copied: each solution keeps its memory
    out.tree = record_.nodes;
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
  std::vector<limits> rounded_{};
  solution node_{}, trial_{}, best_{};
  tree_record record_{};
  tightening tightening_{};
  scaling scaling_{};
  tree_proof tree_proof_{};
};

}  // namespace plumbline::lp::detail
