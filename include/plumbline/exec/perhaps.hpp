#pragma once
/// perhaps: an element on its way through kernels that it may not need: either made so far, or known already.

#include <optional>
#include <utility>

namespace plumbline::detail {

/// `Found`: what an element_store's find() gives; it lives as long as the store does.
template <class X, class Found> struct perhaps {
  using element = X;
  std::optional<X> made;
  Found known{};

  static perhaps of(X&& x) { return {std::optional<X>(std::in_place, std::move(x))}; }
  static perhaps found(Found known) { return {std::nullopt, std::move(known)}; }
};

/// What an operator made here; null if it was known. For whoever counts.
template <class X> const X* made_here(const X& x) { return &x; }
template <class X, class Found> const X* made_here(const perhaps<X, Found>& x) { return x.made ? &*x.made : nullptr; }
/// Does the kernel's output say whether it was made?
template <class Kernel> inline constexpr bool may_be_passed = false;

}  // namespace plumbline::detail
