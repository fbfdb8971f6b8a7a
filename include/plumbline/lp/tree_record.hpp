#pragma once
/// tree record: the tree that proves the bound (solution::tree), written while branch and bound goes through it.

#include <plumbline/lp/solution.hpp>

namespace plumbline::lp::detail {

class tree_record {
 public:
  std::vector<tree_node> nodes{};

  /// A node for one side of `parent`'s split (-1: it is under none). Its number.
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
  /// A branch ends: that is what proves it.
  void close(int number, bool infeasible, const std::vector<double>& multipliers) {
    tree_node& leaf = nodes[static_cast<std::size_t>(number)];
    leaf.infeasible = infeasible;
    leaf.multipliers = multipliers;
  }
  /// A split whose one side a row contradicts by itself, `above` or below. The next node that grows is its other side.
  void cut(int column, double at, bool above, std::size_t rows, int row, double multiplier) {
    const int number = static_cast<int>(nodes.size()), closed = number + 1, open = number + 2;
    nodes.push_back({column, at, above ? open : closed, above ? closed : open});
    nodes.push_back({.infeasible = true});
    nodes.back().multipliers.assign(rows, 0.0);
    nodes.back().multipliers[static_cast<std::size_t>(row)] = multiplier;
  }
};

}  // namespace plumbline::lp::detail
