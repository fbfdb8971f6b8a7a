#pragma once
/// element_store: where a cache keeps elements by number, in memory or elsewhere. Asked from many threads at once.
///   S(n)            room for elements 0 to n - 1
///   find(i) const   the element, or nothing: a pointer, an optional or a shared_ptr, good for as long as the store is
///   keep(i, x)      keeps a copy, or refuses (a cache that is full): then find(i) gives nothing, and the next epoch
///                   computes the element again. Of two threads that made the same element, either's may stay.

#include <concepts>
#include <cstdint>
#include <utility>

namespace plumbline {

template <class S, class T>
concept element_store = std::constructible_from<S, std::uint64_t> &&
    requires(S& s, const S& known, std::uint64_t i, const T& x) {
  known.find(i) ? 0 : 1;
  { *known.find(i) } -> std::convertible_to<const T&>;
  s.keep(i, x);
};

namespace detail {
template <class S> using found_in = decltype(std::declval<const S&>().find(std::uint64_t{}));
}  // namespace detail

}  // namespace plumbline
