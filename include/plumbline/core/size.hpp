#pragma once
/// size<N>: a count that is part of the type (`size<32>`) or of the object (`size<dynamic>`), behind one accessor, as
/// std::extents does. `known()` is what the type can say of it, `now()` what the object says: the facts' rules take
/// either.

#include <plumbline/core/cardinality.hpp>

#include <cstddef>

namespace plumbline {

/// A name rather than a number, because types are read in error messages.
enum class extent : unsigned char { dynamic };
inline constexpr extent dynamic = extent::dynamic;

template <auto N> struct size {
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
