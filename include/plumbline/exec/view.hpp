#pragma once
/// Views: any element of an indexed stream by number, from any thread: `get(place, sink)` calls `sink(element&&,
/// lineage)`. A linear part keeps its element kernels apart (they run in the stages); where an operator joins indexed
/// streams, or renumbers one whose kernels look at their place, the part below is folded into one view.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/choosing.hpp>
#include <plumbline/core/failure.hpp>

#include <array>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// What an operator emits, as its own: of what has a name, a copy.
template <class Y> constexpr decltype(auto) owned(Y&& y) {
  if constexpr (std::is_lvalue_reference_v<Y>)
    return std::remove_cvref_t<Y>(y);
  else
    return std::forward<Y>(y);
}
/// An operator's element kernel, with the numbers that its place in the pipeline gives it. `Held`: a pointer to it.
template <class Op, class Held = const Op*> struct bound {
  template <class In> using output = typename Op::template output<std::remove_cvref_t<In>>;
  static constexpr bool blocks = blocking<Op>, waits = blocks, tries = detail::tries<Op>;
  static constexpr bool one_to_one = detail::one_to_one<Op>;
  static constexpr bool expanding = detail::expanding<Op>;
  static constexpr bool uses_position = detail::uses_position<Op>;
  static constexpr bool reads_lineage = detail::reads_lineage<Op>;
  static constexpr std::string_view name = Op::name;
  /// Are what it emits the operator's elements (not the filled slots of a group)?
  static constexpr bool yields = std::is_pointer_v<Held>;

  Held op;
  std::uint64_t seed;
  std::uint32_t id, salt;

  /// emit(y, lineage)
  template <class In, class Emit>
  void push(In&& x, const lineage& at, std::uint64_t position, std::uint64_t group, Emit&& emit) const {
    const element_context cx{at, seed, position, group, id, salt};
    guarded(name, cx, [&] {
      if constexpr (expanding) {
        std::uint64_t n = 0;
        op->apply(cx, std::forward<In>(x), [&](auto&& y) { emit(owned(std::forward<decltype(y)>(y)), at.part(n++)); });
      } else if constexpr (emits_once<Op>) {
        op->apply(
            cx, std::forward<In>(x),
            choosing<chooses<Emit, output<In>, const lineage&>>(
                [&](auto&& y) { emit(owned(std::forward<decltype(y)>(y)), at); },
                [&](bool is_there, auto&& y) { emit_if(is_there, emit, owned(std::forward<decltype(y)>(y)), at); }));
      } else {
        bool emitted = false;
        op->apply(cx, std::forward<In>(x), [&](auto&& y) {
          if (std::exchange(emitted, true))
            throw std::logic_error("it emitted more than once for an element, and does not say expanding = true");
          emit(owned(std::forward<decltype(y)>(y)), at);
        });
        if (one_to_one && !emitted) throw std::logic_error("it says one_to_one, and emitted nothing for an element");
      }
    });
  }
};

/// A source's elements by number.
template <class Source> struct source_view {
  using element = typename Source::element;
  const Source* source;
  std::uint32_t op, origin;

  std::uint32_t id() const { return op; }
  std::uint64_t size() const { return source->size(); }
  template <class Sink> void get(place p, Sink&& sink) const {
    const lineage at{p.index, 0, p.epoch, origin};
    const element_context cx{at, 0, 0, 0, op, 0};
    sink(guarded(Source::name, cx, [&] { return source->at(p.index); }), at);
  }
};

/// Several indexed streams joined: the operator says how (`template <class... Views> struct view`).
template <class Op, class... Views> struct join_view {
  using joined = typename Op::template view<Views...>;
  using element = typename joined::element;
  joined view;
  std::uint32_t op;

  std::uint32_t id() const { return op; }
  std::uint64_t size() const { return view.size(); }
  template <class Sink> void get(place p, Sink&& sink) const { view.get(p, sink); }
};

/// A view renumbered by index kernels, outermost first.
template <class View, class... Index> struct indexed_head {
  using element = typename View::element;
  View view;
  std::tuple<const Index*...> index;

  std::uint32_t id() const { return view.id(); }
  std::uint64_t size() const {
    std::uint64_t n = view.size();
    // innermost first: each one's size follows from the one below it
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((n = size_after(*std::get<sizeof...(I) - 1 - I>(index), n)), ...);
    }
    (std::index_sequence_for<Index...>{});
    return n;
  }
  template <class Sink> void get(place p, Sink&& sink) const {
    if constexpr (sizeof...(Index) > 0) {
      std::array<std::uint64_t, sizeof...(Index)> below{};
      std::uint64_t n = view.size();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((below[sizeof...(I) - 1 - I] = n, n = size_after(*std::get<sizeof...(I) - 1 - I>(index), n)), ...);
        ((p = place_below(*std::get<I>(index), p, below[I])), ...);
      }
      (std::index_sequence_for<Index...>{});
    }
    view.get(p, sink);
  }

 private:
  template <class Op, class F> static auto named(F&& f) {
    try {
      return f();
    } catch (...) {
      throw thrown{Op::name, 0, {}, std::current_exception(), false};
    }
  }
  template <class Op> static std::uint64_t size_after(const Op& op, std::uint64_t below) {
    return named<Op>([&] { return op.size_of(below); });
  }
  template <class Op> static place place_below(const Op& op, place p, std::uint64_t below) {
    return named<Op>([&] {
      const place from = op.from(p, below);
      if (from.index >= below) throw std::logic_error("from() leads behind the last element of its upstream");
      return from;
    });
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

  static constexpr std::uint32_t id() { return 0; }  // its parts say whose elements they make
  std::uint64_t size() const { return head.size(); }
  template <class Sink> void get(place p, Sink&& sink) const {
    head.get(p, [&](auto&& x, const lineage& at) { step<0>(std::forward<decltype(x)>(x), at, p.index, sink); });
  }

 private:
  template <std::size_t I, class X, class Sink>
  void step(X&& x, const lineage& at, std::uint64_t position, Sink& sink) const {
    if constexpr (I == sizeof...(K)) {
      sink(std::forward<X>(x), at);
    } else {
      std::get<I>(kernels).push(std::forward<X>(x), at, position, 0, [&](auto&& y, const lineage& where) {
        step<I + 1>(std::forward<decltype(y)>(y), where, position, sink);
      });
    }
  }
};

}  // namespace plumbline::detail
