#pragma once
// pulled(pipeline, where): the reference implementation of a pipeline: one epoch as a function that returns its next
// element. Each operator has one overload in ops/reference/<operator>.hpp: a few lines that follow its documentation
// (tf.data's, if that has the operator) and pull one element at a time on the caller's thread. They share nothing with
// the executor (no cursor, kernel, view or chunk), and are slow and obvious. This header has their common code and the
// sources.
//
// From the library come only definitions: the random generator, the permutation, lineage, and the layout of a batch
// (collator). The argument of type where lets argument-dependent lookup find the overloads of other operators.

#include <plumbline/sources.hpp>

#include <support/streams.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

namespace plumbline_test {

namespace pl = plumbline;
using pl::item;
using pl::lineage;

// The next element of one epoch of a stream, or nothing at its end.
template <class T> using pull = std::function<std::optional<item<T>>()>;

// The position of a part within the whole pipeline, and the epoch of that part.
struct where {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint32_t operators = 0;  // number of operators in the streams to the left
  std::uint32_t sources = 0;    // number of sources in the streams to the left

  where in_epoch(std::uint64_t e) const {
    where w = *this;
    w.epoch = e;
    return w;
  }
};

// Counts operators, sources and random operators in a pipeline's type.
template <class P> struct op_counts;
template <class Op> inline constexpr bool draws = false;  // true if the operator draws; set in its reference
template <class Op, class... Ups> struct op_counts<pl::node<Op, Ups...>> {
  static constexpr std::uint32_t operators = (1 + ... + op_counts<Ups>::operators);
  static constexpr std::uint32_t sources = sizeof...(Ups) == 0 ? 1 : (0 + ... + op_counts<Ups>::sources);
  // The number of random operators on the longest path upstream, without this one; it is this operator's number.
  static constexpr std::uint32_t draws_below = std::max({std::uint32_t{0}, op_counts<Ups>::draws_up_to...});
  static constexpr std::uint32_t draws_up_to = draws_below + (draws<Op> ? 1 : 0);
};

// --- for operators that need a whole epoch

template <class T> std::vector<item<T>> all_of(const pull<T>& up) {
  std::vector<item<T>> out;
  while (auto x = up()) out.push_back(std::move(*x));
  return out;
}
// A pull over collected elements, in the given order.
template <class T> pull<T> out_of(std::vector<item<T>> held, std::vector<std::size_t> order) {
  auto kept = std::make_shared<std::vector<item<T>>>(std::move(held));
  return [kept, order = std::move(order), i = std::size_t{0}]() mutable -> std::optional<item<T>> {
    if (i == order.size()) return std::nullopt;
    return std::move((*kept)[order[i++]]);
  };
}

// --- sources

template <class Size, class Step> pull<std::int64_t> pulled(const pl::node<pl::range_source<Size, Step>>& p, where w) {
  return [next = static_cast<std::uint64_t>(p.op.first), step = p.op.step.value, n = p.op.n.value(),
          i = std::uint64_t{0}, w]() mutable {
    if (i == n) return std::optional<item<std::int64_t>>();
    const auto k = i++;
    const auto x = static_cast<std::int64_t>(std::exchange(next, next + step));
    return std::optional(item<std::int64_t>{x, {k, 0, w.epoch, w.sources}});
  };
}
template <class T, std::uint64_t N> pull<T> pulled(const pl::node<pl::elements_source<T, N>>& p, where w) {
  return [held = p.op.all(), i = std::uint64_t{0}, w]() mutable -> std::optional<item<T>> {
    if (i == held.size()) return std::nullopt;
    const auto k = i++;
    return item<T>{held[static_cast<std::size_t>(k)], {k, 0, w.epoch, w.sources}};
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
  return pull<T>([at = std::make_shared<decltype(std::ranges::begin(r))>(std::ranges::begin(r)), &r,
                  i = std::uint64_t{0}, w]() mutable -> std::optional<item<T>> {
    if (i != 0 && *at != std::ranges::end(r)) ++*at;
    if (*at == std::ranges::end(r)) return std::nullopt;
    return item<T>{**at, {i++, 0, w.epoch, w.sources}};
  });
}
// A source that a test defines: random access by index, or one element after another.
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

// --- the operator that tests define

template <class F, class Up> auto pulled(const pl::node<reads_op<F>, Up>& p, where w) -> pull<typename Up::element> {
  return [up = pulled(p.up(), w), f = &p.op.f] {
    auto x = up();
    if (x) x->value = (*f)(std::move(x->value));
    return x;
  };
}

}  // namespace plumbline_test
