#pragma once
/// perhaps: an element on its way through kernels that it may not need: either made so far, or known already.

#include <optional>
#include <utility>

namespace plumbline::detail {

template <class X, class T> struct perhaps {
  using element = X;
  std::optional<X> made;
  const T* known = nullptr;  ///< in a memo, which outlives it

  template <class U> static perhaps of(U&& x) { return {std::optional<X>(std::in_place, std::forward<U>(x))}; }
  static perhaps found(const T* known) { return {std::nullopt, known}; }
};

/// What an operator made here; null if it was known. For whoever counts.
template <class X> const X* made_here(const X& x) { return &x; }
template <class X, class T> const X* made_here(const perhaps<X, T>& x) { return x.made ? &*x.made : nullptr; }
/// Does the kernel's output say whether it was made?
template <class Kernel> inline constexpr bool may_be_passed = false;

}  // namespace plumbline::detail
