#pragma once
/// perhaps: an element on its way through kernels that it may bypass: either still being made, or found in a store.

#include <optional>
#include <utility>

namespace plumbline::detail {

/// `Found`: the result of an element_store's find(); it lives as long as the store.
template <class X, class Found> struct perhaps {
  using element = X;
  std::optional<X> made;
  Found known{};

  static perhaps of(X&& x) { return {std::optional<X>(std::in_place, std::move(x))}; }
  static perhaps found(Found known) { return {std::nullopt, std::move(known)}; }
};

/// What an operator made here, for counting; null if the element was found, in whichever of several stores.
template <class X> const X* made_here(const X& x) { return &x; }
template <class X, class Found> auto made_here(const perhaps<X, Found>& x) {
  return x.made ? made_here(*x.made) : nullptr;
}
/// True if the kernel's output states whether the element was made here.
template <class Kernel> inline constexpr bool may_be_passed = false;

}  // namespace plumbline::detail
