#pragma once
// The reference implementation of repeat (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::repeat(q(0, 3)); expands
// chain: | pl::repeat<2>(); expands

#include <plumbline/ops/repeat.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// Epoch e of k repeats is the epochs e * k, ..., e * k + k - 1 of its upstream (k = 2^32 for an endless repeat).
template <class S, class Up>
auto pulled(const pl::node<pl::repeat_op<S>, Up>& p, where w) -> pull<typename Up::element> {
  using T = typename Up::element;
  constexpr bool endless = pl::repeat_op<S>::endless;
  return [below = &p.up(), k = endless ? std::uint64_t{1} << 32 : p.op.n.value(), w, round = std::uint64_t{0},
          any = true, up = pull<T>()]() mutable -> std::optional<item<T>> {
    for (;;) {
      if (up) {
        if (auto x = up()) {
          any = true;
          return x;
        }
        ++round;
      }
      if (round == k) {
        up = nullptr;
        return std::nullopt;
      }
      if (endless && !any) throw std::runtime_error("nothing to repeat");
      any = false;
      up = pulled(*below, w.in_epoch(w.epoch * k + round));
    }
  };
}

}  // namespace plumbline_test
