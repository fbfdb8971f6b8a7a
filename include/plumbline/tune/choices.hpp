#pragma once
/// pick_best over template parameters: a function makes a pipeline for each combination of their values.
///   auto best = pl::pick_best<pl::choices<bool>, pl::choices<int, 1, 4>>([]<bool Fused, int Cycle> {
///     return shards | pl::interleave(open, {.cycle_length = Cycle}) | pl::map(decoder<Fused>()) | pl::batch<32>();
///   });
/// All of them are compiled and optimised; the one that ran fastest is kept (Plumber's pick_best, its figure 11).

#include <plumbline/core/exact_number.hpp>
#include <plumbline/tune/pick_best.hpp>

#include <array>
#include <string>
#include <utility>

namespace plumbline {

/// The values that a template parameter may have: those that are named, or both values of a bool if none is.
template <class T, T... Values> struct choices { static constexpr std::array<T, sizeof...(Values)> values{Values...}; };
template <> struct choices<bool> { static constexpr std::array values{false, true}; };

namespace detail {

template <class> inline constexpr bool is_choices = false;
template <class T, T... V> inline constexpr bool is_choices<choices<T, V...>> = true;

/// All combinations of values; the last parameter changes fastest.
template <class... C> struct combinations {
  static constexpr std::size_t count = (C::values.size() * ...);
  /// Index of the parameter's value in combination `n`.
  static constexpr std::size_t digit(std::size_t n, std::size_t parameter) {
    constexpr std::array sizes{C::values.size()...};
    for (std::size_t p = sizes.size() - 1; p != parameter; --p) n /= sizes[p];
    return n % sizes[parameter];
  }
  /// Calls f for combination N.
  template <std::size_t N, class F> static decltype(auto) made_by(F& f) {
    return [&]<std::size_t... P>(std::index_sequence<P...>)->decltype(auto) {
      return f.template operator()<C::values[digit(N, P)]...>();
    }
    (std::index_sequence_for<C...>{});
  }
  /// "<true, 4>"
  static std::string name(std::size_t n) {
    std::string all;
    std::size_t parameter = 0;
    ((all += (all.empty() ? "<" : ", ") + text(C::values[digit(n, parameter++)])), ...);
    return all + ">";
  }

 private:
  template <class T> static std::string text(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
      return value ? "true" : "false";
    else if constexpr (std::is_enum_v<T>)
      return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    else if constexpr (std::is_arithmetic_v<T>)
      return exact_number(value);
    else
      return "...";
  }
};

template <class F, class... C>
concept makes_each = requires(F& f) {
  f.template operator()<C::values[0]...>();
};

}  // namespace detail

/// pick_best of f.operator()<values...>() for every combination of values; why().alternatives names them. f is called
/// once for each. Errors: those of pick_best.
template <class... C, class F>
  requires(sizeof...(C) != 0 && (detail::is_choices<C> && ...))
auto pick_best(const optimize_options& options, F f) {
  constexpr bool named = ((C::values.size() != 0) && ...);
  static_assert(named, "plumbline: choices<T> does not know the values of T; name them, as in choices<int, 1, 2>");
  if constexpr (named) {
    constexpr bool called = detail::makes_each<F, C...>;
    static_assert(called,
                  "plumbline: pick_best<choices<...>>(f) calls f with template arguments alone, and this f cannot be "
                  "called so; give one parameter for each choices, as in []<bool Fused> { return ...; }");
    if constexpr (called) {
      using all = detail::combinations<C...>;
      return [&]<std::size_t... N>(std::index_sequence<N...>) {
        return detail::pick_named(options, {all::name(N)...}, all::template made_by<N>(f)...);
      }
      (std::make_index_sequence<all::count>{});
    } else {
      return detail::run_nothing();
    }
  } else {
    return detail::run_nothing();
  }
}
template <class... C, class F>
  requires(sizeof...(C) != 0 && (detail::is_choices<C> && ...))
auto pick_best(F f) { return pick_best<C...>(optimize_options{}, std::move(f)); }

}  // namespace plumbline
