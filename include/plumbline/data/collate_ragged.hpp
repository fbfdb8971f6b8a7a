#pragma once
/// Ragged batches: elements of different lengths one after another, without padding, and where each begins.
///
///   component of an element            component of the batch
///   std::vector of numbers             ragged<T>: values [total], splits [n + 1]
///   tensor [length, d...]              ragged<T>: values [total, d...], splits [n + 1]
///   number, fixed_tensor, text         as in data/collate.hpp
///   a struct, tuple or pair            std::tuple of the batches of its components

#include <plumbline/data/collate_padded.hpp>

#include <cstdint>
#include <span>

namespace plumbline {

/// Arrays of different lengths in one: array i is values[splits(i)] up to values[splits(i + 1)].
template <class T> struct ragged {
  tensor<T> values;
  tensor<std::int64_t> splits;  ///< [n + 1], beginning with 0

  /// The number of arrays.
  std::size_t size() const { return splits.size() == 0 ? 0 : splits.size() - 1; }
  /// All numbers of array i, in row-major order.
  std::span<const T> operator[](std::size_t i) const {
    const std::size_t each = values.shape()[0] == 0 ? 0 : values.size() / values.shape()[0];
    return values.span().subspan(begin_of(i) * each, (begin_of(i + 1) - begin_of(i)) * each);
  }
  friend bool operator==(const ragged&, const ragged&) = default;

 private:
  std::size_t begin_of(std::size_t i) const { return static_cast<std::size_t>(splits(i)); }
};

namespace detail {

/// How components of type T become a ragged batch: collate(n, at), where at(i) is component i.
template <class T> struct ragged_maker;
template <class T>
concept raggable = requires {
  typename ragged_maker<T>::batch_type;
};

/// `own(i)`: the shape of array i, `data(i)` its elements.
template <class T, class Own, class Data> ragged<T> make_ragged(std::size_t n, Own&& own, Data&& data) {
  auto splits = tensor<std::int64_t>::uninitialized({n + 1});
  splits(0) = 0;
  shape rows = own(0);
  if (rows.rank() == 0) throw_ranks(0, 0, 1);
  const auto inner = rows.inner();
  for (std::size_t i = 0; i != n; ++i) {
    const shape& s = own(i);
    if (s.rank() != rows.rank()) throw_ranks(i, s.rank(), rows.rank());
    if (s.inner() != inner)
      throw shape_mismatch("plumbline: row " + std::to_string(i) + " of a ragged batch has shape " + to_string(s) +
                           ", and the first has " + to_string(own(0)) +
                           "; only the first extent may differ, use padded_batch for others");
    splits(i + 1) = splits(i) + static_cast<std::int64_t>(s[0]);
  }
  rows[0] = static_cast<std::size_t>(splits(n));
  auto values = tensor<T>::uninitialized(rows);
  auto* to = values.data();
  for (std::size_t i = 0; i != n; ++i) {
    const auto* from = data(i);
    to = std::transform(from, from + own(i).count(), to, [](const auto& x) { return static_cast<T>(x); });
  }
  return {std::move(values), std::move(splits)};
}

template <class T>
  requires(fixed_shape<T> && !composite<T> && collatable<T>)
|| std::same_as<T, std::string> struct ragged_maker<T> {
  using batch_type = batch_of<T>;
  template <class At> static batch_type collate(std::size_t n, At&& at) {
    return padder<T>::collate(n, at, padding<int>{});
  }
};
template <scalar T>
  requires(!std::same_as<T, bool>)
struct ragged_maker<std::vector<T>> {
  using stored = typename stored_scalar<T>::type;
  using batch_type = ragged<stored>;
  template <class At> static batch_type collate(std::size_t n, At&& at) {
    return make_ragged<stored>(
        n, [&](std::size_t i) { return shape{at(i).size()}; }, [&](std::size_t i) { return at(i).data(); });
  }
};
template <class T> struct ragged_maker<tensor<T>> {
  using batch_type = ragged<T>;
  template <class At> static batch_type collate(std::size_t n, At&& at) {
    return make_ragged<T>(
        n, [&](std::size_t i) -> const shape& { return at(i).shape(); }, [&](std::size_t i) { return at(i).data(); });
  }
};
template <> struct ragged_maker<std::vector<std::string>> {
  using batch_type = std::vector<std::vector<std::string>>;
  template <class At> static batch_type collate(std::size_t n, At&& at) {
    batch_type out(n);
    for (std::size_t i = 0; i != n; ++i) out[i] = std::move(at(i));
    return out;
  }
};
template <class Parts> struct ragged_makers;
template <class... T> struct ragged_makers<std::tuple<T...>> { static constexpr bool all = (raggable<T> && ...); };
template <composite T>
requires ragged_makers<parts_t<T>>::all struct ragged_maker<T> {
  template <class Parts> struct batches;
  template <class... P> struct batches<std::tuple<P...>> {
    using type = std::tuple<typename ragged_maker<P>::batch_type...>;
  };
  using batch_type = typename batches<parts_t<T>>::type;
  template <class At> static batch_type collate(std::size_t n, At&& at) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return batch_type{ragged_maker<std::tuple_element_t<I, parts_t<T>>>::collate(
          n, [&](std::size_t i) -> auto& { return part_at<I>(at(i)); })...};
    }
    (std::make_index_sequence<std::tuple_size_v<parts_t<T>>>{});
  }
};

}  // namespace detail

struct a_group_of_elements_that_can_be_ragged;

/// Makes a ragged batch of a group: group(n) | map(collate_ragged). Throws shape_mismatch for arrays that differ in
/// more than their first extent, and std::invalid_argument for an empty group.
struct collate_ragged_fn {
  using wants = a_group_of_elements_that_can_be_ragged;
  template <detail::raggable T> auto operator()(std::vector<T> group) const {
    if (group.empty())
      throw std::invalid_argument("plumbline: collate_ragged: the group is empty; filter it out before");
    return detail::ragged_maker<T>::collate(group.size(), [&](std::size_t i) -> T& { return group[i]; });
  }
};
inline constexpr collate_ragged_fn collate_ragged{};

}  // namespace plumbline
