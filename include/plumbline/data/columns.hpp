#pragma once
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plumbline/core/fields.hpp>
#include <plumbline/data/collate_tuples.hpp>
#include <plumbline/data/collator.hpp>

namespace plumbline {

/// A batch of structs, held by column: column i is the batch of the i-th member, in the order of declaration.
///   struct sample { fixed_image<224, 224> picture; int label; };
///   columns<sample> b = ...;
///   b.get<1>();                              // tensor<int> [n]
///   auto& [pictures, labels] = b;
template <class Struct> class columns {
  template <class Parts> struct batches;
  template <class... Ts> struct batches<std::tuple<Ts...>> { using type = std::tuple<batch_of<Ts>...>; };

 public:
  using struct_type = Struct;
  using tuple_type = typename batches<detail::parts_t<Struct>>::type;
  tuple_type values;

  template <std::size_t I> auto& get() & noexcept { return std::get<I>(values); }
  template <std::size_t I> const auto& get() const& noexcept { return std::get<I>(values); }
  template <std::size_t I> auto&& get() && noexcept { return std::get<I>(std::move(values)); }

  friend bool operator==(const columns&, const columns&) = default;
};

template <std::size_t I, class S> auto& get(columns<S>& batch) noexcept { return batch.template get<I>(); }
template <std::size_t I, class S> const auto& get(const columns<S>& batch) noexcept { return batch.template get<I>(); }

namespace detail {
template <class T> struct is_columns : std::false_type {};
template <class S> struct is_columns<columns<S>> : std::true_type {};
template <class S> struct parts<columns<S>> { using type = typename columns<S>::tuple_type; };

/// References to the columns of a batch, or to the members of a struct.
template <class T> constexpr auto parts_of(T& x) noexcept {
  if constexpr (is_columns<T>::value)
    return std::apply([](auto&... column) { return std::tie(column...); }, x.values);
  else
    return fields_of(x);
}
template <class T>
concept struct_of_collatable = (reflectable<T> || is_columns<T>::value) &&
                               []<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
                                 return (collatable<Ts> && ...);
                               }(std::type_identity<parts_t<T>>{});

template <class Parts> struct part_collators_from;
template <class... Ts> struct part_collators_from<std::tuple<Ts...>> {
  using type = part_collators<std::tuple<batch_of<Ts>...>, Ts...>;
};
}  // namespace detail

template <class T>
  requires detail::struct_of_collatable<T>
struct collator<T> {
  using batch_type = columns<T>;
  using parts = typename detail::part_collators_from<detail::parts_t<T>>::type;

  explicit collator(std::size_t n) : parts_(n) {}
  void put(std::size_t slot, T&& x) noexcept(noexcept(parts_.put(slot, detail::parts_of(x)))) {
    parts_.put(slot, detail::parts_of(x));
  }
  std::size_t misfit(std::size_t filled) const requires requires(const parts& p) { p.misfit(filled); }
  { return parts_.misfit(filled); }
  batch_type finish(std::size_t filled) && { return {std::move(parts_).finish(filled)}; }

 private:
  parts parts_;
};

}  // namespace plumbline

template <class S>
struct std::tuple_size<plumbline::columns<S>> : std::tuple_size<typename plumbline::columns<S>::tuple_type> {};
template <std::size_t I, class S>
struct std::tuple_element<I, plumbline::columns<S>>
    : std::tuple_element<I, typename plumbline::columns<S>::tuple_type> {};
