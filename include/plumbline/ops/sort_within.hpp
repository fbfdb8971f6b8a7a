#pragma once
/// sort_within(n, key): sorts every n consecutive elements by key, smallest first; elements with equal keys keep their
/// order. Behind a shuffle, batches then hold elements of similar length, and batches still differ.
///   lines("*.txt") | shuffle(10'000, 1) | map(tokenize) | sort_within(1'000, length_of) | padded_batch(32)
/// tf.data: group_by_window, PyTorch: -, grain: -, mlx-data: Stream.buffered(on_refill)

#include <plumbline/ops/flat_map.hpp>
#include <plumbline/ops/group.hpp>
#include <plumbline/ops/map.hpp>

#include <algorithm>

namespace plumbline {

namespace detail {
template <class F> struct sort_by {
  [[no_unique_address]] F key;
  template <class T>
    requires std::invocable<const F&, const T&> std::vector<T>
  operator()(std::vector<T> group) const {
    std::stable_sort(group.begin(), group.end(),
                     [this](const T& a, const T& b) { return std::invoke(key, a) < std::invoke(key, b); });
    return group;
  }
};
}  // namespace detail

template <class F = std::identity> constexpr auto sort_within(std::uint64_t n, F key = {}) {
  return group(n) | flat_map(detail::sort_by<F>{std::move(key)}).named("sort_within");
}
template <class F = std::identity> constexpr auto sort_within(std::signed_integral auto n, F key = {}) {
  return sort_within(detail::count_from("sort_within", n, "give at least 1"), std::move(key));
}

}  // namespace plumbline
