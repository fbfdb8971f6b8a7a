#pragma once
/// on_first(f): applies f to the first part of a pair or tuple; the others (a label, a name) are unchanged. Random if f
/// is. Streams that were joined by zip give tuples.
///   ... | map(on_first(random_flip())) | map(on_first(to_planar())) | batch<32>()

#include <concepts>
#include <functional>
#include <plumbline/core/rng.hpp>
#include <tuple>
#include <utility>

namespace plumbline {

template <class F> struct on_first_fn {
  [[no_unique_address]] F f;

  template <class A, class B>
    requires std::invocable<const F&, A>
  auto operator()(std::pair<A, B> x) const {
    using R = std::remove_cvref_t<std::invoke_result_t<const F&, A>>;
    return std::pair<R, B>(std::invoke(f, std::move(x.first)), std::move(x.second));
  }
  template <class A, class B>
    requires std::invocable<const F&, A, rng&>
  auto operator()(std::pair<A, B> x, rng& random) const {
    using R = std::remove_cvref_t<std::invoke_result_t<const F&, A, rng&>>;
    return std::pair<R, B>(std::invoke(f, std::move(x.first), random), std::move(x.second));
  }
  template <class A, class... Rest>
    requires std::invocable<const F&, A>
  auto operator()(std::tuple<A, Rest...> x) const {
    return with_first(std::invoke(f, std::move(std::get<0>(x))), std::move(x));
  }
  template <class A, class... Rest>
    requires std::invocable<const F&, A, rng&>
  auto operator()(std::tuple<A, Rest...> x, rng& random) const {
    return with_first(std::invoke(f, std::move(std::get<0>(x)), random), std::move(x));
  }

 private:
  template <class R, class A, class... Rest>
  static std::tuple<R, Rest...> with_first(R first, std::tuple<A, Rest...> x) {
    return std::apply(
        [&](auto&, auto&... rest) { return std::tuple<R, Rest...>(std::move(first), std::move(rest)...); }, x);
  }
};

template <class F> constexpr auto on_first(F f) { return on_first_fn<F>{std::move(f)}; }

}  // namespace plumbline
