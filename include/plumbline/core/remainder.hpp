#pragma once
/// remainder: whether an epoch's last group is kept if it is not full; used by every operator that makes groups.

#include <plumbline/core/size.hpp>

#include <type_traits>

namespace plumbline {

enum class remainder : bool { keep, drop };
/// Part of the type, so that the count is known exactly: batch<32>(drop_remainder).
inline constexpr std::integral_constant<remainder, remainder::drop> drop_remainder{};

namespace detail {
/// The remainder as stated by the type or, with `dynamic`, by the object. As a size: how many groups that are not full
/// are kept in an epoch.
template <auto Rest> struct remainder_of {
  static constexpr remainder value() { return Rest; }
  static constexpr cardinality known() { return cardinality::exactly(Rest == remainder::keep ? 1 : 0); }
  static constexpr cardinality now() { return known(); }
};
template <> struct remainder_of<dynamic> {
  remainder rest;
  constexpr remainder value() const { return rest; }
  static constexpr cardinality known() { return cardinality::at_most(1); }
  constexpr cardinality now() const { return cardinality::exactly(rest == remainder::keep ? 1 : 0); }
};

/// How many groups of n a stream of `count` elements has.
constexpr std::uint64_t groups_in(std::uint64_t count, std::uint64_t n, remainder rest) {
  return count == unbounded ? count : rest == remainder::keep ? ceil_div(count, n) : count / n;
}
/// Returns an operator that makes groups of n, with the remainder that the user states.
template <template <class, auto> class Op, class Size> constexpr auto groups_of(Size n) {
  return Op<Size, remainder::keep>(n, {});
}
template <template <class, auto> class Op, class Size, remainder R>
constexpr auto groups_of(Size n, std::integral_constant<remainder, R>) {
  return Op<Size, R>(n, {});
}
template <template <class, auto> class Op, class Size> constexpr auto groups_of(Size n, remainder r) {
  return Op<Size, dynamic>(n, {r});
}
}  // namespace detail

}  // namespace plumbline
