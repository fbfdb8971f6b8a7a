#pragma once
// reference(pipeline): what a pipeline means, evaluated plainly: one overload for each operator, each the few lines
// that its documentation (tf.data's where it has the operator) says, one element pulled at a time on the caller's
// thread. It shares nothing with the executor: no cursor, no kernel, no view, no chunk. It is slow and obvious.
//
// What it takes from the library are definitions: the random generator, the permutation, lineage, and how a batch is
// laid out (collator).

#include <plumbline/core/permutation.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>

#include <support/streams.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace plumbline_test {

namespace pl = plumbline;
using pl::item;
using pl::lineage;

// The next element of one epoch of a stream, or nothing at its end.
template <class T> using pull = std::function<std::optional<item<T>>()>;

// Where in the whole pipeline a part of it stands, and which epoch of that part is meant.
struct where {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint32_t operators = 0;  // in the streams to the left
  std::uint32_t sources = 0;    // in the streams to the left

  where in_epoch(std::uint64_t e) const {
    where w = *this;
    w.epoch = e;
    return w;
  }
};

// Counting operators, sources and random operators in a pipeline's type.
template <class P> struct tally;
template <class Op> inline constexpr bool draws = false;
template <class F> inline constexpr bool draws<pl::map_op<F, true>> = true;
template <class Op, class... Ups> struct tally<pl::node<Op, Ups...>> {
  static constexpr std::uint32_t operators = (1 + ... + tally<Ups>::operators);
  static constexpr std::uint32_t sources = sizeof...(Ups) == 0 ? 1 : (0 + ... + tally<Ups>::sources);
  // Random operators on the longest way down from here, this one not counted: it numbers this one.
  static constexpr std::uint32_t draws_below = std::max({std::uint32_t{0}, tally<Ups>::draws_up_to...});
  static constexpr std::uint32_t draws_up_to = draws_below + (draws<Op> ? 1 : 0);
};

// --- sources

template <class Size> pull<std::int64_t> pulled(const pl::node<pl::range_source<Size>>& p, where w) {
  return [from = p.op.first, n = p.op.n.value(), i = std::uint64_t{0}, w]() mutable {
    if (i == n) return std::optional<item<std::int64_t>>();
    const auto k = i++;
    return std::optional(item<std::int64_t>{from + static_cast<std::int64_t>(k), {k, 0, w.epoch, w.sources}});
  };
}
template <class T, std::uint64_t N> pull<T> pulled(const pl::node<pl::elements_source<T, N>>& p, where w) {
  return [held = p.op.held, i = std::uint64_t{0}, w]() mutable -> std::optional<item<T>> {
    if (i == held->size()) return std::nullopt;
    const auto k = i++;
    return item<T>{(*held)[static_cast<std::size_t>(k)], {k, 0, w.epoch, w.sources}};
  };
}
template <class F, bool Endless> auto pulled(const pl::node<pl::generate_source<F, Endless>>& p, where w) {
  using T = typename pl::generate_source<F, Endless>::element;
  return pull<T>([op = &p.op, i = std::uint64_t{0}, w]() mutable -> std::optional<item<T>> {
    if (!Endless && i == op->n) return std::nullopt;
    const auto k = i++;
    return item<T>{op->f(k), {k, 0, w.epoch, w.sources}};
  });
}
template <class F> auto pulled(const pl::node<pl::generate_serial_source<F>>& p, where w) {
  using T = typename pl::generate_serial_source<F>::element;
  return pull<T>([f = p.op.f, i = std::uint64_t{0}, w]() mutable -> std::optional<item<T>> {
    auto x = f();
    if (!x) return std::nullopt;
    return item<T>{std::move(*x), {i++, 0, w.epoch, w.sources}};
  });
}
template <class R> auto pulled(const pl::node<pl::from_range_source<R>>& p, where w) {
  using T = typename pl::from_range_source<R>::element;
  auto& r = p.op.held->range;
  return pull<T>([at = std::make_shared<decltype(ranges::begin(r))>(ranges::begin(r)), &r, i = std::uint64_t{0},
                  w]() mutable -> std::optional<item<T>> {
    if (i != 0 && *at != ranges::end(r)) ++*at;
    if (*at == ranges::end(r)) return std::nullopt;
    return item<T>{**at, {i++, 0, w.epoch, w.sources}};
  });
}
// A source that a test made: by number, or one after another.
template <class S>
  requires(std::derived_from<S, pl::source_base>)
