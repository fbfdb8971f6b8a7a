#pragma once
/// kernel_is_right<Op, Up, Where>(): is the operator's element kernel, if it has one, written as core/kernel.hpp says?
/// If not, the compiler says what is wrong, in one error.

#include <plumbline/core/kernel.hpp>

#include <concepts>
#include <type_traits>

namespace plumbline::detail {

/// Has a class a member of that name, whatever it takes? A second one makes the name ambiguous.
struct named_transform {
  int transform;
};
struct named_keep {
  int keep;
};
struct named_expand {
  int expand;
};
template <class Op, class Named> struct both : Op, Named {};
template <class Op> inline constexpr bool has_transform = !requires { &both<Op, named_transform>::transform; };
template <class Op> inline constexpr bool has_keep = !requires { &both<Op, named_keep>::keep; };
template <class Op> inline constexpr bool has_expand = !requires { &both<Op, named_expand>::expand; };
template <class Op>
inline constexpr int element_kernels_in = [] {
  if constexpr (std::is_class_v<Op> && !std::is_final_v<Op>)
    return (has_transform<Op> ? 1 : 0) + (has_keep<Op> ? 1 : 0) + (has_expand<Op> ? 1 : 0);
  else
    return 0;
}();

/// Takes what an expand() emits, if it is what the operator says.
template <class Out> struct checked_emit {
  template <class Y> bool operator()(Y&&) const {
    constexpr bool same = std::is_constructible_v<Out, Y>;
    static_assert(same,
                  "plumbline: the operator's expand() emits something else than its `output` says; make them the same");
    return true;
  }
};
template <class Op, class In> constexpr bool check_emitted() {
  using context = typename kernel_traits<Op, In>::context;
  // a pointer to it: so the compiler has to look into expand()
  constexpr auto* body = +[](const Op& op, const context& cx, In& x) {
    op.expand(cx, std::move(x), checked_emit<typename Op::template output<In>>{});
  };
  return body != nullptr;
}

/// With any of the contexts?
template <class Op, class X> inline constexpr bool callable_with = requires(Op op, position_context cx, X x) {
  op.transform(cx, static_cast<X>(x));
}
|| requires(Op op, random_context cx, X x) { op.transform(cx, static_cast<X>(x)); }
|| requires(Op op, position_context cx, X x) { op.keep(cx, static_cast<X>(x)); }
|| requires(Op op, random_context cx, X x) { op.keep(cx, static_cast<X>(x)); }
|| requires(Op op, position_context cx, X x) { op.expand(cx, static_cast<X>(x), any_sink{}); }
|| requires(Op op, random_context cx, X x) { op.expand(cx, static_cast<X>(x), any_sink{}); };

/// What a transform() may return: neither nothing nor a stream.
template <class R>
inline constexpr bool is_element = !std::is_void_v<R> && std::move_constructible<std::remove_cvref_t<R>> && !requires {
  typename std::remove_cvref_t<R>::op_type;
};

/// Their template arguments are read in the compiler's message.
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

/// Is the element kernel, if there is one, as it should be? (What expand() emits is not looked into.)
template <class Op, class In> consteval bool kernel_fits() {
  using traits = kernel_traits<Op, In>;
  constexpr int kernels = element_kernels_in<Op>;
  if constexpr (kernels > 1 || (kernels == 1 && traits::makes == arity::none))
    return false;
  else if constexpr (traits::makes == arity::one)
    return is_element<decltype(std::declval<const Op&>().transform(std::declval<const typename traits::context&>(),
                                                                   std::declval<In>()))>;
  else if constexpr (traits::makes == arity::maybe)
    return std::same_as<bool, std::remove_cvref_t<decltype(std::declval<const Op&>().keep(
                                  std::declval<const typename traits::context&>(), std::declval<const In&>()))>>;
  else if constexpr (traits::makes == arity::many)
    return requires { typename Op::template output<In>; };
  else
    return true;
}

/// Says what is wrong, if it is. `Where`: read in the compiler's message.
template <class Op, class Up, class Where> consteval bool kernel_is_right() {
  using In = typename Up::element;
  constexpr bool once = element_kernels_in<Op> <= 1, one = element_kernels_in<Op> == 1;
  constexpr arity makes = kernel_traits<Op, In>::makes;
  if constexpr (!once) {
    static_assert(once,
                  "plumbline: the operator has more than one of transform, keep and expand; an element kernel is "
                  "exactly one of them");
    return false;
  } else if constexpr (one && makes == arity::none) {
    constexpr bool is_const = !callable_with<Op&, In&&>, by_value = !callable_with<const Op&, In&>;
    if constexpr (!is_const)
      static_assert(is_const,
                    "plumbline: the operator's transform, keep or expand changes the operator, and is called from "
                    "several threads; make it const and keep no state in the operator");
    else if constexpr (!by_value)
      static_assert(by_value,
                    "plumbline: the operator's transform, keep or expand takes a reference that it could change; take "
                    "In&& (transform, expand) or const In& (keep)");
    else
      kernel_takes_element<Op, In, false>();
    return false;
  } else if constexpr (makes == arity::one) {
    using context = typename kernel_traits<Op, In>::context;
    using R = decltype(std::declval<const Op&>().transform(std::declval<const context&>(), std::declval<In>()));
    transform_returns<Op, R, is_element<R>>();
    return is_element<R>;
  } else if constexpr (makes == arity::maybe) {
    using context = typename kernel_traits<Op, In>::context;
    using R = decltype(std::declval<const Op&>().keep(std::declval<const context&>(), std::declval<const In&>()));
    constexpr bool ok = std::same_as<std::remove_cvref_t<R>, bool>;
    keep_returns<Op, R, ok>();
    return ok;
  } else if constexpr (makes == arity::many) {
    constexpr bool says = requires { typename Op::template output<In>; };
    static_assert(says,
                  "plumbline: the operator does not say what expand() emits; give it template <class In> using output");
    if constexpr (says) return check_emitted<Op, In>();
    return false;
  } else {
    return true;
  }
}

}  // namespace plumbline::detail
