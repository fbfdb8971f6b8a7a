#pragma once
/// Views: any element of an indexed stream by number, from any thread. A linear part keeps its element kernels apart
/// (they run in the stages); where an operator joins indexed streams, or renumbers one whose kernels look at their
/// place, the part below is folded into one view.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>

#include <array>
#include <optional>
#include <tuple>

namespace plumbline::detail {

/// An operator's element kernel, with the numbers that its place in the pipeline gives it. `Held`: a pointer to it.
template <class Op, class Held = const Op*> struct bound {
  template <class In> using output = typename Op::template output<std::remove_cvref_t<In>>;
  static constexpr bool blocks = blocking<Op>;
  static constexpr bool one_to_one = detail::one_to_one<Op>;
  static constexpr bool uses_position = detail::uses_position<Op>;
  static constexpr bool reads_lineage = detail::reads_lineage<Op>;
  static constexpr std::string_view name = Op::name;

  Held op;
  std::uint64_t seed;
  std::uint32_t id, salt;

  /// emit(y, lineage)
  template <class In, class Emit>
  void push(In&& x, const lineage& at, std::uint64_t position, std::uint64_t group, Emit&& emit) const {
    const element_context cx{at, seed, position, group, id, salt};
    if constexpr (expanding<Op>) {
      std::uint64_t n = 0;
      op->apply(cx, std::forward<In>(x), [&](auto&& y) { emit(std::forward<decltype(y)>(y), at.part(n++)); });
    } else {
      op->apply(cx, std::forward<In>(x), [&](auto&& y) { emit(std::forward<decltype(y)>(y), at); });
    }
  }
};

/// A source's elements by number.
template <class Source> struct source_view {
  using element = typename Source::element;
  const Source* source;
  std::uint32_t op, origin;

  std::uint64_t size() const { return source->size(); }
  item<element> get(place p) const {
    const lineage at{p.index, 0, p.epoch, origin};
    const element_context cx{at, 0, 0, 0, op, 0};
    return {guarded(Source::name, cx, [&] { return source->at(p.index); }), at};
  }
};

/// Several indexed streams joined: the operator says how (`template <class... Views> struct view`).
template <class Op, class... Views> struct join_view {
  using joined = typename Op::template view<Views...>;
  using element = typename joined::element;
  joined view;
  std::uint64_t size() const { return view.size(); }
  item<element> get(place p) const { return view.get(p); }
};

/// A view renumbered by index kernels, outermost first.
template <class View, class... Index> struct indexed_head {
  using element = typename View::element;
  View view;
  std::tuple<const Index*...> index;

  std::uint64_t size() const {
    std::uint64_t n = view.size();
    // innermost first: each one's size follows from the one below it
    [&]<std::size_t... I>(std::index_sequence<I...>) { ((n = std::get<sizeof...(I) - 1 - I>(index)->size_of(n)), ...); }
    (std::index_sequence_for<Index...>{});
    return n;
  }
  item<element> get(place p) const {
    if constexpr (sizeof...(Index) > 0) {
      std::array<std::uint64_t, sizeof...(Index)> below{};
      std::uint64_t n = view.size();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((below[sizeof...(I) - 1 - I] = n, n = std::get<sizeof...(I) - 1 - I>(index)->size_of(n)), ...);
        ((p = std::get<I>(index)->from(p, below[I])), ...);
      }
      (std::index_sequence_for<Index...>{});
    }
    return view.get(p);
  }
};

/// A head with its one-to-one kernels folded in: position is the place in the head's own numbering.
template <class Head, class... K> struct folded_view {
  template <class In, class...> struct out_of { using type = In; };
  template <class In, class F, class... R> struct out_of<In, F, R...> {
    using type = typename out_of<typename F::template output<In>, R...>::type;
  };
  using element = typename out_of<typename Head::element, K...>::type;
  Head head;
  std::tuple<K...> kernels;

  std::uint64_t size() const { return head.size(); }
  item<element> get(place p) const {
    auto x = head.get(p);
    return step<0>(std::move(x.value), x.at, p.index);
  }

 private:
  template <std::size_t I, class X> item<element> step(X&& x, const lineage& at, std::uint64_t position) const {
    if constexpr (I == sizeof...(K)) {
      return {std::forward<X>(x), at};
    } else {
      using next = typename std::tuple_element_t<I, std::tuple<K...>>::template output<std::remove_cvref_t<X>>;
      std::optional<next> y;
      std::get<I>(kernels).push(std::forward<X>(x), at, position, 0,
                                [&](auto&& v, const lineage&) { y.emplace(std::forward<decltype(v)>(v)); });
      return step<I + 1>(std::move(*y), at, position);
    }
  }
};

}  // namespace plumbline::detail
