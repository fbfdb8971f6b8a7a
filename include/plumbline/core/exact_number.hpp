#pragma once
/// exact_number: the shortest text that reads back as the same number: "0.1", "1e+300", "inf". For what a user gave:
/// std::to_string would write 1e300 with 300 digits, and 1e-9 as 0.

#include <charconv>
#include <string>
#include <type_traits>

namespace plumbline::detail {

template <class T>
  requires std::is_arithmetic_v<T> std::string exact_number(T x) {
    if constexpr (std::is_integral_v<T>) {
      return std::to_string(x);
    } else {
      char text[64];
      return {text, std::to_chars(text, text + sizeof text, x).ptr};
    }
  }

}  // namespace plumbline::detail
