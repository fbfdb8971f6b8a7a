#pragma once
/// Batches of elements whose lengths differ, each padded to the longest of its batch or to a stated length.
///
///   component of an element            component of the batch
///   number, fixed_tensor, std::array   as in data/collate.hpp
///   std::string                        std::vector<std::string>
///   std::vector of numbers             tensor [n, longest]
///   tensor, of one rank                tensor [n, longest in each dimension]
///   std::vector<std::string>           std::vector of vectors of the same size, padded with ""
///   a struct, tuple or pair            std::tuple of the batches of its components

#include <plumbline/core/fields.hpp>
#include <plumbline/data/collate.hpp>
#include <plumbline/data/padding.hpp>
#include <plumbline/data/spare_vectors.hpp>
#include <plumbline/data/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {

/// Part I of a struct, tuple or pair.
template <std::size_t I, class T> auto& part_at(T& x) {
  if constexpr (reflectable<T>)
    return std::get<I>(fields_of(x));
  else
    return std::get<I>(x);
}

/// How components of type T become a padded batch: collate(n, at, pad), where at(i) is component i.
template <class T> struct padder;
template <class T>
concept paddable = requires {
  typename padder<T>::batch_type;
};

template <class T>
  requires(fixed_shape<T> && !composite<T> && collatable<T>)
|| std::same_as<T, std::string> struct padder<T> {
  using batch_type = batch_of<T>;
  template <class At, class V> static batch_type collate(std::size_t n, At&& at, const padding<V>&) {
    collator<T> made(n);
    for (std::size_t i = 0; i != n; ++i) made.put(i, T(std::move(at(i))));
    return std::move(made).finish(n);
  }
};
template <scalar T>
  requires(!std::same_as<T, bool>)
struct padder<std::vector<T>> {
  using stored = typename stored_scalar<T>::type;
  using batch_type = tensor<stored>;
  template <class At, class V> static batch_type collate(std::size_t n, At&& at, const padding<V>& pad) {
    const auto most = padded_length(n, pad.to, [&at](std::size_t i) { return at(i).size(); });
    auto out = batch_type::uninitialized({n, most});
    const filler<stored> rest(padding_as<stored>(pad.value));
    auto* to = out.data();
    for (std::size_t i = 0; i != n; ++i, to += most) {
      const auto& row = at(i);
      copy_row(row.data(), row.size(), to, most, rest);
    }
    return out;
  }
};
template <class T> struct padder<tensor<T>> {
  using batch_type = tensor<T>;
  template <class At, class V> static batch_type collate(std::size_t n, At&& at, const padding<V>& pad) {
    const auto most = padded_shape(n, pad.to, [&](std::size_t i) -> const shape& { return at(i).shape(); });
    auto out = batch_type::uninitialized(most.stacked(n));
    const auto each = most.count();
    const filler<T> rest(padding_as<T>(pad.value));
    for (std::size_t i = 0; i != n; ++i) copy_padded(at(i).data(), at(i).shape(), out.data() + i * each, most, rest);
    return out;
  }
};
template <> struct padder<std::vector<std::string>> {
  using batch_type = std::vector<std::vector<std::string>>;
  template <class At, class V> static batch_type collate(std::size_t n, At&& at, const padding<V>& pad) {
    const auto most = padded_length(n, pad.to, [&at](std::size_t i) { return at(i).size(); });
    batch_type out(n);
    for (std::size_t i = 0; i != n; ++i) {
      out[i] = std::move(at(i));
      out[i].resize(most);
    }
    return out;
  }
};

template <class Parts> struct padders;
template <class... T> struct padders<std::tuple<T...>> { static constexpr bool all = (paddable<T> && ...); };
/// The i-th of the paddings for one component each, or the only one.
template <std::size_t I, class... V> constexpr const auto& padding_at(const std::tuple<padding<V>...>& pads) {
  return std::get<(sizeof...(V) == 1 ? 0 : I)>(pads);
}
template <composite T>
requires padders<parts_t<T>>::all struct padder<T> {
  template <class Parts> struct batches;
  template <class... P> struct batches<std::tuple<P...>> {
    using type = std::tuple<typename padder<P>::batch_type...>;
  };
  static constexpr std::size_t components = std::tuple_size_v<parts_t<T>>;
  using batch_type = typename batches<parts_t<T>>::type;
  /// One padding for all components, or one for each.
  template <class At, class... V>
  static batch_type collate(std::size_t n, At&& at, const std::tuple<padding<V>...>& pads) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return batch_type{part<I>(n, at, padding_at<I>(pads))...};
    }
    (std::make_index_sequence<components>{});
  }
  template <class At, class V> static batch_type collate(std::size_t n, At&& at, const padding<V>& pad) {
    return collate(n, at, std::tuple(pad));
  }

 private:
  template <std::size_t I, class At, class V> static auto part(std::size_t n, At& at, const padding<V>& pad) {
    return padder<std::tuple_element_t<I, parts_t<T>>>::collate(
        n, [&](std::size_t i) -> auto& { return part_at<I>(at(i)); }, pad);
  }
};

/// The number of components that may have a padding of their own.
template <class T> inline constexpr std::size_t padded_components = 1;
template <composite T> inline constexpr std::size_t padded_components<T> = std::tuple_size_v<parts_t<T>>;

}  // namespace detail

struct a_group_of_elements_that_can_be_padded;

/// Makes a padded batch of a group: group(n) | map(collate_padded(pad(0))). Throws shape_mismatch for an element that
/// is longer than stated, or of another rank, and std::invalid_argument for an empty group.
template <class... V> struct collate_padded_fn {
  using wants = a_group_of_elements_that_can_be_padded;
  std::tuple<padding<V>...> pads;

  template <detail::paddable T>
    requires(sizeof...(V) == 1 || sizeof...(V) == detail::padded_components<T>)
  auto operator()(std::vector<T> group) const {
    if (group.empty())
      throw std::invalid_argument("plumbline: collate_padded: the group is empty; filter it out before");
    const auto at = [elements = group.data()](std::size_t i) -> T& { return elements[i]; };
    auto batch = [&] {
      if constexpr (sizeof...(V) == 1)
        return detail::padder<T>::collate(group.size(), at, std::get<0>(pads));
      else
        return detail::padder<T>::collate(group.size(), at, pads);
    }();
    detail::spare_vectors<T>::give(std::move(group));
    return batch;
  }
};
constexpr auto collate_padded() { return collate_padded_fn<int>{{pad(0)}}; }
template <class V, class... More> constexpr auto collate_padded(padding<V> first, padding<More>... more) {
  return collate_padded_fn<V, More...>{{first, more...}};
}

}  // namespace plumbline
