#pragma once
/// range<N>(), range(n), range(from, to): the integers from `from` (0) up to, not including, the end. Indexed.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/compiled.hpp>

#include <cstdint>

namespace plumbline {

namespace detail {
[[noreturn]] void throw_no_range(std::int64_t from_value, std::int64_t to);
}  // namespace detail

template <class Size> struct range_source : source_base {
  using element = std::int64_t;
  static constexpr std::string_view name = "range";
  static constexpr bool asked_again = true;
  std::int64_t first;
  [[no_unique_address]] Size n;
  constexpr auto parameters() const { return std::tuple(first); }

  static constexpr stream_facts type_facts{.count = Size::known(), .indexed = true};
  constexpr stream_facts facts() const { return {.count = n.now(), .indexed = true}; }
  constexpr std::uint64_t size() const { return n.value(); }
  constexpr std::int64_t at(std::uint64_t i) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + i);  // wraps as two's complement does
  }
};

template <std::uint64_t N> constexpr auto range() {
  static_assert(N <= std::uint64_t{1} << 63, "plumbline: range<N> counts in std::int64_t; N is at most 2^63");
  return from(range_source<size<N>>{{}, 0, {}});
}
constexpr auto range(std::int64_t from_value, std::int64_t to) {
  if (to < from_value) detail::throw_no_range(from_value, to);
  const auto n = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from_value);
  if (n == unbounded) detail::throw_no_range(from_value, to);
  return from(range_source<size<dynamic>>{{}, from_value, {n}});
}
constexpr auto range(std::int64_t n) { return range(0, n); }

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/range_inl.hpp>
#endif
