#pragma once
// The reference implementation of shuffle_buffer (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::shuffle(q(1, 40), q(0, 99)); ends numbers, random

#include <plumbline/ops/shuffle_buffer.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// tf.data shuffle: a full buffer, from which a uniformly drawn element is emitted and replaced by the next one. At the
// end, the rest is drawn without replacement (the last of the buffer takes the slot of the drawn one).
template <pl::reshuffle How, class Up>
auto pulled(const pl::node<pl::shuffle_buffer_op<How>, Up>& p, where w) -> pull<typename Up::element> {
  using T = typename Up::element;
  struct state {
    pull<T> up;
    std::vector<item<T>> buffer{};
    pl::rng draw;
    bool over = false;
  };
  const auto as_in = How == pl::reshuffle::never ? 0 : w.epoch;
  auto s = std::make_shared<state>(state{pulled(p.up(), w), {}, pl::rng(pl::hash_combine(p.op.seed, as_in))});
  return [s, room = p.op.n.value()]() -> std::optional<item<T>> {
    while (!s->over) {
      auto x = s->up();
      if (!x) {
        s->over = true;
      } else if (s->buffer.size() < room) {
        s->buffer.push_back(std::move(*x));
      } else {
        return std::exchange(s->buffer[static_cast<std::size_t>(s->draw.below(room))], std::move(*x));
      }
    }
    if (s->buffer.empty()) return std::nullopt;
    std::swap(s->buffer[static_cast<std::size_t>(s->draw.below(s->buffer.size()))], s->buffer.back());
    auto out = std::move(s->buffer.back());
    s->buffer.pop_back();
    return out;
  };
}

}  // namespace plumbline_test
