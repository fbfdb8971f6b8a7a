#pragma once
/// type_name<T>(): a type's readable name, the same from every compiler: `tuple<tensor<float>, int64>`.

#include <plumbline/core/compiled.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace plumbline {

template <class T> std::string type_name();

namespace detail {

template <class T> constexpr std::string_view spelled() {
  const std::string_view s = __PRETTY_FUNCTION__;
  const auto from = s.find("T = ") + 4;
#ifdef __clang__
  return s.substr(from, s.rfind(']') - from);
#else
  return s.substr(from, s.find("; std::string_view", from) - from);
#endif
}

/// `a::b::name<...>` -> `name`
std::string base_name(std::string_view s);

template <class... A> std::string listed() {
  std::string out;
  const auto add = [&](const std::string& name) {
    if (name.starts_with("default_delete<") || name.starts_with("allocator<")) return;  // defaults are left out
    out += (out.empty() ? "" : ", ") + name;
  };
  (add(type_name<A>()), ...);
  return out;
}

template <class T> struct named {
  static std::string get() { return base_name(spelled<T>()); }
};
template <template <class...> class C, class... A> struct named<C<A...>> {
  static std::string get() { return base_name(spelled<C<A...>>()) + "<" + listed<A...>() + ">"; }
};
template <template <class, std::size_t...> class C, class T, std::size_t... N>
  requires(sizeof...(N) > 0)
struct named<C<T, N...>> {
  static std::string get() {
    std::string out = base_name(spelled<C<T, N...>>()) + "<" + type_name<T>();
    ((out += ", " + std::to_string(N)), ...);
    return out + ">";
  }
};
template <class T, class A> struct named<std::basic_string<char, T, A>> {
  static std::string get() { return "string"; }
};

/// Without the endings that only the types of function objects have.
std::string function_text(std::string s);
}  // namespace detail

/// The readable name of a function object: `on_first<random_flip>`; a lambda is `lambda`, a pointer `function`.
template <class F> std::string function_name() {
  if constexpr (!std::is_class_v<F>)
    return "function";
  else
    return detail::function_text(type_name<F>());
}
/// How explain() shows an operator with a function: `map(decode)`.
std::string label_with(std::string_view op, const std::string& function);

template <class T> std::string type_name() {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_same_v<T, char>)
    return "char";
  else if constexpr (std::is_integral_v<T>)
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
  else if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, double>)
    return "double";
  else if constexpr (requires(T c, typename T::value_type v) {
                       c.push_back(v);
                       c.data();
                       typename T::allocator_type;
                     } &&
                     !std::is_same_v<T, std::string>)
    return "vector<" + type_name<typename T::value_type>() + ">";
  else
    return detail::named<T>::get();
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/core/type_name_inl.hpp>
#endif
