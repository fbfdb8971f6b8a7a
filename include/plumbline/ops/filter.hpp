#pragma once
/// filter(predicate): the elements for which the predicate holds. Called from several threads at once; order is kept.
///   lines("corpus.txt") | filter([](const std::string& s) { return !s.empty(); })

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>

#include <functional>

namespace plumbline {

template <class F> struct filter_op : op_base {
  static constexpr std::string_view name = "filter";
  static constexpr bool order_free = true;
  [[no_unique_address]] F f;

  constexpr explicit filter_op(F fn) : f(std::move(fn)) {}

  // Type
  template <class In> using output = In;
  template <class Up>
  static constexpr bool accepts = std::is_invocable_r_v<bool, const F&, const typename Up::element&>&&
      std::same_as<std::invoke_result_t<const F&, const typename Up::element&>, bool>;
  template <class Up> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (std::invocable<const F&, const In&>) {
      static_assert(accepts<Up>, "plumbline: filter(f): f must return bool; return a comparison");
    } else if constexpr (std::invocable<F&, const In&>) {
      static_assert(accepts<Up>,
                    "plumbline: filter(f): f changes itself when called (a mutable lambda?), but filter calls it "
                    "from several threads; keep no state in f");
    } else {
      static_assert(accepts<Up>,
                    "plumbline: filter(f): f cannot look at this stream's element; take it by const reference");
    }
  }

  // Model
  static constexpr stream_facts rule(stream_facts in) {
    if (!in.count.endless) in.count.least = 0;
    in.indexed = false;
    return in;
  }

  // Kernel
  template <class In> void apply(const element_context& cx, In&& x, auto&& emit) const {
    if (detail::guarded(name, cx, [&] { return std::invoke(f, std::as_const(x)); })) emit(std::forward<In>(x));
  }
};

template <class F> constexpr auto filter(F predicate) { return filter_op<F>(std::move(predicate)); }

}  // namespace plumbline
