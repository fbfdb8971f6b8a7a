#pragma once
/// Views: random access by index to the elements of an indexed stream, from any thread: `get(element_index, sink)`
/// calls `sink(element&&, lineage)`. A linear part keeps its element kernels separate (they run in the stages). Where
/// an operator joins indexed streams, or renumbers one whose kernels depend on the position, the part below is folded
/// into one view.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/exec/kernel_chain.hpp>

#include <array>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// A source's elements by index.
template <class Source> struct source_view {
  using element = typename Source::element;
  const Source* source;
  std::uint32_t op, source_index;

  std::uint32_t id() const { return op; }
  std::uint64_t size() const { return source->size(); }
  template <class Sink> void get(element_index p, Sink&& sink) const {
    const lineage at{p.index, 0, p.epoch, source_index};
    sink(guarded(Source::name, op, at, [&]() -> element { return source->at(p.index); }), at);
  }
};

/// Several indexed streams, joined by the operator's own view (`template <class... Views> struct view`).
template <class Op, class... Views> struct join_view {
  using joined = typename Op::template view<Views...>;
  using element = typename joined::element;
  joined view;
  std::uint32_t op;

  std::uint32_t id() const { return op; }
  std::uint64_t size() const { return view.size(); }
  template <class Sink> void get(element_index p, Sink&& sink) const { view.get(p, sink); }
};

/// An index operator and its number in the pipeline.
template <class Op> struct index_step {
  const Op* op;
  std::uint32_t id;

  std::uint64_t mapped_size(std::uint64_t below) const {
    return named([&] { return op->mapped_size(below); });
  }
  element_index map_index(element_index p, std::uint64_t below) const {
    return named([&] {
      const element_index from = op->map_index(p, below);
      if (from.index >= below)
        throw std::logic_error("map_index() returned an index past the last element of its upstream");
      return from;
    });
  }

 private:
  template <class F> auto named(F&& f) const {
    try {
      return f();
    } catch (...) {
      throw thrown{Op::name, id, {}, std::current_exception(), false};
    }
  }
};

/// A view renumbered by index kernels, outermost first.
template <class View, class... Index> struct indexed_head {
  using element = typename View::element;
  View view;
  std::tuple<index_step<Index>...> index;

  std::uint32_t id() const { return view.id(); }
  std::uint64_t size() const {
    std::uint64_t n = view.size();
    // innermost first: each one's size follows from the one below it
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((n = std::get<sizeof...(I) - 1 - I>(index).mapped_size(n)), ...);
    }
    (std::index_sequence_for<Index...>{});
    return n;
  }
  template <class Sink> void get(element_index p, Sink&& sink) const {
    if constexpr (sizeof...(Index) > 0) {
      std::array<std::uint64_t, sizeof...(Index)> below{};
      std::uint64_t n = view.size();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((below[sizeof...(I) - 1 - I] = n, n = std::get<sizeof...(I) - 1 - I>(index).mapped_size(n)), ...);
        ((p = std::get<I>(index).map_index(p, below[I])), ...);
      }
      (std::index_sequence_for<Index...>{});
    }
    view.get(p, sink);
  }
};

/// A head with its one-to-one kernels folded in. An element's position is its index in the head.
template <class Head, class... K> struct folded_view {
  using element = typename kernel_chain<K...>::template output<typename Head::element>;
  Head head;
  kernel_chain<K...> kernels;

  static constexpr std::uint32_t id() { return 0; }  // the head and the kernels count for their own operators
  std::uint64_t size() const { return head.size(); }
  template <class Sink> void get(element_index p, Sink&& sink) const {
    head.get(p, [&](auto&& x, const lineage& at) {
      spot where{p.index};
      no_record nothing;
      kernels.pass(std::move(x), at, where, nothing, sink);
    });
  }
};

}  // namespace plumbline::detail
