#pragma once
/// wanted_by<F>: the type of a function's first parameter, for messages: "Wanted = int; Given = std::string".

#include <concepts>
#include <type_traits>

namespace plumbline::detail {

struct see_its_declaration;  ///< a generic or overloaded function has no one parameter type

template <class> struct first_parameter;
template <class R, class A, class... B> struct first_parameter<R(A, B...)> : std::type_identity<A> {};
template <class R, class A, class... B> struct first_parameter<R(A, B...) noexcept> : std::type_identity<A> {};

/// A call operator without its class and its qualifiers.
template <class> struct signature;
template <class R, class C, class... A> struct signature<R (C::*)(A...)> : std::type_identity<R(A...)> {};
template <class R, class C, class... A> struct signature<R (C::*)(A...) const> : std::type_identity<R(A...)> {};
template <class R, class C, class... A> struct signature<R (C::*)(A...) noexcept> : std::type_identity<R(A...)> {};
template <class R, class C, class... A>
struct signature<R (C::*)(A...) const noexcept> : std::type_identity<R(A...)> {};

template <class F> struct wanted { using type = see_its_declaration; };
template <class F>
  requires requires { typename first_parameter<typename signature<decltype(&F::operator())>::type>::type; }
struct wanted<F> : first_parameter<typename signature<decltype(&F::operator())>::type> {};
template <class F>
  requires requires { typename first_parameter<std::remove_pointer_t<F>>::type; }
struct wanted<F> : first_parameter<std::remove_pointer_t<F>> {};
/// A function object whose call operator takes many types may state what they have in common: `using wants = ...`.
template <class F>
  requires requires { typename F::wants; }
struct wanted<F> : std::type_identity<typename F::wants> {};
/// A pointer to a member, function or object, wants its class.
template <class M, class C> struct wanted<M C::*> : std::type_identity<C> {};

template <class F> using wanted_by = typename wanted<F>::type;

}  // namespace plumbline::detail
