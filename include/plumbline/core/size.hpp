#pragma once
/// size<N>: a count that is part of the type (`size<32>`) or of the object (`size<dynamic>`), behind one accessor, as
/// std::extents does. `known()` is what the type can say of it, `now()` what the object says: the facts' rules take
/// either.

#include <plumbline/core/cardinality.hpp>

#include <cstddef>

namespace plumbline {

inline constexpr std::uint64_t dynamic = unbounded;

template <std::uint64_t N> struct size {
  static constexpr std::uint64_t value() { return N; }
  static constexpr cardinality known() { return cardinality::exactly(N); }
  static constexpr cardinality now() { return known(); }
};

template <> struct size<dynamic> {
  std::uint64_t n;
  constexpr std::uint64_t value() const { return n; }
  static constexpr cardinality known() { return cardinality::unknown(); }
  constexpr cardinality now() const { return cardinality::exactly(n); }
};

}  // namespace plumbline
