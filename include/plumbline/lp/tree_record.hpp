#pragma once
/// tree record: the tree that proves the bound (solution::tree), recorded during branch and bound.

#include <plumbline/lp/solution.hpp>

namespace plumbline::lp::detail {

class tree_record {
 public:
  std::vector<tree_node> nodes{};

  /// Adds a node for one side of `parent`'s split (-1: it has no parent). Returns its index.
  int grow(int parent, int column, double at, bool above) {
    const int number = static_cast<int>(nodes.size());
    nodes.emplace_back();
    if (parent < 0) return number;
    tree_node& p = nodes[static_cast<std::size_t>(parent)];
    p.variable = column;
    p.at = at;
    (above ? p.above : p.below) = number;
    return number;
  }
  /// Closes a leaf with the multipliers that prove it.
  void close(int number, bool infeasible, const std::vector<double>& multipliers) {
    tree_node& leaf = nodes[static_cast<std::size_t>(number)];
    leaf.infeasible = infeasible;
    leaf.multipliers = multipliers;
  }
  /// Adds a split of which a row contradicts one side by itself, `above` or below. The next node added is the other
  /// side.
  void cut(int column, double at, bool above, std::size_t rows, int row, double multiplier) {
    const int number = static_cast<int>(nodes.size()), closed = number + 1, open = number + 2;
    nodes.push_back({column, at, above ? open : closed, above ? closed : open});
    nodes.push_back({.infeasible = true});
    nodes.back().multipliers.assign(rows, 0.0);
    nodes.back().multipliers[static_cast<std::size_t>(row)] = multiplier;
  }
};

}  // namespace plumbline::lp::detail
