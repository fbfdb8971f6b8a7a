#pragma once
// The reference implementation of take_while (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::take_while(below(q(0, 400))); ends numbers

#include <plumbline/ops/take_while.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class F, class Up>
auto pulled(const pl::node<pl::take_while_op<F>, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), f = &p.op.f, over = false]() mutable -> std::optional<item<typename Up::element>> {
    if (over) return std::nullopt;
    auto x = up();
    over = !x || !(*f)(std::as_const(x->value));
    if (over) return std::nullopt;
    return x;
  };
}

namespace chains {
inline auto below(std::int64_t n) {
  return [n](std::int64_t x) { return x < n; };
}
}  // namespace chains

}  // namespace plumbline_test
