#pragma once
// The reference implementation of skip (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::skip(q(0, 20))

#include <plumbline/ops/skip.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class Up> auto pulled(const pl::node<pl::skip_op, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), left = p.op.n.value()]() mutable -> std::optional<item<typename Up::element>> {
    for (; left != 0; --left)
      if (!up()) return std::nullopt;
    return up();
  };
}

}  // namespace plumbline_test
