#pragma once
// The reference implementation of unique (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::unique(); ends numbers
// chain: | pl::unique(modulo(q(1, 30))); ends numbers

#include <plumbline/ops/unique.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// An element is passed on if no earlier one of the epoch has the same key.
template <class F, class Up>
auto pulled(const pl::node<pl::unique_op<F>, Up>& p, where w) -> pull<typename Up::element> {
  using key = std::remove_cvref_t<std::invoke_result_t<const F&, const typename Up::element&>>;
  return [up = pulled(p.up(), w), f = &p.op.key, seen = std::vector<key>()]() mutable {
    for (;;) {
      auto x = up();
      if (!x) return x;
      auto k = std::invoke(*f, std::as_const(x->value));
      if (std::find(seen.begin(), seen.end(), k) != seen.end()) continue;
      seen.push_back(std::move(k));
      return x;
    }
  };
}

namespace chains {
inline auto modulo(std::int64_t n) {
  return [n](std::int64_t x) { return x % n; };
}
}  // namespace chains

}  // namespace plumbline_test
