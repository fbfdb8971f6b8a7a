#pragma once
/// Views: any element of an indexed stream by number, from any thread: `get(element_index, sink)` calls
/// `sink(element&&, lineage)`. A linear part keeps its element kernels apart (they run in the stages); where an
/// operator joins indexed streams, or renumbers one whose kernels look at their place, the part below is folded into
/// one view.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/exec/kernel_chain.hpp>

#include <array>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// A source's elements by number.
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

/// Several indexed streams joined: the operator says how (`template <class... Views> struct view`).
template <class Op, class... Views> struct join_view {
  using joined = typename Op::template view<Views...>;
  using element = typename joined::element;
  joined view;
  std::uint32_t op;

  std::uint32_t id() const { return op; }
  std::uint64_t size() const { return view.size(); }
  template <class Sink> void get(element_index p, Sink&& sink) const { view.get(p, sink); }
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
  template <class Sink> void get(element_index p, Sink&& sink) const {
    if constexpr (sizeof...(Index) > 0) {
      std::array<std::uint64_t, sizeof...(Index)> below{};
      std::uint64_t n = view.size();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((below[sizeof...(I) - 1 - I] = n, n = size_after(*std::get<sizeof...(I) - 1 - I>(index), n)), ...);
        ((p = index_below(*std::get<I>(index), p, below[I])), ...);
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
    return named<Op>([&] { return op.mapped_size(below); });
  }
  template <class Op> static element_index index_below(const Op& op, element_index p, std::uint64_t below) {
    return named<Op>([&] {
      const element_index from = op.map_index(p, below);
      if (from.index >= below) throw std::logic_error("map_index() leads behind the last element of its upstream");
      return from;
    });
  }
};

/// A head with its one-to-one kernels folded in: position is the place in the head's own numbering.
template <class Head, class... K> struct folded_view {
  using element = typename kernel_chain<K...>::template output<typename Head::element>;
  Head head;
  kernel_chain<K...> kernels;

  static constexpr std::uint32_t id() { return 0; }  // its parts say whose elements they make
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
