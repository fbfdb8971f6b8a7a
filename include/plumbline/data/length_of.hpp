#pragma once
/// length_of: how long an element is, where operators sort, group or pack by length: the size of a string or vector,
/// the first extent of a tensor (0 without one), of a pair, tuple or struct that of the first component that has a
/// length.

#include <plumbline/data/fields.hpp>
#include <plumbline/data/tensor.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {
template <class T> inline constexpr bool is_sequence = false;
template <class T> inline constexpr bool is_sequence<std::vector<T>> = true;
template <> inline constexpr bool is_sequence<std::string> = true;
template <class T> inline constexpr bool is_sequence<tensor<T>> = true;
/// True for a sequence, and for a struct, tuple or pair with one in it.
template <class T> consteval bool has_length() {
  if constexpr (is_sequence<T>)
    return true;
  else if constexpr (composite<T>)
    return []<class... Parts>(std::type_identity<std::tuple<Parts...>>) {
      return (has_length<Parts>() || ...);
    }(std::type_identity<parts_t<T>>{});
  else
    return false;
}
}  // namespace detail

struct length_of_fn {
  template <class T>
    requires(detail::has_length<T>())
  constexpr std::uint64_t operator()(const T& x) const {
    if constexpr (requires { x.shape(); }) {
      return x.rank() == 0 ? 0 : x.shape()[0];
    } else if constexpr (detail::composite<T>) {
      std::uint64_t n = 0;
      bool found = false;
      detail::for_each_part(x, [&](const auto& part) {
        if constexpr (detail::has_length<std::remove_cvref_t<decltype(part)>>())
          if (!std::exchange(found, true)) n = (*this)(part);
      });
      return n;
    } else {
      return x.size();
    }
  }
};
inline constexpr length_of_fn length_of{};

}  // namespace plumbline
