#pragma once
/// What can be found out about a user's function without instantiating its body. Asking whether a generic lambda can be
/// called compiles the body, and an error in it is then reported in the compiler's words, not in ours.

#include <plumbline/core/rng.hpp>

#include <concepts>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// A type that no user's function names: only a parameter of any type accepts it.
struct stranger {};

/// Adds to F an overload that is a worse match for the arguments and a better one for the object. Where F accepts the
/// arguments too, the call is ambiguous, so the compiler never chooses F and never instantiates its body.
struct anything_goes {
  template <class T> anything_goes(T&&);  // NOLINT: implicit on purpose
};
template <class F> struct rival : F {
  using F::operator();
  void operator()(anything_goes, anything_goes);
};
struct call_operator {
  void operator()();
};
template <class F> struct call_operators : F, call_operator {};

/// F's call operator is a template or overloaded.
template <class F>
concept generic_function = std::is_class_v<F> && !std::is_final_v<F> && !requires {
  &F::operator();
}
&&!requires { &call_operators<F>::operator(); };

/// F is a function of two parameters, the second of them of any type: `[](auto a, auto b)`.
template <class F, class First>
concept second_of_any_type = generic_function<F> && !requires(rival<F> & f) {
  f(std::declval<First>(), stranger{});
};

/// F makes its result from an element alone or, below, from the element and random numbers. The generator's parameter
/// must state its type: `[](auto a, auto b)` is not meant for (element, rng&).
template <class F, class In>
concept plain_function = std::invocable<const F&, In>;
template <class F, class In>
concept random_function = !plain_function<F, In> && !second_of_any_type<F, In> && std::invocable<const F&, In, rng&>;

template <class F, class Tuple> inline constexpr bool takes_parts_of = false;
template <class F, class... Parts>
inline constexpr bool takes_parts_of<F, std::tuple<Parts...>> =
    sizeof...(Parts) > 1 && std::is_invocable_v<const F&, Parts...>;
template <class F, class A, class B>
inline constexpr bool takes_parts_of<F, std::pair<A, B>> = std::is_invocable_v<const F&, A, B>;

template <class T> inline constexpr bool is_tuple = false;
template <class... Parts> inline constexpr bool is_tuple<std::tuple<Parts...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;

/// True for types that refer to memory they do not own.
template <class T> inline constexpr bool is_view = false;
template <class C, class Traits> inline constexpr bool is_view<std::basic_string_view<C, Traits>> = true;
template <class T, std::size_t N> inline constexpr bool is_view<std::span<T, N>> = true;

}  // namespace plumbline::detail
