#pragma once
// The reference implementation of cache(shared_memory) (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | cache_jointly{q(0, 4000)}; ends numbers, needs fixed

#include <plumbline/ops/cache_in_shared_memory.hpp>

#include <support/pulled.hpp>

#include <atomic>

namespace plumbline_test {

// A name that nothing else on this machine uses.
inline pl::shared_memory own_shared_memory() {
  static std::atomic<int> n{0};
  return pl::shared_memory("test " + std::to_string(::getpid()) + "." + std::to_string(++n));
}

// What can be cached is the same in every epoch, so a cache does not change the elements.
template <class Up>
auto pulled(const pl::node<pl::cache_in_shared_memory_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}

namespace chains {
// cache(shared_memory) where the elements have indices, else cache().
struct cache_jointly {
  std::int64_t bytes;
};
template <pl::pipeline P> auto operator|(P p, cache_jointly how) {
  if constexpr (P::type_facts.keyed && pl::storable<typename P::element>)
    return std::move(p) | pl::cache(own_shared_memory(), pl::bytes(how.bytes));
  else
    return std::move(p) | pl::cache();
}
}  // namespace chains

}  // namespace plumbline_test