auto pulled(const pl::node<S>& p, where w) {
  using T = typename S::element;
  if constexpr (pl::indexed_source<S>) {
    return pull<T>([op = &p.op, i = std::uint64_t{0}, w]() mutable -> std::optional<item<T>> {
      if (i == op->size()) return std::nullopt;
      const auto k = i++;
      return item<T>{op->at(k), {k, 0, w.epoch, w.sources}};
    });
  } else {
    using reader = decltype(p.op.open(0));
    return pull<T>(
        [op = &p.op, r = std::shared_ptr<reader>(), i = std::uint64_t{0}, w]() mutable -> std::optional<item<T>> {
          if (!r) r = std::make_shared<reader>(op->open(w.epoch));
          auto x = r->next();
          if (!x) return std::nullopt;
          return item<T>{std::move(*x), {i++, 0, w.epoch, w.sources}};
        });
  }
}

// Every operator, declared first: each calls the ones below it.
template <class F, bool R, class Up>
auto pulled(const pl::node<pl::map_op<F, R>, Up>& p, where w) -> pull<typename pl::node<pl::map_op<F, R>, Up>::element>;
template <class F, class Up> auto pulled(const pl::node<reads_op<F>, Up>& p, where w) -> pull<typename Up::element>;
template <class F, class Up>
auto pulled(const pl::node<pl::filter_op<F>, Up>& p, where w) -> pull<typename Up::element>;
template <class Up>
auto pulled(const pl::node<pl::enumerate_op, Up>& p, where w) -> pull<std::pair<std::uint64_t, typename Up::element>>;
template <class S, auto... R, class Up>
auto pulled(const pl::node<pl::batch_op<S, R...>, Up>& p, where w) -> pull<pl::batch_of<typename Up::element>>;
template <class Up> auto pulled(const pl::node<pl::shuffle_op, Up>& p, where w) -> pull<typename Up::element>;
template <class Up> auto pulled(const pl::node<pl::shuffle_buffer_op, Up>& p, where w) -> pull<typename Up::element>;
template <class Up> auto pulled(const pl::node<pl::take_op, Up>& p, where w) -> pull<typename Up::element>;
template <class Up> auto pulled(const pl::node<pl::skip_op, Up>& p, where w) -> pull<typename Up::element>;
template <class Up> auto pulled(const pl::node<pl::shard_op, Up>& p, where w) -> pull<typename Up::element>;
template <class S, class Up>
auto pulled(const pl::node<pl::repeat_op<S>, Up>& p, where w) -> pull<typename Up::element>;
template <class Up> auto pulled(const pl::node<pl::cache_op, Up>& p, where w) -> pull<typename Up::element>;
template <class Up> auto pulled(const pl::node<pl::prefetch_op, Up>& p, where w) -> pull<typename Up::element>;
template <class F, class In, bool Flat, class Up>
auto pulled(const pl::node<pl::interleave_op<F, In, Flat>, Up>& p, where w)
    -> pull<typename pl::node<pl::interleave_op<F, In, Flat>, Up>::element>;
template <class F, class Up>
auto pulled(const pl::node<pl::flat_map_op<F>, Up>& p, where w)
    -> pull<typename pl::node<pl::flat_map_op<F>, Up>::element>;
template <class A, class... B>
auto pulled(const pl::node<pl::concat_op, A, B...>& p, where w) -> pull<typename A::element>;
template <class... P>
auto pulled(const pl::node<pl::zip_op, P...>& p, where w) -> pull<std::tuple<typename P::element...>>;

// --- per element

// f of every element. If f takes a generator, the element's own: keyed by the run's seed, the number of this random
// operator on its way, and the element's lineage.
template <class F, bool Random, class Up>
auto pulled(const pl::node<pl::map_op<F, Random>, Up>& p, where w)
    -> pull<typename pl::node<pl::map_op<F, Random>, Up>::element> {
  using out = item<typename pl::node<pl::map_op<F, Random>, Up>::element>;
  constexpr std::uint32_t salt = tally<pl::node<pl::map_op<F, Random>, Up>>::draws_below;
  return [up = pulled(p.up(), w), f = &p.op.f, key = pl::mix(w.seed, salt)]() -> std::optional<out> {
    auto x = up();
    if (!x) return std::nullopt;
    if constexpr (Random) {
      pl::rng own(pl::mix(key, x->at.key()));
      return out{std::invoke(*f, std::move(x->value), own), x->at};
    } else {
      (void)key;
      return out{std::invoke(*f, std::move(x->value)), x->at};
    }
  };
}

template <class F, class Up> auto pulled(const pl::node<reads_op<F>, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), f = &p.op.f] {
    auto x = up();
    if (x) x->value = (*f)(std::move(x->value));
    return x;
  };
}

template <class F, class Up>
auto pulled(const pl::node<pl::filter_op<F>, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), f = &p.op.f] {
    auto x = up();
    while (x && !std::invoke(*f, std::as_const(x->value))) x = up();
    return x;
  };
}

