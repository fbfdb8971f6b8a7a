#pragma once
// The reference implementation of interleave (support/pulled.hpp), and how it occurs in the generated chains.
//
// chain: | pl::interleave(few_of, {u(q(1, 5)), u(q(1, 4))}); ends numbers, expands, outermost

#include <plumbline/ops/interleave.hpp>
#include <plumbline/ops/map.hpp>

#include <support/pulled.hpp>

namespace plumbline_test {

// tf.data interleave: a cycle of `cycle_length` slots. The current slot gives up to block_length elements; when its
// stream ends or the block is full, the next slot has its turn. A slot without a stream opens the next one, if there is
// one. flat_map is a cycle of one slot.
template <class F, class In, bool Flat, class Up>
auto pulled(const pl::node<pl::interleave_op<F, In, Flat>, Up>& p, where w)
    -> pull<typename pl::node<pl::interleave_op<F, In, Flat>, Up>::element> {
  using P = pl::node<pl::interleave_op<F, In, Flat>, Up>;
  using inner = std::remove_cvref_t<std::invoke_result_t<const F&, In>>;
  using T = typename P::element;
  struct open_stream {
    std::unique_ptr<const inner> held;  // what the pull refers to
    pull<T> next;
    lineage outer;
    std::uint64_t part = 0;
  };
  struct state {
    pull<In> up;
    std::vector<std::optional<open_stream>> cycle;
    std::size_t turn = 0;
    std::uint64_t used = 0;
    bool over = false;
  };
  auto s = std::make_shared<state>();
  s->up = pulled(p.up(), w);
  s->cycle.resize(static_cast<std::size_t>(p.op.how.cycle_length));
  const std::uint64_t seed = pl::hash_combine(w.seed, w.operators + op_counts<P>::operators);
  return [s, op = &p.op, seed]() -> std::optional<item<T>> {
    const auto next_turn = [&] {
      s->turn = (s->turn + 1) % s->cycle.size();
      s->used = 0;
    };
    std::size_t idle = 0;
    while (idle != s->cycle.size()) {
      auto& here = s->cycle[s->turn];
      if (!here && !s->over) {
        if (auto x = s->up()) {
          const lineage outer = x->at;
          auto held = std::make_unique<const inner>(std::invoke(op->f, std::move(x->value)));
          auto next = pulled(*held, where{pl::hash_combine(seed, outer.key()), outer.epoch});
          here.emplace(open_stream{std::move(held), std::move(next), outer});
        } else {
          s->over = true;
        }
      }
      if (!here) {
        ++idle;
        next_turn();
        continue;
      }
      idle = 0;
      if (auto x = here->next()) {
        item<T> out{std::move(x->value), here->outer.part(here->part++)};
        if (++s->used == op->how.block_length) next_turn();
        return out;
      }
      here.reset();
      next_turn();
    }
    return std::nullopt;
  };
}

namespace chains {
inline std::uint64_t u(std::int64_t x) { return static_cast<std::uint64_t>(x); }
inline constexpr auto few_of = [](std::int64_t x) {
  return pl::range((x % 4 + 4) % 4) | pl::map([x](std::int64_t i) { return i * x + 1; });
};
}  // namespace chains

}  // namespace plumbline_test
