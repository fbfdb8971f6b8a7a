#pragma once
// text(x): the exact text of an element: two elements are equal if their texts are. Tests compare and print it.

#include <plumbline/data/collate.hpp>
#include <plumbline/data/tensor.hpp>

#include <concepts>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline_test {

template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T> inline constexpr bool is_pointer = false;
template <class T> inline constexpr bool is_pointer<std::unique_ptr<T>> = true;
template <class T> inline constexpr bool is_pointer<std::shared_ptr<T>> = true;

template <class T> void append_text(std::string& out, const T& x) {
  if constexpr (std::same_as<T, bool>) {
    out += x ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    append_text(out, static_cast<std::underlying_type_t<T>>(x));
  } else if constexpr (std::integral<T>) {
    out += std::to_string(x);
  } else if constexpr (std::floating_point<T>) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", static_cast<double>(x));
    out += buffer;
  } else if constexpr (std::same_as<T, std::string>) {
    out += '"';
    out += x;
    out += '"';
  } else if constexpr (is_pointer<T>) {
    out += '*';
    if (x)
      append_text(out, *x);
    else
      out += "null";
  } else if constexpr (is_tuple<T>) {
    out += '(';
    std::apply([&](const auto&... part) { ((append_text(out, part), out += ' '), ...); }, x);
    out += ')';
  } else if constexpr (requires {
                         x.shape();
                         x.span();
                       }) {
    out += plumbline::to_string(x.shape());
    for (const auto& y : x.span()) {
      out += ' ';
      append_text(out, y);
    }
  } else if constexpr (requires {
                         typename T::struct_type;
                         x.values;
                       }) {
    append_text(out, x.values);
  } else if constexpr (requires { x.text(); }) {
    out += x.text();
  } else if constexpr (plumbline::reflectable<T>) {
    append_text(out, plumbline::fields_of(x));
  } else {
    out += '{';
    for (const auto& y : x) {
      append_text(out, y);
      out += ' ';
    }
    out += '}';
  }
}
template <class T> std::string text(const T& x) {
  std::string out;
  append_text(out, x);
  return out;
}

using texts = std::vector<std::string>;

inline std::string cut(const std::string& s) { return s.size() <= 60 ? s : s.substr(0, 60) + "..."; }
inline std::string shortened(const texts& all, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < all.size() && i < from + 8; ++i) out += (i == from ? "" : ", ") + cut(all[i]);
  return "[" + out + "] (" + std::to_string(all.size()) + " in all)";
}
inline std::string joined(const texts& all, std::size_t most = 12) {
  std::string out;
  for (std::size_t i = 0; i < all.size() && i < most; ++i) out += (i == 0 ? "" : ", ") + all[i];
  if (all.size() > most) out += ", ... (" + std::to_string(all.size()) + " in all)";
  return "[" + out + "]";
}
// Empty if they are equal; else the first difference.
inline std::string difference(const texts& got, const texts& want) {
  std::size_t i = 0;
  while (i != got.size() && i != want.size() && got[i] == want[i]) ++i;
  if (i == got.size() && i == want.size()) return {};
  const std::size_t from = i < 3 ? 0 : i - 3;
  return "they differ at element " + std::to_string(i) + "; from " + std::to_string(from) + " on there is " +
         shortened(got, from) + ", should be " + shortened(want, from);
}

}  // namespace plumbline_test
