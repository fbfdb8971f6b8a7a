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

/// The number, from 0, of the kernel whose store is asked ahead: the first that can be, if those before it look
/// elements up and say at once what they have. If there is none, the number of kernels.
template <class... K> constexpr std::size_t asked_kernel() {
  constexpr std::size_t n = sizeof...(K);
  const std::array<bool, n> asks{asks_ahead<K>...}, says{says_what_it_has<K>...};
  for (std::size_t i = 0; i != n && (asks[i] || says[i]); ++i)
    if (asks[i]) return i;
  return n;
}

/// A stage without such a kernel.
struct no_look_ahead {
  explicit constexpr no_look_ahead(std::uint64_t) {}
};
/// The requests for the elements of a message, from `begin` on.
class look_ahead {
 public:
  explicit look_ahead(std::uint64_t begin) : due_(begin) {}
  /// True if elements must be requested before element i is looked up.
  bool due(std::uint64_t i) const { return i >= due_; }
  /// Requests some of the elements i to n - 1. `index_of(k)`: element k's index.
  template <class... K, class IndexOf>
  void ask(const pack<K...>& kernels, std::uint64_t i, std::uint64_t n, const IndexOf& index_of) {
    constexpr auto asked = asked_kernel<K...>();
    const auto& store = *detail::at<asked>(kernels).store;
    const auto at_once = std::max<std::size_t>(1, store.at_once());
    due_ = i + 1;
    if (!listed_ && at_once < 2) return;
    if (!listed_)
      list(i, n, index_of, [&](std::uint64_t index) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
          return (has_at_once(*detail::at<I>(kernels).store, index) || ... || false);
        }
        (std::make_index_sequence<asked>{});
      });
    // the rest in equal parts, so that none is requested alone
    const auto rest = wanted_.size() - next_, parts = std::max<std::size_t>(1, rest / at_once),
               now = (rest + parts - 1) / parts;
    if (now > 1) store.ask_ahead(std::span<const std::uint64_t>(wanted_).subspan(next_, now));
    next_ += now;
    due_ = next_ == wanted_.size() ? n : places_[next_];
  }

 private:
  template <class IndexOf, class Has>
  void list(std::uint64_t i, std::uint64_t n, const IndexOf& index_of, const Has& nearer_has) {
    listed_ = true;
    try {
      for (; i != n; ++i) {
        const std::uint64_t index = index_of(i);
        if (nearer_has(index)) continue;
        places_.push_back(i);
        wanted_.push_back(index);
      }
    } catch (...) {  // it is thrown again when this element is made, after those before it
      places_.resize(wanted_.size());
    }
  }
  std::uint64_t due_;  ///< before this element, the next are requested
  bool listed_ = false;
  std::size_t next_ = 0;                            ///< of the wanted ones, the first not requested yet
  std::vector<std::uint64_t> wanted_{}, places_{};  ///< their indices, and which of the message they are
};

}  // namespace plumbline::detail
