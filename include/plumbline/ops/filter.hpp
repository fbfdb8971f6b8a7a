#pragma once
/// filter(predicate): the elements for which the predicate holds. It is called from several threads; order is kept.
///   lines("corpus.txt") | filter([](const std::string& s) { return !s.empty(); })

#include <plumbline/core/callable.hpp>
#include <plumbline/core/chain.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/core/wanted.hpp>

#include <functional>

namespace plumbline {

namespace detail {
/// The compiler's message shows the template arguments of these functions.
template <class Wanted, class Given, bool ok> consteval void filter_predicate_wants() {
  static_assert(
      ok,
      "plumbline: filter(f) cannot call f with this stream's element, see Wanted and Given in this message; take "
      "the element by const reference");
}
template <class Returned, bool ok> consteval void filter_predicate_returns() {
  static_assert(ok, "plumbline: filter(f): f must return bool, see Returned in this message; return a comparison");
}
}  // namespace detail

template <class F> struct filter_op : op_base, nameable<filter_op<F>> {
  static constexpr std::string_view name = "filter";
  static constexpr bool order_free = true;
  [[no_unique_address]] F f;

  constexpr explicit filter_op(F fn) : f(std::move(fn)) {}

  // Type
  template <class Up>
  static constexpr bool accepts = [] {
    if constexpr (std::invocable<const F&, const typename Up::element&>)
      return std::same_as<std::remove_cvref_t<std::invoke_result_t<const F&, const typename Up::element&>>, bool>;
    else
      return false;
  }();
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (std::invocable<const F&, const In&>)
      detail::filter_predicate_returns<std::invoke_result_t<const F&, const In&>, ok>();
    else if constexpr (std::invocable<F&, const In&>)
      static_assert(ok,
                    "plumbline: filter(f) calls f from several threads, and f changes itself when called (a mutable "
                    "lambda?); keep no state in f");
    else if constexpr (detail::takes_parts_of<F, In>)
      static_assert(ok,
                    "plumbline: filter(f) hands f one element, which is one tuple here, and f takes its parts; take it "
                    "whole and unpack it: [](const auto& t) { auto& [a, b] = t; ... }");
    else
      detail::filter_predicate_wants<detail::wanted_by<F>, const In&, ok>();
  }

  /// How explain() shows the operator.
  std::string label() const { return std::string(name) + "(" + function_name<F>() + ")"; }

  // Kernel
  template <class In>
  constexpr bool keep(const no_context&, const In& x) const noexcept(std::is_nothrow_invocable_v<const F&, const In&>) {
    return std::invoke(f, x);
  }
};

template <class F> constexpr auto filter(F predicate) { return filter_op<F>(std::move(predicate)); }

}  // namespace plumbline
