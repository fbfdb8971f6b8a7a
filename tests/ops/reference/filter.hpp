#pragma once
// The reference implementation of filter (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::filter(not_multiple(q(2, 5))); ends numbers

#include <plumbline/ops/filter.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class F, class Up>
auto pulled(const pl::node<pl::filter_op<F>, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), f = &p.op.f] {
    auto x = up();
    while (x && !std::invoke(*f, std::as_const(x->value))) x = up();
    return x;
  };
}

namespace chains {
inline auto not_multiple(std::int64_t k) {
  return [k](std::int64_t x) { return x % k != 0; };
}
}  // namespace chains

}  // namespace plumbline_test
