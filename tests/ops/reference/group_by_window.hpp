#pragma once
// The reference implementation of group_by_window (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::group_by_window(modulo(q(1, 9)), u(q(1, 6))) | pl::flat_map(values_of); ends numbers
// chain: | pl::group_by_window(modulo(q(1, 9)), one_more, pl::remainder::drop) | pl::flat_map(values_of); ends numbers

#include <plumbline/ops/group_by_window.hpp>

#include <ops/reference/unique.hpp>
#include <support/pulled.hpp>

#include <map>

namespace plumbline_test {

template <class F, class Size, class Up>
auto pulled(const pl::node<pl::group_by_window_op<F, Size>, Up>& p, where w)
    -> pull<typename pl::node<pl::group_by_window_op<F, Size>, Up>::element> {
  using out = item<typename pl::node<pl::group_by_window_op<F, Size>, Up>::element>;
  using key = typename decltype(out::value)::first_type;
  return [up = pulled(p.up(), w), op = &p.op, open = std::map<key, std::optional<out>>(),
          over = false]() mutable -> std::optional<out> {
    while (!over) {
      auto x = up();
      over = !x;
      if (over) break;
      const key k = std::invoke(op->key, std::as_const(x->value));
      auto& group = open[k];
      if (!group) group = out{{k, {}}, x->at};
      group->value.second.push_back(std::move(x->value));
      if (group->value.second.size() == pl::detail::window_size(op->n, k)) return std::exchange(group, std::nullopt);
    }
    if (op->rest == pl::remainder::keep)
      for (auto& [k, group] : open)
        if (group) return std::exchange(group, std::nullopt);
    return std::nullopt;
  };
}

namespace chains {
inline constexpr auto one_more = [](std::int64_t key) { return (key < 0 ? -key : key) + 1; };
inline constexpr auto values_of = [](std::pair<std::int64_t, std::vector<std::int64_t>> group) { return group.second; };
}  // namespace chains

}  // namespace plumbline_test
