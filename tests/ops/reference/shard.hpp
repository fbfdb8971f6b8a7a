#pragma once
// The reference implementation of shard (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::shard(q(2, 4), q(0, 1))

#include <plumbline/ops/shard.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// Every count-th element, beginning with element `index`.
template <class Up> auto pulled(const pl::node<pl::shard_op, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), op = p.op, i = std::uint64_t{0}]() mutable {
    auto x = up();
    while (x && i++ % op.count.value() != op.index.value()) x = up();
    return x;
  };
}

}  // namespace plumbline_test
