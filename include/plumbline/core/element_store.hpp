#pragma once
/// element_store: where a cache keeps elements by index, in memory or elsewhere. Called from many threads at once.
///   S(n)            has room for elements 0 to n - 1; unless the operator makes it: `template <class In>
///                   std::shared_ptr<store<In>> open_store(n, const replay_context&) const`
///   find(i) const   the element or nothing, as a pointer, an optional or a shared_ptr, valid as long as the store
///   keep(i, x)      keeps a copy, or refuses (a cache that is full): then find(i) returns nothing, and the next epoch
///                   computes the element again. If two threads made the same element, either copy may be kept.
/// If a call may wait, for a network, the operator states `blocking = true`; the calls are then made on I/O threads.
/// Such a store may request several elements in one round trip: at_once() says about how many (less than twice as many
/// may come), ask_ahead(indices) requests those that this thread's next calls of find() are for, and lacks(i) says that
/// one of them is not there. Elements that a cache nearer to the consumer has are left out, if its store says so
/// without reading or copying them: has(i), or a find(i) that returns a pointer; or if it is asked ahead itself, and
/// does not lack them. Behind any other store, elements are looked up one by one.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace plumbline {

template <class S, class T>
concept element_store = requires(S& s, const S& known, std::uint64_t i, const T& x) {
  known.find(i) ? 0 : 1;
  { *known.find(i) } -> std::convertible_to<const T&>;
  s.keep(i, x);
};

namespace detail {
template <class S>
concept asked_ahead = requires(const S& s, std::uint64_t i, std::span<const std::uint64_t> indices) {
  { s.at_once() } -> std::convertible_to<std::size_t>;
  s.ask_ahead(indices);
  { s.lacks(i) } -> std::convertible_to<bool>;
};
template <class S> using found_in = decltype(std::declval<const S&>().find(std::uint64_t{}));
/// A store that says at once whether it has an element.
template <class S>
concept knows_at_once = requires(const S& s, std::uint64_t i) {
  { s.has(i) } -> std::convertible_to<bool>;
}
|| std::is_pointer_v<found_in<S>>;
template <knows_at_once S> bool has_at_once(const S& s, std::uint64_t i) {
  if constexpr (requires { s.has(i); })
    return s.has(i);
  else
    return s.find(i) != nullptr;
}
}  // namespace detail

}  // namespace plumbline
