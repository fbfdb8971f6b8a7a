#pragma once
// The reference implementation of scan (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::scan(std::int64_t{q(0, 9)}, added); ends numbers

#include <plumbline/ops/scan.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class State, class F, class Up>
auto pulled(const pl::node<pl::scan_op<State, F>, Up>& p, where w)
    -> pull<typename pl::node<pl::scan_op<State, F>, Up>::element> {
  using out = item<typename pl::node<pl::scan_op<State, F>, Up>::element>;
  return [up = pulled(p.up(), w), f = &p.op.f, now = p.op.first]() mutable -> std::optional<out> {
    auto x = up();
    if (!x) return std::nullopt;
    auto [next, made] = (*f)(now, std::move(x->value));
    now = next;
    return out{std::move(made), x->at};
  };
}

namespace chains {
inline constexpr auto added = [](std::int64_t sum, std::int64_t x) {
  sum = (sum + x) % 1'000'003;
  return std::pair(sum, sum);
};
}  // namespace chains

}  // namespace plumbline_test
