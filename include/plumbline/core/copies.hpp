#pragma once
/// copies<T>: whether an element can be copied, with all that it holds.

#include <plumbline/core/fields.hpp>
#include <plumbline/core/lineage.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>

namespace plumbline::detail {

template <class T>
concept holds_values = !std::same_as<typename T::value_type, T>;  // a JSON value holds JSON values

/// `Within`: the types that T is found in; a tree holds trees.
template <class T, class... Within> consteval bool copies_whole() {
  if constexpr ((std::same_as<T, Within> || ...))
    return true;
  else if constexpr (!std::copy_constructible<T>)
    return false;
  else if constexpr (holds_values<T>)
    return copies_whole<typename T::value_type, T, Within...>();
  else if constexpr (composite<T>)
    return []<class... Parts>(std::type_identity<std::tuple<Parts...>>) {
      return (copies_whole<Parts, T, Within...>() && ...);
    }(std::type_identity<parts_t<T>>{});
  else
    return true;
}
/// True if T can be copied, including what its members and the containers in it hold: vector<unique_ptr<int>>, and a
/// struct with such a member, claim to be copyable.
template <class T> inline constexpr bool copies = copies_whole<T>();
template <class T> inline constexpr bool copies<item<T>> = copies<T>;

}  // namespace plumbline::detail
