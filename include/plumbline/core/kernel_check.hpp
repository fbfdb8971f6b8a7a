#pragma once
/// kernel_fault_of<Op, In>(): how the operator's element kernel, if it has one, departs from core/kernel.hpp.
/// explain_kernel<Op, Up, Where>() reports what is wrong with it, or with a serial kernel (serial_check.hpp), as one
/// error.

#include <plumbline/core/kernel.hpp>
#include <plumbline/core/serial_check.hpp>

#include <concepts>
#include <type_traits>

namespace plumbline::detail {

struct named_transform {
  int transform;
};
struct named_keep {
  int keep;
};
struct named_expand {
  int expand;
};
template <class Op> inline constexpr bool has_transform = !requires { &with_second<Op, named_transform>::transform; };
template <class Op> inline constexpr bool has_keep = !requires { &with_second<Op, named_keep>::keep; };
template <class Op> inline constexpr bool has_expand = !requires { &with_second<Op, named_expand>::expand; };
template <class Op>
inline constexpr int element_kernels_in = [] {
  if constexpr (can_be_derived<Op>)
    return (has_transform<Op> ? 1 : 0) + (has_keep<Op> ? 1 : 0) + (has_expand<Op> ? 1 : 0);
  else
    return 0;
}();

/// What the kernel returns.
template <class Op, class In>
using transformed = decltype(std::declval<const Op&>().transform(
    std::declval<const typename kernel_traits<Op, In>::context&>(), std::declval<In>()));
template <class Op, class In>
using kept = decltype(std::declval<const Op&>().keep(std::declval<const typename kernel_traits<Op, In>::context&>(),
                                                     std::declval<const In&>()));

/// A sink for expand() which checks that the operator's `output` is emitted.
template <class Out> struct checked_emit {
  template <class Y> bool operator()(Y&&) const {
    constexpr bool same = std::is_constructible_v<Out, Y>;
    static_assert(same,
                  "plumbline: the operator's expand() emits something else than its `output` says; make them the same");
    return true;
  }
};
template <class Op, class In> consteval void check_emitted() {
  using context = typename kernel_traits<Op, In>::context;
  // a function pointer, so that the compiler must instantiate expand()
  [[maybe_unused]] constexpr auto* body = +[](const Op& op, const context& cx, In& x) {
    op.expand(cx, std::move(x), checked_emit<typename Op::template output<In>>{});
  };
}

/// True if the kernel can be called with any of the contexts.
template <class Op, class X> inline constexpr bool callable_with = requires(Op op, position_context cx, X x) {
  op.transform(cx, static_cast<X>(x));
}
|| requires(Op op, random_context cx, X x) { op.transform(cx, static_cast<X>(x)); }
|| requires(Op op, position_context cx, X x) { op.keep(cx, static_cast<X>(x)); }
|| requires(Op op, random_context cx, X x) { op.keep(cx, static_cast<X>(x)); }
|| requires(Op op, position_context cx, X x) { op.expand(cx, static_cast<X>(x), any_sink{}); }
|| requires(Op op, random_context cx, X x) { op.expand(cx, static_cast<X>(x), any_sink{}); };

/// True if transform() may return R: neither void nor a stream.
template <class R>
inline constexpr bool is_element = !std::is_void_v<R> && std::move_constructible<std::remove_cvref_t<R>> && !requires {
  typename std::remove_cvref_t<R>::op_type;
};

/// The compiler's message shows the template arguments of these functions.
template <class Op, class Element, bool ok> consteval void kernel_takes_element() {
  static_assert(ok,
                "plumbline: the operator's transform, keep or expand cannot be called with this stream's element, see "
                "Op and Element in this message; the signatures are transform(const element_context&, In&&) const, "
                "keep(const element_context&, const In&) const, expand(const element_context&, In&&, auto&& emit) "
                "const");
}
template <class Op, class Returned, bool ok> consteval void transform_returns() {
  static_assert(ok,
                "plumbline: the operator's transform() must return the new element, see Op and Returned in this "
                "message; an element can be moved, and is neither void nor a stream");
}
template <class Op, class Returned, bool ok> consteval void keep_returns() {
  static_assert(ok, "plumbline: the operator's keep() must return bool, see Op and Returned in this message");
}

/// What is wrong with an element kernel.
enum class kernel_fault : unsigned char {
  none,  ///< nothing, or there is no element kernel; what expand() emits is not checked
  several,
  changes_operator,
  takes_reference,
  takes_other_element,
  transforms_into_no_element,
  keeps_no_bool,
  expands_without_output
};
template <class Op, class In> consteval kernel_fault kernel_fault_of() {
  constexpr arity makes = kernel_traits<Op, In>::makes;
  constexpr int kernels = element_kernels_in<Op>;
  if constexpr (kernels > 1)
    return kernel_fault::several;
  else if constexpr (kernels == 1 && makes == arity::none)
    return callable_with<Op&, In&&>        ? kernel_fault::changes_operator
           : callable_with<const Op&, In&> ? kernel_fault::takes_reference
                                           : kernel_fault::takes_other_element;
  else if constexpr (makes == arity::one)
    return is_element<transformed<Op, In>> ? kernel_fault::none : kernel_fault::transforms_into_no_element;
  else if constexpr (makes == arity::maybe)
    return std::same_as<std::remove_cvref_t<kept<Op, In>>, bool> ? kernel_fault::none : kernel_fault::keeps_no_bool;
  else if constexpr (makes == arity::many && !requires { typename Op::template output<In>; })
    return kernel_fault::expands_without_output;
  else
    return kernel_fault::none;
}
template <class Op, class In>
concept kernel_fits = (kernel_fault_of<Op, In>() == kernel_fault::none) && serial_fits<Op, In>;

/// Reports what is wrong, if anything is. `Where` is shown in the compiler's message.
template <class Op, class Up, class Where> consteval void explain_kernel() {
  using In = typename Up::element;
  constexpr kernel_fault fault = kernel_fault_of<Op, In>();
  // named, because the compiler quotes the condition that fails
  constexpr bool once = fault != kernel_fault::several, is_const = fault != kernel_fault::changes_operator,
                 by_value = fault != kernel_fault::takes_reference,
                 says = fault != kernel_fault::expands_without_output;
  static_assert(once,
                "plumbline: the operator has more than one of transform, keep and expand; an element kernel is "
                "exactly one of them");
  static_assert(is_const,
                "plumbline: the operator's transform, keep or expand changes the operator, and is called from "
                "several threads; make it const and keep no state in the operator");
  static_assert(by_value,
                "plumbline: the operator's transform, keep or expand takes a reference that it could change; take "
                "In&& (transform, expand) or const In& (keep)");
  static_assert(says,
                "plumbline: the operator does not say what expand() emits; give it template <class In> using output");
  if constexpr (fault == kernel_fault::takes_other_element)
    kernel_takes_element<Op, In, false>();
  else if constexpr (fault == kernel_fault::transforms_into_no_element)
    transform_returns<Op, transformed<Op, In>, false>();
  else if constexpr (fault == kernel_fault::keeps_no_bool)
    keep_returns<Op, kept<Op, In>, false>();
  else if constexpr (fault == kernel_fault::none && kernel_traits<Op, In>::makes == arity::many)
    check_emitted<Op, In>();
  else if constexpr (fault == kernel_fault::none)
    explain_serial<Op, In>();
}

}  // namespace plumbline::detail
