#pragma once
// The reference implementation of cache (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::cache(); ends numbers, needs fixed, weight 2

#include <plumbline/ops/cache.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// What can be cached is the same in every epoch, so a cache does not change the elements.
template <class Up> auto pulled(const pl::node<pl::cache_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}

}  // namespace plumbline_test
