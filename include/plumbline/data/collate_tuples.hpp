#pragma once
#include <algorithm>
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

  template <class References> void put(std::size_t slot, const References& x) noexcept((!collate_may_fail<Ts> && ...)) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(parts_).put(slot, std::move(std::get<I>(x))), ...);
    }
    (std::index_sequence_for<Ts...>{});
  }
  /// The first slot that does not fit in any part.
  std::size_t misfit(std::size_t filled) const requires(collates_checked<Ts> || ...) {
    return std::apply([filled](const auto&... part) { return std::min({first_misfit(part, filled)...}); }, parts_);
  }
  Batch finish(std::size_t filled) && {
    if constexpr (requires { this->misfit(filled); }) {
      if (const auto slot = misfit(filled); slot != filled)  // the part that has it throws
        std::apply(
            [&](auto&... part) {
              (void(first_misfit(part, filled) == slot ? void(std::move(part).finish(filled)) : void()), ...);
            },
            parts_);
    }
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
  void put(std::size_t slot, std::tuple<Ts...>&& x) noexcept((!detail::collate_may_fail<Ts> && ...)) {
    parts_.put(slot, std::apply([](auto&... part) { return std::tie(part...); }, x));
  }
  std::size_t misfit(std::size_t filled) const requires(detail::collates_checked<Ts> || ...) {
    return parts_.misfit(filled);
  }
  batch_type finish(std::size_t filled) && { return std::move(parts_).finish(filled); }

 private:
  detail::part_collators<batch_type, Ts...> parts_;
};

template <collatable A, collatable B> struct collator<std::pair<A, B>> {
  using batch_type = std::tuple<batch_of<A>, batch_of<B>>;

  explicit collator(std::size_t n) : parts_(n) {}
  void put(std::size_t slot,
           std::pair<A, B>&& x) noexcept(!detail::collate_may_fail<A> && !detail::collate_may_fail<B>) {
    parts_.put(slot, std::tie(x.first, x.second));
  }
  std::size_t misfit(std::size_t filled) const requires(detail::collates_checked<A> || detail::collates_checked<B>) {
    return parts_.misfit(filled);
  }
  batch_type finish(std::size_t filled) && { return std::move(parts_).finish(filled); }

 private:
  detail::part_collators<batch_type, A, B> parts_;
};

template <collatable T, std::size_t K>
  requires(!detail::scalar<T> && K > 0)
struct collator<std::array<T, K>> {
  using batch_type = std::array<batch_of<T>, K>;

  explicit collator(std::size_t n) : collator(n, std::make_index_sequence<K>{}) {}
  void put(std::size_t slot, std::array<T, K>&& x) noexcept(!detail::collate_may_fail<T>) {
    for (std::size_t i = 0; i < K; ++i) parts_[i].put(slot, std::move(x[i]));
  }
  std::size_t misfit(std::size_t filled) const requires(detail::collates_checked<T>) {
    std::size_t slot = filled;
    for (const auto& part : parts_) slot = std::min(slot, part.misfit(filled));
    return slot;
  }
  batch_type finish(std::size_t filled) && {
    if constexpr (detail::collates_checked<T>) {
      if (const auto slot = misfit(filled); slot != filled)
        for (auto& part : parts_)
          if (part.misfit(filled) == slot) std::move(part).finish(filled);  // throws
    }
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
