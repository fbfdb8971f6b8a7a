#pragma once
// The reference implementation of take (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::take(q(0, 100))

#include <plumbline/ops/take.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class Up> auto pulled(const pl::node<pl::take_op, Up>& p, where w) -> pull<typename Up::element> {
  using T = typename Up::element;
  return [up = pulled(p.up(), w), left = p.op.n.value()]() mutable -> std::optional<item<T>> {
    if (left == 0) return std::nullopt;
    --left;
    return up();
  };
}

}  // namespace plumbline_test
