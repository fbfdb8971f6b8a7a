#pragma once
/// length_of: how long an element is, where operators sort, group or pack by length: the size of a string or vector,
/// the first extent of a tensor (0 without one), of a pair, tuple or struct that of the first component that has a
/// length.

#include <plumbline/core/fields.hpp>
#include <plumbline/data/tensor.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail {
template <class T> struct is_sequence : std::false_type {};
template <class T> struct is_sequence<std::vector<T>> : std::true_type {};
template <> struct is_sequence<std::string> : std::true_type {};
template <class T> struct is_sequence<tensor<T>> : std::true_type {};
}  // namespace detail

struct length_of_fn {
  template <class T>
    requires(detail::holds<T, detail::is_sequence>())
  constexpr std::uint64_t operator()(const T& x) const {
    if constexpr (requires { x.shape(); }) {
      return x.rank() == 0 ? 0 : x.shape()[0];
    } else if constexpr (detail::composite<T>) {
      std::uint64_t n = 0;
      bool found = false;
      detail::for_each_part(x, [&](const auto& part) {
        if constexpr (detail::holds<std::remove_cvref_t<decltype(part)>, detail::is_sequence>())
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
