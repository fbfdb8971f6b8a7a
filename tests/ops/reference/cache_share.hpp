#pragma once
// The reference implementation of cache(share) (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | cache_share{q(0, 10)}; ends numbers, needs fixed

#include <plumbline/ops/cache_share.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// What can be cached is the same in every epoch, so a cache does not change the elements.
template <class Up> auto pulled(const pl::node<pl::share_cache_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}

namespace chains {
// cache(share) where the elements have indices, else cache().
struct cache_share {
  std::int64_t tenths;
};
template <pl::pipeline P> auto operator|(P p, cache_share how) {
  if constexpr (P::type_facts.keyed)
    return std::move(p) | pl::cache(pl::share(static_cast<double>(how.tenths) / 10));
  else
    return std::move(p) | pl::cache();
}
}  // namespace chains

}  // namespace plumbline_test
