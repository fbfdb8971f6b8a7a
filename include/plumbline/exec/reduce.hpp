#pragma once
/// reduce(pipeline, first, f, options): runs one epoch and combines its elements, in order: f(f(first, x0), x1) ...
///   const auto sum = reduce(range(5), std::int64_t{0}, [](auto a, auto x) { return a + x; });       // 10
/// tf.data: reduce, PyTorch: functools.reduce, grain: -, mlx-data: -

#include <plumbline/exec/run.hpp>

#include <functional>
#include <utility>

namespace plumbline {

namespace detail {
/// The compiler's message shows the template arguments of this function.
template <class State, class Element, bool ok> consteval void reduce_calls() {
  static_assert(ok,
                "plumbline: reduce(p, first, f) calls f(state, element), which must return the next state, see State "
                "and Element in this message; write [](State s, Element x) { ...; return s; }");
}
}  // namespace detail

template <pipeline P, class State, class F> State reduce(P p, State first, F f, run_options options = {}) {
  using element = typename P::element;
  constexpr bool ok = std::is_invocable_r_v<State, F&, State, element>, ends = !P::type_facts.count.endless;
  detail::reduce_calls<State, element, ok>();
  static_assert(ends, "plumbline: reduce combines all elements, and this pipeline is endless; put take(n) at its end");
  if constexpr (ok && ends) {
    auto s = run(std::move(p), std::move(options));
    while (auto x = s.next()) first = std::invoke(f, std::move(first), std::move(*x));
  }
  return first;
}

}  // namespace plumbline
