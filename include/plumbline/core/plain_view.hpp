#pragma once
/// plain_view: the elements of an indexed pipeline by index, without an executor. Private to evaluate.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/form.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// What numbers a pipeline's operators and draws: the seed, and how many operators and sources come before it.
struct plain_numbers {
  std::uint64_t seed = 0;
  std::uint32_t operators = 0, sources = 0;
};
/// The numbers for upstream I of the operator at the end of node<Op, Ups...>.
template <std::size_t I, class... Ups> constexpr plain_numbers numbers_of(plain_numbers before) {
  std::size_t i = 0;
  ((i++ < I ? void((before.operators += operators_in<Ups>, before.sources += sources_in<Ups>)) : void()), ...);
  return before;
}
template <class P> constexpr stream_context plain_context(plain_numbers before) {
  return {before.seed, 0, before.operators + operators_in<P>, random_below<P>};
}
/// Whole(op, context, Part of each upstream...).
template <class Whole, template <class> class Part, class Op, class... Ups>
constexpr Whole on_upstreams(const node<Op, Ups...>& p, plain_numbers before) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Whole(p.op, plain_context<node<Op, Ups...>>(before),
                 Part<Ups>(detail::at<I>(p.ups), numbers_of<I, Ups...>(before))...);
  }
  (std::index_sequence_for<Ups...>());
}

/// The operator's element kernel applied to x.
template <class P, class In, class Sink>
constexpr void apply_plainly(const P& p, In&& x, const lineage& at, std::uint64_t position, std::uint64_t seed,
                             Sink& sink) {
  using traits = kernel_traits<typename P::op_type, In>;
  const auto context = [&] {
    using cx = typename traits::context;
    if constexpr (std::same_as<cx, random_context>)
      return cx{{{}, at}, hash_combine(seed, random_below<P>)};
    else if constexpr (std::same_as<cx, position_context>)
      return cx{{}, position, 0};
    else if constexpr (std::same_as<cx, element_context>)
      return cx{{}, at};
    else
      return cx{};
  }();
  if constexpr (traits::makes == arity::one) {
    sink(p.op.transform(context, std::move(x)), at);
  } else if constexpr (traits::makes == arity::maybe) {
    if (p.op.keep(context, x)) sink(std::move(x), at);
  } else {
    std::uint64_t part = 0;
    p.op.expand(context, std::move(x), [&](typename output_of<typename P::op_type, In>::type y) {
      sink(std::move(y), at.part(part++));
      return true;
    });
  }
}

/// The view of an operator that makes elements by index; batch states one for constant expressions.
template <class Op, class... Views> struct view_for { using type = typename Op::template view<Views...>; };
template <class Op, class View>
  requires requires { typename Op::template plain_view<View>; }
struct view_for<Op, View> {
  using type = typename Op::template plain_view<View>;
};

/// The elements of the indexed pipeline P by index.
template <class P> struct plain_view;
template <class P> inline constexpr bool has_plain_view = false;
template <class Op> inline constexpr bool has_plain_view<node<Op>> = indexed_source<Op>;
template <class Op, class... Ups>
  requires(sizeof...(Ups) > 0)
inline constexpr bool has_plain_view<node<Op, Ups...>> =
    node<Op, Ups...>::type_facts.indexed && (has_plain_view<Ups> && ...);
/// It makes its elements by index from its upstreams'. One with one upstream is cheaper to read in order, so that is
/// done only where an operator downstream requires them by index.
template <class P> inline constexpr bool combines = false;
template <class Op, class... Ups>
inline constexpr bool combines<node<Op, Ups...>> = makes_by_number<Op, typename Ups::element...>;

template <class Op> struct plain_view<node<Op>> {
  using element = typename Op::element;
  const node<Op>* p;
  plain_numbers numbers;
  constexpr plain_view(const node<Op>& of, plain_numbers before) : p(&of), numbers(before) {}
  constexpr std::uint64_t size() const { return p->op.size(); }
  template <class Sink> constexpr void get(element_index i, Sink&& sink) const {
    sink(element(p->op.at(i.index)), lineage{i.index, 0, i.epoch, numbers.sources});
  }
};
template <class Op, class... Ups>
  requires combines<node<Op, Ups...>>
struct plain_view<node<Op, Ups...>> : view_for<Op, plain_view<Ups>...>::type {
  using base = typename view_for<Op, plain_view<Ups>...>::type;
  constexpr plain_view(const node<Op, Ups...>& p, plain_numbers before)
      : base(on_upstreams<base, plain_view>(p, before)) {}
};
template <class Op, class Up>
  requires(!combines<node<Op, Up>>)
struct plain_view<node<Op, Up>> {
  using P = node<Op, Up>;
  static constexpr form how = form_of<P>;
  using below = typename plain_view<Up>::element;
  static constexpr auto made() {
    if constexpr (how == form::element)
      return std::type_identity<typename output_of<Op, below>::type>{};
    else
      return std::type_identity<below>{};
  }
  using element = typename decltype(made())::type;
  const P* p;
  plain_numbers numbers;
  plain_view<Up> up;

  constexpr plain_view(const P& of, plain_numbers before) : p(&of), numbers(before), up(of.up(), before) {}
  constexpr std::uint64_t size() const {
    if constexpr (how == form::renumber)
      return p->op.mapped_size(up.size());
    else
      return up.size();
  }
  template <class Sink> constexpr void get(element_index i, Sink&& sink) const {
    if constexpr (how == form::renumber)
      up.get(p->op.map_index(i, up.size()), sink);
    else if constexpr (how == form::element)
      up.get(i, [&](auto&& x, const lineage& at) { apply_plainly(*p, std::move(x), at, i.index, numbers.seed, sink); });
    else
      up.get(i, sink);
  }
};

}  // namespace plumbline::detail
