#pragma once
// The reference implementation of cache(bytes) (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | cache_some{q(0, 400)}; ends numbers, needs fixed

#include <plumbline/ops/cache_part.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// What can be cached is the same in every epoch, so a cache does not change the elements.
template <class Up> auto pulled(const pl::node<pl::part_cache_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}

namespace chains {
// cache(bytes) where the elements have indices, else cache().
struct cache_some {
  std::int64_t bytes;
};
template <pl::pipeline P> auto operator|(P p, cache_some how) {
  if constexpr (P::type_facts.keyed)
    return std::move(p) | pl::cache(pl::bytes(how.bytes));
  else
    return std::move(p) | pl::cache();
}
}  // namespace chains

}  // namespace plumbline_test
