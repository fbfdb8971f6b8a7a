#pragma once
/// The type of an operator's elements and the facts of its stream, given its upstreams. Both follow from the operator's
/// `output` and `rule` where it has them, else from its element kernel. Rules are evaluated twice: on what the type
/// knows (facts_known), and on what the object holds (facts_now).

#include <plumbline/core/facts.hpp>
#include <plumbline/core/kernel_check.hpp>
#include <plumbline/core/operator_traits.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// The operator's element type: what it states as `output`, else what its element kernel makes.
template <class Op, class... In> struct output_of {};
template <class Op, class... In>
  requires requires { typename Op::template output<In...>; }
struct output_of<Op, In...> {
  using type = typename Op::template output<In...>;
};
template <class Op, class In>
  requires(!requires { typename Op::template output<In>; } && kernel_traits<Op, In>::makes == arity::one)
struct output_of<Op, In> {
  using type = std::remove_cvref_t<transformed<Op, In>>;
};
template <class Op, class In>
  requires(!requires { typename Op::template output<In>; } && kernel_traits<Op, In>::makes == arity::maybe)
struct output_of<Op, In> {
  using type = In;
};

template <class Op, class... Ups> struct element_of : output_of<Op, typename Ups::element...> {};
template <class Op> struct element_of<Op> { using type = typename Op::element; };

/// Adds the facts that follow from the kernel, which a rule need not state. `in`: the facts of the upstreams.
template <class Op, class... Ups> constexpr stream_facts with_kernel(stream_facts out, auto... in) {
  constexpr bool of_many = sizeof...(Ups) == 1 && makes_by_number<Op, typename Ups::element...>;
  if constexpr (sizeof...(Ups) == 1) {
    if ((random<Op, typename Ups::element> && ...)) out.draws = randomness::seeded;
    if (blocking<Op>) out.blocking = true;
    // elements can be made by index only where each is made from one, or from several that are not read from storage,
    // or where only indices change
    if (of_many)
      out.indexed = out.indexed && !out.blocking;
    else if (!((kernel_traits<Op, typename Ups::element>::makes == arity::one) && ...) && !index_kernel<Op> &&
             !replays<Op>)
      out.indexed = false;
  }
  out.keyed = out.indexed && !of_many && sizeof...(Ups) < 2 && (in.keyed && ... && true) &&
              !uses_position<Op, typename Ups::element...> && !random<Op, typename Ups::element...>;
  return out;
}
/// True if the operator has an element kernel and no rule of its own.
template <class Op, class... Ups> inline constexpr bool kernel_rules = false;
template <class Op, class Up>
  requires(element_kernel<Op, typename Up::element> && !requires { &Op::rule; })
inline constexpr bool kernel_rules<Op, Up> = true;
/// The facts of the stream behind an element kernel, which may change the count.
template <class Op, class Up> constexpr stream_facts rule_of_kernel(stream_facts in) {
  constexpr arity makes = kernel_traits<Op, typename Up::element>::makes;
  if (makes == arity::maybe && !in.count.endless) in.count.least = 0;
  if (makes == arity::many)
    in.count = in.count.endless ? cardinality::unknown() : times(in.count, cardinality::unknown());
  return in;
}

/// Pointers to the members that an operator's rule takes; none if it has no `sizes`.
template <class Op> constexpr auto sizes_of() {
  if constexpr (requires { Op::sizes; })
    return Op::sizes;
  else
    return std::tuple();
}
template <class Op, class Sizes> inline constexpr bool rule_takes = false;
template <class Op, class... Size>
  requires requires(stream_facts in, const Op& op, Size... size) {
    { Op::rule(in, (op.*size).known()...) } -> std::same_as<stream_facts>;
    { Op::rule(in, (op.*size).now()...) } -> std::same_as<stream_facts>;
  }
inline constexpr bool rule_takes<Op, std::tuple<Size...>> = true;
template <class Op, class Up>
concept has_rule = kernel_rules<Op, Up> || rule_takes<Op, decltype(sizes_of<Op>())>;

/// Evaluates the operator's rule on what its type knows and, below, on what the object holds.
template <class Op, class... Ups> constexpr stream_facts facts_known(auto... in) {
  if constexpr (sizeof...(Ups) == 0)
    return with_kernel<Op>(Op::type_facts);
  else if constexpr (kernel_rules<Op, Ups...>)
    return with_kernel<Op, Ups...>(rule_of_kernel<Op, Ups...>(in...), in...);
  else
    return with_kernel<Op, Ups...>(
        std::apply(
            [&](auto... size) {
              return Op::rule(in..., std::remove_cvref_t<decltype(std::declval<const Op&>().*size)>::known()...);
            },
            sizes_of<Op>()),
        in...);
}
template <class Op, class... Ups> constexpr stream_facts facts_now(const Op& op, auto... in) {
  if constexpr (sizeof...(Ups) == 0)
    return with_kernel<Op>(op.facts());
  else if constexpr (kernel_rules<Op, Ups...>)
    return with_kernel<Op, Ups...>(rule_of_kernel<Op, Ups...>(in...), in...);
  else
    return with_kernel<Op, Ups...>(
        std::apply([&](auto... size) { return Op::rule(in..., (op.*size).now()...); }, sizes_of<Op>()), in...);
}

}  // namespace plumbline::detail
