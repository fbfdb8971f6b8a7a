#pragma once
/// elements(container), elements({...}): the elements of a vector or array, which the source keeps (shared between
/// copies of the pipeline, never changed). Indexed; each element is copied when it is requested. An array's count is
/// part of the type. Other containers and views that know their size (deque, set, span) are copied into a vector first.
///   elements({"a.txt", "b.txt"}) | interleave([](const std::string& f) { return lines(f); })
/// tf.data: from_tensor_slices, PyTorch: TensorDataset, grain: MapDataset.source, mlx-data: buffer_from_vector

#include <plumbline/core/chain.hpp>
#include <plumbline/data/content_hash.hpp>

#include <algorithm>  // the concepts of std::ranges, too
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

template <class T, auto N = dynamic> struct elements_source : source_base {
  using element = T;
  using container =
      std::conditional_t<std::same_as<decltype(N), extent>, std::vector<T>, std::array<T, static_cast<std::size_t>(N)>>;
  static constexpr std::string_view name = "elements";
  static constexpr bool asked_again = true;
  /// Small arrays of plain values are part of the source, so that they may occur in constant expressions.
  static constexpr bool in_place =
      !std::same_as<decltype(N), extent> && std::is_trivially_copyable_v<T> && sizeof(container) <= 1024;
  std::conditional_t<in_place, container, std::shared_ptr<const container>> held;

  constexpr const container& all() const {
    if constexpr (in_place)
      return held;
    else
      return *held;
  }
  static constexpr stream_facts type_facts{.count = plumbline::size<N>::known(), .indexed = true};
  constexpr stream_facts facts() const { return {.count = cardinality::exactly(size()), .indexed = true}; }
  constexpr std::uint64_t size() const { return all().size(); }
  constexpr T at(std::uint64_t i) const { return all()[static_cast<std::size_t>(i)]; }
  /// A hash of the elements.
  /// A hash of the elements. Pointers to char are taken as text, as {"a", "b"} is.
  std::uint64_t content() const {
    if constexpr (std::same_as<T, const char*>) {
      std::vector<std::string> text;
      for (const char* x : all()) text.emplace_back(x == nullptr ? "" : x);
      return detail::content_hash(text);
    } else {
      return detail::content_hash(all());
    }
  }
  static consteval auto hidden_in_elements() {
    if constexpr (std::same_as<T, const char*>)
      return detail::no_type();
    else
      return detail::hidden_in<true, T>();
  }
};

namespace detail {
template <class T, auto N, class Container> constexpr auto elements_of(Container v) {
  constexpr bool ok = std::copy_constructible<T>;
  static_assert(ok,
                "plumbline: elements(v) gives each element again every epoch, so it must be copyable, and this one is "
                "not; hold it in shared_ptr, or make it anew with generate(n, f)");
  if constexpr (!ok)
    return ill_formed{};
  else if constexpr (elements_source<T, N>::in_place)
    return from(elements_source<T, N>{{}, std::move(v)});
  else
    return from(elements_source<T, N>{{}, std::make_shared<const Container>(std::move(v))});
}
}  // namespace detail

template <class T> auto elements(std::vector<T> v) { return detail::elements_of<T, dynamic>(std::move(v)); }
template <class T, std::size_t N> constexpr auto elements(std::array<T, N> a) {
  return detail::elements_of<T, N>(std::move(a));
}
template <class T> auto elements(std::initializer_list<T> v) { return elements(std::vector<T>(v)); }
template <class C> auto elements(C&& c) {
  using V = std::remove_cvref_t<C>;
  constexpr bool sized = std::ranges::sized_range<C> && std::ranges::forward_range<C>;
  constexpr bool text = std::is_array_v<V> && std::same_as<std::remove_cv_t<std::remove_extent_t<V>>, char>;
  static_assert(sized,
                "plumbline: elements(v) got something that is not a container of known size; give a vector or an "
                "array, or use from_range(r)");
  static_assert(!text,
                "plumbline: elements(v) got text, which would be a stream of letters; give a list, for example "
                "elements({\"a.txt\", \"b.txt\"})");
  if constexpr (!sized || text) {
    return ill_formed{};
  } else if constexpr (!std::copy_constructible<std::ranges::range_value_t<C>>) {
    return detail::elements_of<std::ranges::range_value_t<C>, dynamic>(std::vector<std::ranges::range_value_t<C>>());
  } else if constexpr (std::is_bounded_array_v<V>) {
    return elements(std::to_array(std::forward<C>(c)));
  } else {
    std::vector<std::ranges::range_value_t<C>> v;
    v.reserve(static_cast<std::size_t>(std::ranges::size(c)));
    for (auto&& x : c) v.emplace_back(std::forward<decltype(x)>(x));
    return elements(std::move(v));
  }
}

}  // namespace plumbline