template <class Up>
auto pulled(const pl::node<pl::enumerate_op, Up>& p, where w) -> pull<std::pair<std::uint64_t, typename Up::element>> {
  using out = item<std::pair<std::uint64_t, typename Up::element>>;
  return [up = pulled(p.up(), w), n = std::uint64_t{0}]() mutable -> std::optional<out> {
    auto x = up();
    if (!x) return std::nullopt;
    return out{{n++, std::move(x->value)}, x->at};
  };
}

// --- groups

constexpr pl::remainder rest_of(const auto& r) {
  if constexpr (requires { r.value(); })
    return r.value();
  else
    return r;
}
// tf.data batch: consecutive elements; the last group of an epoch may be smaller, unless the remainder is dropped.
template <class S, auto... R, class Up>
auto pulled(const pl::node<pl::batch_op<S, R...>, Up>& p, where w) -> pull<pl::batch_of<typename Up::element>> {
  using In = typename Up::element;
  using out = item<pl::batch_of<In>>;
  return [up = pulled(p.up(), w), n = static_cast<std::size_t>(p.op.n.value()), rest = rest_of(p.op.rest),
          over = false]() mutable -> std::optional<out> {
    std::vector<item<In>> group;
    while (!over && group.size() < n) {
      if (auto x = up())
        group.push_back(std::move(*x));
      else
        over = true;
    }
    if (group.empty() || (group.size() < n && rest == pl::remainder::drop)) return std::nullopt;
    pl::collator<In> collate(n);
    for (std::size_t i = 0; i < group.size(); ++i) collate.put(i, std::move(group[i].value));
    return out{std::move(collate).finish(group.size()), group.front().at};
  };
}

// --- order

template <class T> std::vector<item<T>> all_of(const pull<T>& up) {
  std::vector<item<T>> out;
  while (auto x = up()) out.push_back(std::move(*x));
  return out;
}
// A pull over elements that are all there.
template <class T> pull<T> out_of(std::vector<item<T>> held, std::vector<std::size_t> order) {
  auto kept = std::make_shared<std::vector<item<T>>>(std::move(held));
  return [kept, order = std::move(order), i = std::size_t{0}]() mutable -> std::optional<item<T>> {
    if (i == order.size()) return std::nullopt;
    return std::move((*kept)[order[i++]]);
  };
}

// Place i of the epoch is held by element number permutation(n, key of seed and epoch)(i).
template <class Up> auto pulled(const pl::node<pl::shuffle_op, Up>& p, where w) -> pull<typename Up::element> {
  using T = typename Up::element;
  return [op = p.op, up = pulled(p.up(), w), w, got = pull<T>()]() mutable -> std::optional<item<T>> {
    if (!got) {
      auto all = all_of(up);
      std::vector<std::size_t> order(all.size());
      const pl::permutation number(all.size(), pl::mix(op.seed, w.epoch));
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::size_t>(number(i));
      got = out_of(std::move(all), std::move(order));
    }
    return got();
  };
}

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
  auto s = std::make_shared<state>(state{pulled(p.up(), w), {}, pl::rng(pl::mix(p.op.seed, w.epoch))});
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

// --- streams

template <class Up> auto pulled(const pl::node<pl::take_op, Up>& p, where w) -> pull<typename Up::element> {
  using T = typename Up::element;
  return [up = pulled(p.up(), w), left = p.op.n.value()]() mutable -> std::optional<item<T>> {
    if (left == 0) return std::nullopt;
    --left;
    return up();
  };
}
template <class Up> auto pulled(const pl::node<pl::skip_op, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), left = p.op.n.value()]() mutable -> std::optional<item<typename Up::element>> {
    for (; left != 0; --left)
      if (!up()) return std::nullopt;
    return up();
  };
}
// Every count-th element, beginning with number `index`.
template <class Up> auto pulled(const pl::node<pl::shard_op, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), op = p.op, i = std::uint64_t{0}]() mutable {
    auto x = up();
    while (x && i++ % op.count != op.index) x = up();
    return x;
  };
}
// Epoch e of k repeats is the epochs e * k, ..., e * k + k - 1 of the stream below (k = 2^32 for an endless repeat).
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
// What can be cached is the same in every epoch; so a cache changes nothing.
template <class Up> auto pulled(const pl::node<pl::cache_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}
template <class Up> auto pulled(const pl::node<pl::prefetch_op, Up>& p, where w) -> pull<typename Up::element> {
  return pulled(p.up(), w);
}

