#pragma once
/// partition_of<P>: how a pipeline is cut into parts that run apart from each other, worked out once, from its type.
/// The executor builds what stands here; explain, plans and traces number operators and parts as it does. Here the
/// facts of each operator are collected; core/cut.hpp cuts.
///
///   constexpr auto& cut = partition_of<P, running::on_threads>;
///   cut.operators[3].part              // where operator 4 works
///   cut.parts[2].serial                // one thread at a time?

#include <plumbline/core/cut.hpp>
#include <plumbline/core/form.hpp>

#include <array>
#include <type_traits>

namespace plumbline {

namespace detail {

template <class P, running How> constexpr auto cut_of();

template <class Op, class... In> inline constexpr bool makes_one = false;
template <class Op, class In> inline constexpr bool makes_one<Op, In> = kernel_traits<Op, In>::makes == arity::one;

/// Those of a pipeline's operators, upstream first. `by_number`: somebody downstream asks for elements by number.
template <class Op, class... Ups>
constexpr void cut_facts_of(std::type_identity<node<Op, Ups...>>, cut_facts*& next, bool by_number) {
  using P = node<Op, Ups...>;
  const form how =
      by_number && sizeof...(Ups) == 1 && makes_by_number<Op, typename Ups::element...> ? form::join : form_of<P>;
  const bool line = how == form::element || how == form::memo;
  (cut_facts_of(std::type_identity<Ups>{}, next, how == form::renumber || how == form::join || (by_number && line)),
   ...);
  *next = {.how = how,
           .inputs = sizeof...(Ups),
           .by_number = indexed_source<Op>,
           .blocks = blocking<Op>,
           .one_to_one = makes_one<Op, typename Ups::element...>,
           .uses_position = uses_position<Op, typename Ups::element...>,
           .reads_lineage = reads_lineage<Op, typename Ups::element...>,
           .order_free = order_free<Op>};
  if constexpr (form_of<P> == form::nest)
    next->streams_block = cut_of<typename Op::template nested<typename Ups::element...>, running::nested>().waits;
  ++next;
}
template <class P, running How> constexpr auto cut_of() {
  std::array<cut_facts, operators_in<P>> of{};
  auto* next = of.data();
  cut_facts_of(std::type_identity<P>{}, next, false);
  return partition<of.size()>(of, How);
}

}  // namespace detail

template <class P, running How = running::on_threads>
inline constexpr partition<detail::operators_in<P>> partition_of = detail::cut_of<P, How>();

}  // namespace plumbline
