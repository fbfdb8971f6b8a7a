#pragma once
// The reference implementation of group (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::group(q(1, 9)) | pl::map(pl::collate) | pl::map(total)

#include <plumbline/ops/group.hpp>

#include <support/pulled.hpp>

#include <vector>

namespace plumbline_test {

// Consecutive elements; the last group of an epoch may be smaller, unless the remainder is dropped.
template <class S, auto R, class Up>
auto pulled(const pl::node<pl::group_op<S, R>, Up>& p, where w) -> pull<std::vector<typename Up::element>> {
  using out = item<std::vector<typename Up::element>>;
  return [up = pulled(p.up(), w), n = p.op.n.value(), rest = p.op.rest.value(),
          over = false]() mutable -> std::optional<out> {
    out group{};
    while (!over && group.value.size() < n) {
      auto x = up();
      over = !x;
      if (over) break;
      if (group.value.empty()) group.at = x->at;
      group.value.push_back(std::move(x->value));
    }
    if (group.value.empty() || (group.value.size() < n && rest == pl::remainder::drop)) return std::nullopt;
    return group;
  };
}

}  // namespace plumbline_test
