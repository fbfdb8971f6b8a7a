#pragma once
// The reference implementation of map (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::map(times(q(1, 9)))
// chain: | pl::map(noise(q(2, 1000))); random
// chain: | pl::map(pl::blocking(times(q(1, 9))))

#include <plumbline/ops/map.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

template <class F, bool Blocking> inline constexpr bool draws<pl::map_op<F, true, Blocking>> = true;

// f of every element. If f takes a generator, it gets one keyed by the run's seed, the number of this random operator
// on the element's path, and the element's lineage.
template <class F, bool Random, bool Blocking, class Up>
auto pulled(const pl::node<pl::map_op<F, Random, Blocking>, Up>& p, where w)
    -> pull<typename pl::node<pl::map_op<F, Random, Blocking>, Up>::element> {
  using out = item<typename pl::node<pl::map_op<F, Random, Blocking>, Up>::element>;
  constexpr std::uint32_t random_op_index = op_counts<pl::node<pl::map_op<F, Random, Blocking>, Up>>::draws_below;
  return
      [up = pulled(p.up(), w), f = &p.op.f, key = pl::hash_combine(w.seed, random_op_index)]() -> std::optional<out> {
        auto x = up();
        if (!x) return std::nullopt;
        if constexpr (Random) {
          pl::rng own(pl::hash_combine(key, x->at.key()));
          return out{std::invoke(*f, std::move(x->value), own), x->at};
        } else {
          (void)key;
          return out{std::invoke(*f, std::move(x->value)), x->at};
        }
      };
}

namespace chains {
inline auto times(std::int64_t k) {
  return [k](std::int64_t x) { return x * k + 1; };
}
inline auto noise(std::int64_t k) {
  return
      [k](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(k))); };
}
}  // namespace chains

}  // namespace plumbline_test
