#pragma once
// The reference implementation of prefetch (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::prefetch(q(1, 20)); ends numbers

#include <plumbline/ops/prefetch.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class Up> auto pulled(const pl::node<pl::prefetch_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}

}  // namespace plumbline_test
