#pragma once
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include <plumbline/data/collator.hpp>

/// Batches of tuples, pairs and arrays: one batch for each part. See data/collate.hpp.
namespace plumbline {

namespace detail {

/// One collator for each part; `Batch` is what they make together.
template <class Batch, class... Ts> class part_collators {
 public:
  explicit part_collators(std::size_t n) : parts_((static_cast<void>(sizeof(Ts)), n)...) {}

  template <class References> void put(std::size_t slot, const References& x) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(parts_).put(slot, std::move(std::get<I>(x))), ...);
    }
    (std::index_sequence_for<Ts...>{});
  }
  Batch finish(std::size_t filled) && {
    return std::apply([filled](auto&... part) { return Batch{std::move(part).finish(filled)...}; }, parts_);
  }

 private:
  std::tuple<collator<Ts>...> parts_;
};

}  // namespace detail

template <collatable... Ts>
  requires(sizeof...(Ts) > 0)
struct collator<std::tuple<Ts...>> {
  using batch_type = std::tuple<batch_of<Ts>...>;

  explicit collator(std::size_t n) : parts_(n) {}
  void put(std::size_t slot, std::tuple<Ts...>&& x) {
    parts_.put(slot, std::apply([](auto&... part) { return std::tie(part...); }, x));
  }
  batch_type finish(std::size_t filled) && { return std::move(parts_).finish(filled); }

 private:
  detail::part_collators<batch_type, Ts...> parts_;
};

template <collatable A, collatable B> struct collator<std::pair<A, B>> {
  using batch_type = std::tuple<batch_of<A>, batch_of<B>>;

  explicit collator(std::size_t n) : parts_(n) {}
  void put(std::size_t slot, std::pair<A, B>&& x) { parts_.put(slot, std::tie(x.first, x.second)); }
  batch_type finish(std::size_t filled) && { return std::move(parts_).finish(filled); }

 private:
  detail::part_collators<batch_type, A, B> parts_;
};

template <collatable T, std::size_t K>
  requires(!detail::scalar<T> && K > 0)
struct collator<std::array<T, K>> {
  using batch_type = std::array<batch_of<T>, K>;

  explicit collator(std::size_t n) : collator(n, std::make_index_sequence<K>{}) {}
  void put(std::size_t slot, std::array<T, K>&& x) {
    for (std::size_t i = 0; i < K; ++i) parts_[i].put(slot, std::move(x[i]));
  }
  batch_type finish(std::size_t filled) && {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return batch_type{std::move(parts_[I]).finish(filled)...};
    }
    (std::make_index_sequence<K>{});
  }

 private:
  template <std::size_t... I>
  collator(std::size_t n, std::index_sequence<I...>) : parts_{collator<T>((static_cast<void>(I), n))...} {}

  collator<T> parts_[K];
};

}  // namespace plumbline
