#pragma once
/// cardinality: how many elements a stream holds, as an interval with an "endless" flag.
///
/// `least <= count <= most` holds for every run; `most == unbounded` means only that no bound is known. `endless` means
/// that the stream never ends by itself (then both limits are `unbounded`). The rules below are plain constexpr
/// arithmetic, evaluated once on the type (with the sizes that the type knows) and once on the object (with the sizes
/// it holds).

#include <algorithm>
#include <cstdint>

namespace plumbline {

inline constexpr std::uint64_t unbounded = ~std::uint64_t{0};

struct cardinality {
  std::uint64_t least = 0;
  std::uint64_t most = unbounded;
  bool endless = false;

  static constexpr cardinality exactly(std::uint64_t n) { return {n, n, false}; }
  static constexpr cardinality at_most(std::uint64_t n) { return {0, n, false}; }
  static constexpr cardinality unknown() { return {}; }
  static constexpr cardinality forever() { return {unbounded, unbounded, true}; }

  constexpr bool exact() const { return least == most && !endless && most != unbounded; }
  /// True if every count that `inner` allows also satisfies *this. (Law 1: the type's facts contain the plan's, which
  /// contain the run's.)
  constexpr bool contains(cardinality inner) const {
    if (endless || inner.endless) return endless == inner.endless || (!endless && most == unbounded);
    return least <= inner.least && inner.most <= most;
  }
  friend constexpr bool operator==(cardinality, cardinality) = default;
};

namespace detail {
constexpr std::uint64_t add_sat(std::uint64_t a, std::uint64_t b) { return a > unbounded - b ? unbounded : a + b; }
constexpr std::uint64_t sub_sat(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }
constexpr std::uint64_t mul_sat(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > unbounded / a ? unbounded : a * b;
}
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
constexpr std::uint64_t known_minus(std::uint64_t most, std::uint64_t b) {
  return most == unbounded ? unbounded : sub_sat(most, b);
}
}  // namespace detail

/// The count of a stream's first n elements.
constexpr cardinality cut_to(cardinality in, cardinality n) {
  if (n.endless) return in;
  if (in.endless) return n;
  return {std::min(in.least, n.least), std::min(in.most, n.most), false};
}
/// The count of what is left without the first n elements.
constexpr cardinality without_first(cardinality in, cardinality n) {
  if (in.endless) return in;
  return {n.most == unbounded ? 0 : detail::sub_sat(in.least, n.most), detail::known_minus(in.most, n.least), false};
}
/// k epochs of a stream, one after another.
constexpr cardinality times(cardinality in, cardinality k) {
  if (k.least == k.most && k.most == 0) return cardinality::exactly(0);
  if (in.endless && k.least == 0) return cardinality::unknown();  // perhaps no epoch at all
  if (in.endless || k.endless) return cardinality::forever();
  const bool none = in.most == 0 || k.most == 0;
  return {detail::mul_sat(in.least, k.least),
          none                                            ? 0
          : (in.most == unbounded || k.most == unbounded) ? unbounded
                                                          : detail::mul_sat(in.most, k.most),
          false};
}
/// One stream after another.
constexpr cardinality plus(cardinality a, cardinality b) {
  if (a.endless || b.endless) return cardinality::forever();
  return {detail::add_sat(a.least, b.least), detail::add_sat(a.most, b.most), false};
}
/// The number of groups of n. `not_full`: how many last groups that are not full are kept, 0 or 1.
constexpr cardinality grouped(cardinality in, cardinality n, cardinality not_full = cardinality::exactly(1)) {
  if (in.endless) return in;
  const auto groups = [](std::uint64_t count, std::uint64_t of, std::uint64_t rest) {
    return rest != 0 ? detail::ceil_div(count, of) : count / of;
  };
  return {groups(in.least, std::max<std::uint64_t>(n.most, 1), not_full.least),
          in.most == unbounded ? unbounded : groups(in.most, std::max<std::uint64_t>(n.least, 1), not_full.most),
          false};
}

}  // namespace plumbline
