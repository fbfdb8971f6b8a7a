#pragma once
/// size<N>: a count that is part of the type (`size<32>`) or of the object (`size<dynamic>`), with one accessor for
/// both, like std::extents. `known()` is what the type knows of it, `now()` what the object holds; rules take either.

#include <plumbline/core/cardinality.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace plumbline {

/// A name rather than a number, because types appear in error messages.
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

namespace detail {
/// Converts a count that the user gives as a signed number. Throws if it is negative, so it cannot become a huge count.
constexpr std::uint64_t count_from(const char* op, std::signed_integral auto n,
                                   const char* instead = "give at least 0") {
  if (n < 0)
    throw std::invalid_argument("plumbline: " + std::string(op) + "(" + std::to_string(n) +
                                "): a count cannot be negative; " + instead);
  return static_cast<std::uint64_t>(n);
}
/// For how many elements a group or buffer of at most n reserves memory in advance: for at most 16 MiB of them, as n
/// may be much more than the stream has.
template <class T> constexpr std::size_t room_for(std::uint64_t n) {
  constexpr std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 24) / sizeof(T), 1, 1 << 12);
  return static_cast<std::size_t>(std::min<std::uint64_t>(n, most));
}
}  // namespace detail

}  // namespace plumbline
