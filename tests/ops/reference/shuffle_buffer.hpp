#pragma once
// What shuffle_buffer means, evaluated plainly (support/pulled.hpp), and its place in the generated chains.
//
// chain: | pl::shuffle(q(1, 40), q(0, 99)); ends numbers, random

#include <plumbline/ops/shuffle_buffer.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// tf.data shuffle: a full buffer; a uniform draw from it goes out and the next element takes its place. At the end the
// rest is drawn without replacement (the last of the buffer takes the drawn one's place).
template <class Up> auto pulled(const pl::node<pl::shuffle_buffer_op, Up>& p, where w) -> pull<typename Up::element> {
  using T = typename Up::element;
  struct state {
    pull<T> up;
    std::vector<item<T>> buffer{};
    pl::rng draw;
    bool over = false;
  };
  auto s = std::make_shared<state>(state{pulled(p.up(), w), {}, pl::rng(pl::hash_combine(p.op.seed, w.epoch))});
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
