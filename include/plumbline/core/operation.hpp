#pragma once
/// The classes that operators, sources and pipelines derive from, and the concepts that check for them.

#include <plumbline/core/ill_formed.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace plumbline {

namespace detail {
template <class> inline constexpr bool no = false;
}  // namespace detail

/// Every operator derives from this.
struct op_base {
  template <class Up> static constexpr bool accepts = true;

  /// Makes `for (x : op)` one error that says what to write instead.
  template <class Op = op_base> detail::no_iterator begin() const {
    static_assert(detail::no<Op>,
                  "plumbline: an operator holds no elements; put it behind a source and run that: "
                  "for (auto& x : run(elements(v) | op))");
    return {};
  }
  detail::no_iterator end() const;
};
struct source_base {};    ///< every source
struct pipeline_base {};  ///< every pipeline

template <class T>
concept operation = std::derived_from<std::remove_cvref_t<T>, op_base>;
template <class T>
concept rejected = std::derived_from<std::remove_cvref_t<T>, ill_formed>;
/// A pipeline definition: something that `run` runs and `|` extends.
template <class T>
concept pipeline = std::derived_from<std::remove_cvref_t<T>, pipeline_base>;
/// A source that makes any of its elements by index: `size()`, `at(i) const` (cheap, without code of the user: it
/// states `asked_again = true`, core/operator_traits.hpp). Any other gives them one after another: `open(epoch) const`
/// returns a reader with `bool next(element&)` or `std::optional<element> next()`.
template <class S>
concept indexed_source = requires(const S& s, std::uint64_t i) {
  { s.size() } -> std::convertible_to<std::uint64_t>;
  s.at(i);
};

}  // namespace plumbline
