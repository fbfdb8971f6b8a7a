#pragma once
/// What can be found out about a user's function without entering it: a generic lambda's body is compiled as soon as
/// one asks whether it can be called, and what is wrong there is told in the compiler's words, not in ours.

#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// A type that no function can have been written for: only a parameter of any type takes it.
struct stranger {};

/// Worse than F for its arguments, better for its object: where F can take them too, the call is ambiguous, and the
/// compiler says so without choosing F and looking into it.
struct anything_goes {
  template <class T> anything_goes(T&&);  // NOLINT: implicit, as it is the point
};
template <class F> struct rival : F {
  using F::operator();
  void operator()(anything_goes, anything_goes);
};
struct call_operator {
  void operator()();
};
template <class F> struct call_operators : F, call_operator {};

/// F's call operator is a template, or there are several.
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

template <class F, class Tuple> inline constexpr bool takes_parts_of = false;
template <class F, class... Parts>
inline constexpr bool takes_parts_of<F, std::tuple<Parts...>> =
    sizeof...(Parts) > 1 && std::is_invocable_v<const F&, Parts...>;
template <class F, class A, class B>
inline constexpr bool takes_parts_of<F, std::pair<A, B>> = std::is_invocable_v<const F&, A, B>;

template <class T> inline constexpr bool is_tuple = false;
template <class... Parts> inline constexpr bool is_tuple<std::tuple<Parts...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;

/// Looks into something that it does not own.
template <class T> inline constexpr bool is_view = false;
template <class C, class Traits> inline constexpr bool is_view<std::basic_string_view<C, Traits>> = true;
template <class T, std::size_t N> inline constexpr bool is_view<std::span<T, N>> = true;

}  // namespace plumbline::detail
