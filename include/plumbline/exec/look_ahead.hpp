#pragma once
/// look_ahead: requests the elements of a message together, from a cache's store that answers several in one round trip
/// (core/element_store.hpp). Those that a nearer cache has are left out: they are not looked up there.

#include <plumbline/core/element_store.hpp>
#include <plumbline/core/pack.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace plumbline::detail {

template <class K>
concept asks_ahead = requires {
  requires K::asks_ahead;
};
template <class K>
concept says_what_it_has = requires {
  requires K::says_what_it_has;
};

/// The number, from 0, of the n-th kernel whose store is asked ahead: those that can be, if the kernels before them
/// look elements up, and say at once what they have or can be asked ahead too. If there is none, the number of kernels.
template <class... K> constexpr std::size_t asked_kernel(std::size_t n = 0) {
  constexpr std::size_t all = sizeof...(K);
  const std::array<bool, all> asks{asks_ahead<K>...}, says{says_what_it_has<K>...};
  for (std::size_t i = 0; i != all && (asks[i] || says[i]); ++i)
    if (asks[i] && n-- == 0) return i;
  return all;
}

template <class... K> constexpr std::size_t asked_kernels() {
  std::size_t n = 0;
  while (asked_kernel<K...>(n) != sizeof...(K)) ++n;
  return n;
}

/// A stage without such a kernel.
struct no_look_ahead {
  explicit constexpr no_look_ahead(std::uint64_t) {}
};
/// Elements of a message that are wanted of a store, in order.
struct wanted_elements {
  std::vector<std::uint64_t> indices{}, places{};  ///< which of the message they are
  std::size_t next = 0;                            ///< the first not requested yet
};
/// The requests for the elements of a message, from `begin` on. A store is asked for what the stores that are asked
/// before it lack.
template <class... K> class look_ahead {
 public:
  explicit look_ahead(std::uint64_t begin) : due_(begin) {}
  /// True if elements must be requested before element i is looked up.
  bool due(std::uint64_t i) const { return i >= due_; }
  /// Requests some of the elements i to n - 1. `index_of(k)`: element k's index.
  template <class IndexOf>
  void ask(const pack<K...>& kernels, std::uint64_t i, std::uint64_t n, const IndexOf& index_of) {
    due_ = i + 1;
    if (!listed_ && detail::at<asked_kernel<K...>()>(kernels).store->at_once() < 2) return;
    if (!listed_) list(kernels, i, n, index_of);
    due_ = n;
    request<0>(kernels, i);
  }
  /// True if elements were requested, and each of them is there: together, or a single one as others would have been.
  bool all_found() const { return requested_ != 0 && found_ == requested_; }

 private:
  template <class IndexOf>
  void list(const pack<K...>& kernels, std::uint64_t i, std::uint64_t n, const IndexOf& index_of) {
    listed_ = true;
    auto& first = of_[0];
    try {
      for (; i != n; ++i) {
        const std::uint64_t index = index_of(i);
        if (any_has<0, asked_kernel<K...>()>(kernels, index)) continue;
        first.places.push_back(i);
        first.indices.push_back(index);
      }
    } catch (...) {  // it is thrown again when this element is made, after those before it
      first.places.resize(first.indices.size());
    }
  }
  /// True if one of the kernels From to To - 1 has the element.
  template <std::size_t From, std::size_t To> static bool any_has(const pack<K...>& kernels, std::uint64_t index) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (has_at_once(*detail::at<From + I>(kernels).store, index) || ... || false);
    }
    (std::make_index_sequence<To - From>{});
  }
  /// Requests the next elements of the N-th store that is asked, if element i is one of them; and of those after it.
  template <std::size_t N> void request(const pack<K...>& kernels, std::uint64_t i) {
    constexpr auto own = asked_kernel<K...>(N), after = asked_kernel<K...>(N + 1);
    auto& all = of_[N];
    const auto rest = all.indices.size() - all.next;
    std::size_t now = 0;
    if (rest != 0 && all.places[all.next] <= i) {
      const auto& store = *detail::at<own>(kernels).store;
      // in equal parts, so that none is requested alone if there are others
      const auto at_once = std::max<std::size_t>(1, store.at_once()), parts = std::max<std::size_t>(1, rest / at_once);
      now = (rest + parts - 1) / parts;
      const auto some = std::span<const std::uint64_t>(all.indices).subspan(all.next, now);
      requested_ += now;
      if (at_once > 1) {
        store.ask_ahead(some);
        for (std::size_t k = 0; k != now; ++k) {
          if (!store.lacks(some[k])) {
            ++found_;
            continue;
          }
          if constexpr (after != sizeof...(K))
            if (!any_has<own + 1, after>(kernels, some[k])) {
              of_[N + 1].places.push_back(all.places[all.next + k]);
              of_[N + 1].indices.push_back(some[k]);
            }
        }
      }
      all.next += now;
    }
    if (now != rest) due_ = std::min(due_, all.places[all.next]);
    if constexpr (after != sizeof...(K)) request<N + 1>(kernels, i);
  }
  std::uint64_t due_;  ///< before this element, the next are requested
  bool listed_ = false;
  std::size_t requested_ = 0, found_ = 0;                    ///< of all stores
  std::array<wanted_elements, asked_kernels<K...>()> of_{};  ///< the stores that are asked
};

}  // namespace plumbline::detail
