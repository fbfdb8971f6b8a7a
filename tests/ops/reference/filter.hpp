#pragma once
// The reference implementation of filter (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::filter(not_multiple(q(2, 5))); ends numbers
// chain: | pl::filter(keeps_some(q(2, 9))); ends numbers, random
// chain: | pl::filter(pl::blocking(not_multiple(q(2, 5)))); ends numbers

#include <plumbline/ops/filter.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class F, bool Blocking> inline constexpr bool draws<pl::filter_op<F, true, Blocking>> = true;

template <class F, bool Random, bool Blocking, class Up>
auto pulled(const pl::node<pl::filter_op<F, Random, Blocking>, Up>& p, where w) -> pull<typename Up::element> {
  constexpr std::uint32_t random_op_index = op_counts<pl::node<pl::filter_op<F, Random, Blocking>, Up>>::draws_below;
  return [up = pulled(p.up(), w), f = &p.op.f, key = pl::hash_combine(w.seed, random_op_index)] {
    const auto keeps = [&](const auto& x) {
      if constexpr (Random) {
        pl::rng own(pl::hash_combine(key, x.at.key()));
        return std::invoke(*f, std::as_const(x.value), own);
      } else {
        (void)key;
        return std::invoke(*f, std::as_const(x.value));
      }
    };
    auto x = up();
    while (x && !keeps(*x)) x = up();
    return x;
  };
}

namespace chains {
inline auto not_multiple(std::int64_t k) {
  return [k](std::int64_t x) { return x % k != 0; };
}
inline auto keeps_some(std::int64_t k) {
  return [k](std::int64_t, pl::rng& r) { return r.below(static_cast<std::uint64_t>(k)) != 0; };
}
}  // namespace chains

}  // namespace plumbline_test
