#pragma once
/// filter(predicate): the elements for which the predicate holds. It is called from several threads; order is kept. A
/// predicate that needs a `plumbline::rng&` besides the element is random, as in map; one that waits (a lookup in a
/// database) is given as blocking(predicate).
///   lines("corpus.txt") | filter([](const std::string& s) { return !s.empty(); })
///                       | filter([](const std::string&, rng& r) { return r.uniform() < 0.1; })   // a tenth of them
/// tf.data: filter, PyTorch: filter (Python), grain: filter, mlx-data: sample_transform returning {}

#include <plumbline/core/blocking_function.hpp>
#include <plumbline/core/callable.hpp>
#include <plumbline/core/chain.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/core/wanted.hpp>

#include <functional>

namespace plumbline {

namespace detail {
/// The compiler's message shows the template arguments of these functions.
template <class Wanted, class Given, bool ok> consteval void filter_wanted_and_given() {
  static_assert(ok,
                "plumbline: filter(f) cannot call f with this stream's element, see Wanted and Given in this message; "
                "change f's parameter, or take the element by const reference");
}
template <class Returned, bool ok> consteval void filter_predicate_returns() {
  static_assert(ok, "plumbline: filter(f): f must return bool, see Returned in this message; return a comparison");
}
}  // namespace detail

template <class F, bool Random, bool Blocking = false> struct filter_op : op_base, has_given_name {
  static constexpr std::string_view name = "filter";
  static constexpr bool order_free = true, blocking = Blocking;
  [[no_unique_address]] F f;

  constexpr explicit filter_op(F fn, op_name name_given = {}) : has_given_name{name_given}, f(std::move(fn)) {}

  /// How explain() shows the operator.
  std::string label() const { return label_with(name, function_name<F>()); }

  // Kernel
  using context = std::conditional_t<Random, random_context, no_context>;
  template <class In>
  constexpr bool keep(const context& cx, const In& x) const noexcept(std::is_nothrow_invocable_v<const F&, const In&>) {
    if constexpr (Random) {
      rng r = cx.make_rng();
      return std::invoke(f, x, r);
    } else {
      return std::invoke(f, x);
    }
  }
};

/// filter before its upstream is known: whether the predicate is random depends on the element.
template <class F, bool Blocking = false> struct filter_of : op_base, nameable<filter_of<F, Blocking>> {
  static constexpr std::string_view name = "filter";
  [[no_unique_address]] F f;

  template <class Up>
  static constexpr bool accepts = [] {
    using In = const typename Up::element&;
    if constexpr (detail::plain_function<F, In>)
      return std::same_as<std::remove_cvref_t<std::invoke_result_t<const F&, In>>, bool>;
    else if constexpr (detail::random_function<F, In>)
      return std::same_as<std::remove_cvref_t<std::invoke_result_t<const F&, In, rng&>>, bool>;
    else
      return false;
  }();
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (detail::plain_function<F, const In&>)
      detail::filter_predicate_returns<std::invoke_result_t<const F&, const In&>, ok>();
    else if constexpr (detail::random_function<F, const In&>)
      detail::filter_predicate_returns<std::invoke_result_t<const F&, const In&, rng&>, ok>();
    else if constexpr (detail::second_of_any_type<F, const In&> && !detail::is_tuple<In>)
      static_assert(ok,
                    "plumbline: filter(f) hands f one element, and f takes two of any type; take one, or, to be "
                    "random, name the second's type: plumbline::rng&");
    else if constexpr (detail::second_of_any_type<F, const In&> || detail::takes_parts_of<F, In>)
      static_assert(ok,
                    "plumbline: filter(f) hands f one element, which is one tuple here, and f takes its parts; take it "
                    "whole and unpack it: [](const auto& t) { auto& [a, b] = t; ... }");
    else if constexpr (std::invocable<F&, const In&> || std::invocable<F&, const In&, rng&>)
      static_assert(ok,
                    "plumbline: filter(f) calls f from several threads, and f changes itself when called (a mutable "
                    "lambda?); keep no state in f");
    else
      detail::filter_wanted_and_given<detail::wanted_by<F>, const In&, ok>();
  }
  template <class Up> constexpr auto resolve() && {
    constexpr bool random = detail::random_function<F, const typename Up::element&>;
    return filter_op<F, random, Blocking>(std::move(f), this->given);
  }
};

template <class F> constexpr auto filter(F predicate) { return filter_of<F>{{}, {}, std::move(predicate)}; }
template <class F> constexpr auto filter(blocking_function<F> waits) {
  return filter_of<F, true>{{}, {}, std::move(waits.f)};
}

}  // namespace plumbline
