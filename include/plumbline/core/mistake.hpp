#pragma once
/// joins<Up, Op>: true if `up | op` is a pipeline. pipe<Up, Op>: if it is not, what is wrong, reported as one error.

#include <plumbline/core/composition.hpp>
#include <plumbline/core/node.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

template <class Op, class Up>
concept has_kernel = element_kernel<Op, typename Up::element> || serial_kernel<Op, typename Up::element> ||
    in_place_kernel<Op, typename Up::element> || structural<Op, typename Up::element> ||
    nesting<Op, typename Up::element> || async_boundary<Op> ||(index_kernel<Op>&& Up::type_facts.indexed);

/// The operator depends on its upstream's type.
template <class Op, class Up>
concept resolves = requires(Op op) {
  std::move(op).template resolve<Up>();
};
/// The operator to use behind Up: op itself, or what it resolves to if it depends on its upstream's type.
template <class Up, class Op> constexpr auto resolved(Op op) {
  if constexpr (resolves<Op, Up>)
    return std::move(op).template resolve<Up>();
  else
    return op;
}
template <class Up, class Op> using resolved_as = decltype(resolved<Up>(std::declval<Op>()));

template <class Op>
concept has_name = requires {
  std::string_view(Op::name);
};
template <class Op, class Up>
concept has_output = requires {
  typename element_of<Op, Up>::type;
};
/// `up | op` is a pipeline.
template <class Up, class Op>
concept joins = pipeline<Up> && operation<Op> && has_name<Op> && Op::template accepts<Up> &&
                (resolves<Op, Up> || (kernel_fits<Op, typename Up::element> && has_output<Op, Up> &&
                                      has_kernel<Op, Up> && has_rule<Op, Up>));

/// The position of an operator that does not join, shown in the compiler's message.
struct alone;
template <std::size_t Number> struct in_composition;  ///< from 1

struct no_mistake {
  static constexpr bool found = false;
};
/// What is wrong with `up | op`.
template <class Where, class Op, class Up> struct mistake {
  using where = Where;
  using op = Op;
  using up = Up;
  static constexpr bool found = true;
  /// True if the kernel is wrong; explain_kernel() then reports how.
  static constexpr bool in_kernel = [] {
    if constexpr (operation<Op> && pipeline<Up>)
      return Op::template accepts<Up> && has_name<Op> && !kernel_fits<Op, typename Up::element>;
    else
      return false;
  }();
  static consteval void explain() {
    if constexpr (pipeline<Op>)
      static_assert(no<Op>,
                    "plumbline: | has a stream to its right, not an operator; join two streams with zip(a, b) or "
                    "concat(a, b)");
    else if constexpr (std::is_function_v<std::remove_pointer_t<Op>>)
      static_assert(
          no<Op>,
          "plumbline: | has a function to its right; if it makes an operator, call it, for example read_file(); "
          "if it is to be applied to each element, write map(f)");
    else if constexpr (!operation<Op>)
      static_assert(no<Op>,
                    "plumbline: | has no operator to its right; what is to be applied to each element, a lambda or "
                    "resize<64, 64>(), goes into map(f) or filter(f); an operator of your own derives publicly from "
                    "op_base");
    else if constexpr (!pipeline<Up>)
      static_assert(no<Up>,
                    "plumbline: | has no stream to its left; begin with a source, for example elements(v) or "
                    "from_range(r)");
    else if constexpr (!has_name<Op>)
      static_assert(no<Op>, "plumbline: the operator has no name; give it static constexpr std::string_view name");
    else if constexpr (!Op::template accepts<Up> && requires { Op::template explain<Up>(); })
      Op::template explain<Up>();
    else if constexpr (!Op::template accepts<Up>)
      static_assert(no<Op>, "plumbline: the operator does not accept this stream, and has no explain<Up>()");
    else if constexpr (!has_output<Op, Up>)
      static_assert(no<Op>,
                    "plumbline: the operator does not say what it yields; give it template <class In> using output");
    else if constexpr (!has_kernel<Op, Up>)
      static_assert(no<Op>,
                    "plumbline: the operator has no kernel; give it transform, keep or expand, or template <class In> "
                    "struct kernel; see core/kernel.hpp");
    else
      static_assert(
          no<Op>,
          "plumbline: the operator has no rule that takes its stream's facts and its sizes, so the resulting count "
          "and order are unknown; give it static constexpr stream_facts rule(stream_facts in), as "
          "ops/shuffle_buffer.hpp does, with one more cardinality for each of its sizes, as ops/skip.hpp does");
  }
};
template <std::size_t Number, class Up, class... Ops> struct first_mistake : no_mistake {};
template <std::size_t Number, class Up, class Op, class... Ops>
struct first_mistake<Number, Up, Op, Ops...> : mistake<in_composition<Number>, Op, Up> {};
template <std::size_t Number, class Up, class Op, class... Ops>
  requires joins<Up, Op>
struct first_mistake<Number, Up, Op, Ops...> : first_mistake<Number + 1, node<resolved_as<Up, Op>, Up>, Ops...> {
};

/// What is wrong with `up | op`; for a composition, with its first operator that does not join.
template <class Up, class Op> struct pipe : std::conditional_t<joins<Up, Op>, no_mistake, mistake<alone, Op, Up>> {};
template <class Up, class... Ops> struct pipe<Up, composition<Ops...>> : first_mistake<1, Up, Ops...> {};

}  // namespace plumbline::detail
