#pragma once
/// partition_of<P>: how a pipeline is divided into parts that run independently, computed once, from its type. The
/// executor builds these parts; explain, plans and traces use its numbers for operators and parts. This header collects
/// the facts of each operator; core/cut.hpp computes the partition.
///
///   constexpr auto& cut = partition_of<P, running::on_threads>;
///   cut.operators[3].part              // the part where operator 4 works
///   cut.parts[2].serial                // true: part 2 runs on one thread at a time

#include <plumbline/core/cut.hpp>
#include <plumbline/core/form.hpp>

#include <array>
#include <type_traits>

namespace plumbline {

namespace detail {

template <class P, running How> constexpr auto cut_of();

template <class Op, class... In> inline constexpr bool makes_one = false;
template <class Op, class In> inline constexpr bool makes_one<Op, In> = kernel_traits<Op, In>::makes == arity::one;

/// True if it requires its upstream's elements by index. One that keeps their positions and can be serial does not.
template <class Op, class... In> inline constexpr bool asks_for_numbers = index_kernel<Op>;
template <class Op, class In>
  requires(requires { Op::keeps_places; } && serial_kernel<Op, In>)
inline constexpr bool asks_for_numbers<Op, In> = index_kernel<Op> && !Op::keeps_places;

/// Collects the facts of a pipeline's operators, upstream first. `asked`: an operator downstream reads elements by
/// index. Returns true if they are made by index.
template <class Op, class... Ups>
constexpr bool cut_facts_of(std::type_identity<node<Op, Ups...>>, cut_facts*& next, bool asked) {
  using P = node<Op, Ups...>;
  form how = asked && sizeof...(Ups) == 1 && makes_by_number<Op, typename Ups::element...> ? form::join : form_of<P>;
  const bool renumbers = how == form::renumber, fusible = how == form::element || how == form::index_cache;
  [[maybe_unused]] const bool asks = how == form::join ||
                                     (renumbers && asks_for_numbers<Op, typename Ups::element...>) ||
                                     (asked && (renumbers || fusible));
  bool numbers = true;
  ((numbers = cut_facts_of(std::type_identity<Ups>{}, next, asks) && numbers), ...);
  if (renumbers && !numbers) how = form::serial;
  *next = {.how = how,
           .inputs = sizeof...(Ups),
           .by_number = indexed_source<Op>,
           .blocks = blocking<Op>,
           .one_to_one = makes_one<Op, typename Ups::element...>,
           .uses_position = uses_position<Op, typename Ups::element...>,
           .reads_lineage = reads_lineage<Op, typename Ups::element...>,
           .order_free = order_free<Op>,
           .computes = indexed_source<Op> && !asked_again<Op>};
  if constexpr (form_of<P> == form::nest)
    next->streams_block = cut_of<typename Op::template nested<typename Ups::element...>, running::nested>().waits;
  ++next;
  return P::type_facts.indexed && numbers &&
         (how == form::source || how == form::join || how == form::renumber || fusible);
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
