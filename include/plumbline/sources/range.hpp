#pragma once
/// range<N>(), range(n), range(from, to), range(from, to, step): the integers from `from` (0) up to, not including,
/// `to`; with a negative step down to it. None where `to` lies on the other side of `from`, as in tf.data and Python.
/// Indexed.
///   range(10, 0, -2)                            // 10, 8, 6, 4, 2
/// tf.data: Dataset.range, PyTorch: range (Python), grain: MapDataset.range, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/core/compiled.hpp>

#include <cstdint>

namespace plumbline {

namespace detail {
[[noreturn]] void throw_no_range(std::int64_t step);

struct step_of_one {
  static constexpr std::uint64_t value = 1;
};
struct any_step {
  std::uint64_t value;
};  ///< modulo 2^64, like all arithmetic here: a negative step is a large one

constexpr std::uint64_t range_size(std::int64_t from_value, std::int64_t to, std::int64_t step) {
  if (step == 0) throw_no_range(step);
  if (step > 0 ? to <= from_value : to >= from_value) return 0;
  const auto distance = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from_value);
  const auto each = static_cast<std::uint64_t>(step);
  const auto n = step > 0 ? (distance - 1) / each + 1 : (0 - distance - 1) / (0 - each) + 1;
  if (n == unbounded) throw_no_range(step);
  return n;
}
}  // namespace detail

template <class Size, class Step = detail::step_of_one> struct range_source : source_base {
  using element = std::int64_t;
  static constexpr std::string_view name = "range";
  static constexpr bool asked_again = true;
  std::int64_t first;
  [[no_unique_address]] Size n;
  [[no_unique_address]] Step step;
  constexpr auto parameters() const { return std::tuple(first, step.value); }

  static constexpr stream_facts type_facts{.count = Size::known(), .indexed = true};
  constexpr stream_facts facts() const { return {.count = n.now(), .indexed = true}; }
  constexpr std::uint64_t size() const { return n.value(); }
  constexpr std::int64_t at(std::uint64_t i) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + i * step.value);
  }
};

template <std::uint64_t N> constexpr auto range() {
  static_assert(N <= std::uint64_t{1} << 63, "plumbline: range<N> counts in std::int64_t; N is at most 2^63");
  return from(range_source<size<N>>{{}, 0, {}, {}});
}
constexpr auto range(std::int64_t from_value, std::int64_t to) {
  return from(range_source<size<dynamic>>{{}, from_value, {detail::range_size(from_value, to, 1)}, {}});
}
constexpr auto range(std::int64_t n) { return range(0, n); }
/// Throws std::invalid_argument if step is 0.
constexpr auto range(std::int64_t from_value, std::int64_t to, std::int64_t step) {
  return from(range_source<size<dynamic>, detail::any_step>{
      {}, from_value, {detail::range_size(from_value, to, step)}, {static_cast<std::uint64_t>(step)}});
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/sources/range_inl.hpp>
#endif
