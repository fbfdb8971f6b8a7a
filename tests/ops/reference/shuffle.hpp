#pragma once
// The reference implementation of shuffle (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::shuffle(q(0, 99)); needs numbers, random, weight 5
// chain: | pl::shuffle(q(0, 99), pl::each_epoch::same); needs numbers, random

#include <plumbline/core/permutation.hpp>
#include <plumbline/ops/shuffle.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// Position i of the epoch has the element with index permutation(n, key of seed and epoch)(i).
template <pl::reshuffle How, class Up>
auto pulled(const pl::node<pl::shuffle_op<How>, Up>& p, where w) -> pull<typename Up::element> {
  using T = typename Up::element;
  return [op = p.op, up = pulled(p.up(), w), w, got = pull<T>()]() mutable -> std::optional<item<T>> {
    if (!got) {
      auto all = all_of(up);
      std::vector<std::size_t> order(all.size());
      const pl::permutation number(all.size(), pl::hash_combine(op.seed, How == pl::reshuffle::never ? 0 : w.epoch));
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::size_t>(number(i));
      got = out_of(std::move(all), std::move(order));
    }
    return got();
  };
}

}  // namespace plumbline_test