template <class A, class... B>
auto pulled(const pl::node<pl::concat_op, A, B...>& p, where w) -> pull<typename A::element> {
  std::vector<pull<typename A::element>> parts;
  std::apply(
      [&](const auto&... up) {
        ((parts.push_back(pulled(up, w)), w.operators += tally<std::remove_cvref_t<decltype(up)>>::operators,
          w.sources += tally<std::remove_cvref_t<decltype(up)>>::sources),
         ...);
      },
      p.ups);
  return [parts = std::move(parts), i = std::size_t{0}]() mutable -> std::optional<item<typename A::element>> {
    for (; i != parts.size(); ++i)
      if (auto x = parts[i]()) return x;
    return std::nullopt;
  };
}

// One of each, asked from left to right; the first that has none ends it. Numbered as the first.
template <class... P>
auto pulled(const pl::node<pl::zip_op, P...>& p, where w) -> pull<std::tuple<typename P::element...>> {
  using T = std::tuple<typename P::element...>;
  auto sides = std::apply(
      [&](const auto&... up) {
        const auto one = [&](const auto& u) {
          auto made = pulled(u, w);
          w.operators += tally<std::remove_cvref_t<decltype(u)>>::operators;
          w.sources += tally<std::remove_cvref_t<decltype(u)>>::sources;
          return made;
        };
        return std::tuple<pull<typename P::element>...>{one(up)...};
      },
      p.ups);
  return [sides = std::move(sides), over = false]() mutable -> std::optional<item<T>> {
    std::tuple<std::optional<item<typename P::element>>...> got;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((over = over || !(std::get<I>(got) = std::get<I>(sides)())), ...);
    }
    (std::index_sequence_for<P...>{});
    if (over) return std::nullopt;
    const lineage at = std::get<0>(got)->at;
    return std::apply([&](auto&... x) { return item<T>{T(std::move(x->value)...), at}; }, got);
  };
}

// --- streams within streams

// tf.data interleave: a cycle of `cycle_length` places. The current place gives up to block_length elements; when its
// stream ends, or the block is full, the next place's turn comes. A place without a stream opens the next one, while
// there is one. flat_map is a cycle of one place.
template <class F, class In, bool Flat, class Up>
auto pulled(const pl::node<pl::interleave_op<F, In, Flat>, Up>& p, where w)
    -> pull<typename pl::node<pl::interleave_op<F, In, Flat>, Up>::element> {
  using P = pl::node<pl::interleave_op<F, In, Flat>, Up>;
  using inner = std::remove_cvref_t<std::invoke_result_t<const F&, In>>;
  using T = typename P::element;
  struct open_stream {
    std::unique_ptr<const inner> held;  // what the pull looks at
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
  const std::uint64_t seed = pl::mix(w.seed, w.operators + tally<P>::operators);
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
          auto next = pulled(*held, where{pl::mix(seed, outer.key()), outer.epoch});
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

// flat_map into plain ranges: part j of element i.
template <class F, class Up>
auto pulled(const pl::node<pl::flat_map_op<F>, Up>& p, where w)
    -> pull<typename pl::node<pl::flat_map_op<F>, Up>::element> {
  using T = typename pl::node<pl::flat_map_op<F>, Up>::element;
  using range = std::remove_cvref_t<std::invoke_result_t<const F&, typename Up::element>>;
  struct walk {
    range made;
    lineage outer;
    decltype(std::begin(made)) at;
    decltype(std::end(made)) end;
    std::uint64_t part = 0;
    walk(range r, const lineage& o) : made(std::move(r)), outer(o), at(std::begin(made)), end(std::end(made)) {}
  };
  return [up = pulled(p.up(), w), f = &p.op.f, now = std::shared_ptr<walk>()]() mutable -> std::optional<item<T>> {
    if (now) {
      ++now->at;
      ++now->part;
    }
    while (!now || now->at == now->end) {
      auto x = up();
      if (!x) return std::nullopt;
      now = std::make_shared<walk>(std::invoke(*f, std::move(x->value)), x->at);
    }
    const lineage at = now->outer.part(now->part);
    if constexpr (std::copy_constructible<T>)
      return item<T>{T(*now->at), at};
    else
      return item<T>{T(std::move(*now->at)), at};
  };
}

// --- the whole

struct epoch_of {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::size_t limit = ~std::size_t{0};  // for endless streams
};

// The elements of one epoch, in order. What the pipeline throws, this throws.
template <class P> std::vector<item<typename P::element>> reference(const P& p, epoch_of e = {}) {
  const auto next = pulled(p, where{e.seed, e.epoch});
  std::vector<item<typename P::element>> out;
  while (out.size() < e.limit) {
    auto x = next();
    if (!x) break;
    out.push_back(std::move(*x));
  }
  return out;
}

}  // namespace plumbline_test
