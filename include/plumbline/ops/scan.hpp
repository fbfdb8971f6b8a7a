#pragma once
/// scan(first, f): a state that passes through the stream: for each element, f(state, x) returns the next state and the
/// element to yield, as a pair or tuple. Each epoch begins with `first`. f is called in order, as const.
///   range(5) | scan(0, [](int sum, std::int64_t x) { sum += x; return std::pair(sum, sum); })   // 0 1 3 6 10
/// tf.data: scan, PyTorch: itertools.accumulate, grain: -, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/type_name.hpp>

#include <concepts>
#include <functional>
#include <tuple>

namespace plumbline {

namespace detail {
template <class F, class State, class In> struct scan_result {};
template <class F, class State, class In>
  requires std::invocable<const F&, State, In>
struct scan_result<F, State, In> : std::type_identity<std::remove_cvref_t<std::invoke_result_t<const F&, State, In>>> {
};
template <class R, class State>
concept state_and_element = requires {
  requires std::tuple_size<R>::value == 2;
  requires std::convertible_to<std::tuple_element_t<0, R>, State>;
};
/// The compiler's message shows the template arguments of these functions.
template <class State, class Element, bool ok> consteval void scan_calls() {
  static_assert(ok,
                "plumbline: scan(first, f) calls f(state, element), which this f does not take, see State and Element "
                "in this message; write [](State s, Element x) { ... return std::pair(next_state, result); }");
}
template <class Returned, bool ok> consteval void scan_function_returns() {
  static_assert(ok,
                "plumbline: scan(first, f): f must return the next state and the element to yield, see Returned in "
                "this message; return std::pair(next_state, result)");
}
}  // namespace detail

template <class State, class F> struct scan_op : op_base, nameable<scan_op<State, F>> {
  static constexpr std::string_view name = "scan";
  State first;
  [[no_unique_address]] F f;

  auto held() const { return std::tie(first, f); }

  constexpr scan_op(State s, F fn) : first(std::move(s)), f(std::move(fn)) {}

  template <class In> using result = typename detail::scan_result<F, State, In>::type;
  template <class In> using output = std::remove_cvref_t<std::tuple_element_t<1, result<In>>>;
  template <class Up>
  static constexpr bool accepts = [] {
    if constexpr (requires { typename result<typename Up::element>; })
      return detail::state_and_element<result<typename Up::element>, State>;
    else
      return false;
  }();
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    if constexpr (requires { typename result<typename Up::element>; })
      detail::scan_function_returns<result<typename Up::element>, ok>();
    else
      detail::scan_calls<State, typename Up::element, ok>();
  }
  std::string label() const { return label_with(name, function_name<F>()); }

  static constexpr stream_facts rule(stream_facts in) { return in; }

  template <class In> struct kernel {
    const F* f;
    State now;
    constexpr kernel(const scan_op& op, const stream_context&) : f(&op.f), now(op.first) {}
    template <class Io> void state(Io& io) { io(now); }
    constexpr void push(In&& x, const lineage& at, auto&& emit) {
      auto made = std::invoke(*f, std::move(now), std::move(x));
      now = std::get<0>(std::move(made));
      emit(std::get<1>(std::move(made)), at);
    }
  };
};

template <class State, class F> constexpr auto scan(State first, F f) {
  return scan_op<State, F>(std::move(first), std::move(f));
}

}  // namespace plumbline
