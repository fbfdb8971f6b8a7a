#pragma once
/// on_first(f): applies f to the first part of a pair; the second (a label, a name) is unchanged. Random if f is.
///   ... | map(on_first(random_flip())) | map(on_first(to_planar())) | batch<32>()

#include <concepts>
#include <functional>
#include <plumbline/core/rng.hpp>
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
};

template <class F> constexpr auto on_first(F f) { return on_first_fn<F>{std::move(f)}; }

}  // namespace plumbline
