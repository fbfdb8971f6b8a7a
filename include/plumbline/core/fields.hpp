#pragma once
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

/// The members of a plain struct as a tuple, without macros: counted by aggregate initialisation, read by structured
/// bindings. For aggregates of 1 to 24 public members that have no base class and no C array among the members
/// (std::array is fine); other types are simply not `reflectable`.
namespace plumbline {

namespace detail {

/// Stands for an initialiser of any type, in unevaluated expressions only. Defined nevertheless: clang warns of a
/// conversion that is not, where U is a type of one file (-Wundefined-internal).
struct any_value {
  template <class U> operator U() const noexcept { __builtin_unreachable(); }
};
template <std::size_t> using any_at = any_value;

template <class T, std::size_t... I> consteval bool initialisable(std::index_sequence<I...>) {
  return requires { T{any_at<I>{}...}; };
}
/// True if the member after the Before ones can be initialised from empty braces, with After values following.
template <class T, std::size_t... Before, std::size_t... After>
consteval bool initialisable_empty(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires { T{any_at<Before>{}..., {}, any_at<After>{}...}; };
}
/// The same from two values in braces.
template <class T, std::size_t... Before, std::size_t... After>
consteval bool initialisable_nested(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires { T{any_at<Before>{}..., {any_value{}, any_value{}}, any_at<After>{}...}; };
}

inline constexpr std::size_t max_fields = 24;

/// True for a C array. It takes several initialisers without braces of its own, so it would be counted as several
/// members. Given empty braces, it allows fewer values to follow than a class given the same; given two values in
/// braces, too, which are asked of classes without a default only: of a vector of unique_ptr they would be copied.
template <class T, std::size_t N, std::size_t I> consteval bool is_array_member() {
  constexpr std::make_index_sequence<I> before;
  constexpr std::make_index_sequence<N - I - 1> after;
  const auto fewer = [&]<std::size_t... Fewer>(auto&& allows, std::index_sequence<Fewer...>) {
    return (allows(std::make_index_sequence<Fewer>{}) || ...);
  };
  if constexpr (initialisable_empty<T>(before, after))
    return false;
  else if (fewer([](auto some) { return initialisable_empty<T>(std::make_index_sequence<I>{}, some); }, after))
    return true;
  else if constexpr (initialisable_nested<T>(before, after))
    return false;
  else
    return fewer([](auto some) { return initialisable_nested<T>(std::make_index_sequence<I>{}, some); }, after);
}
template <class T, std::size_t N> consteval bool has_array_member() {
  return []<std::size_t... I>(std::index_sequence<I...>) { return (is_array_member<T, N, I>() || ...); }
  (std::make_index_sequence<N>{});
}

/// A base class is initialised as a first member would be, but structured bindings do not list it.
template <class T> struct base_of {
  template <class B>
    requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>)
  operator B() const noexcept;
};
template <class T>
concept has_base = requires {
  T{base_of<T>{}};
};

/// The number of members, or 0 where they cannot be listed.
template <class T, std::size_t N = max_fields + 1> consteval std::size_t count_fields() {
  if constexpr (!std::is_aggregate_v<T> || !std::is_class_v<T> || std::is_empty_v<T> || N == 0)
    return 0;
  else if constexpr (has_base<T>)
    return 0;
  else if constexpr (!initialisable<T>(std::make_index_sequence<N>{}))
    return count_fields<T, N - 1>();
  else if constexpr (N > max_fields || has_array_member<T, N>())
    return 0;
  else
    return N;
}

template <class T>
concept tuple_like = requires {
  std::tuple_size<T>::value;
};
/// True for std::array: its parts have one type, and may be too many for a fold expression (clang: 256).
template <class T> inline constexpr bool is_std_array = false;
template <class T, std::size_t N> inline constexpr bool is_std_array<std::array<T, N>> = true;

}  // namespace detail

/// A plain struct whose members can be listed. std::array, std::pair and std::tuple are tuples, not reflectable.
template <class T>
concept reflectable = !detail::tuple_like<T> && detail::count_fields<T>() > 0;

/// References to the members of x, in the order of their declaration.
template <class T>
  requires reflectable<std::remove_const_t<T>>
constexpr auto fields_of(T& x) noexcept {
  constexpr std::size_t n = detail::count_fields<std::remove_const_t<T>>();
  if constexpr (n == 1) {
    auto& [a] = x;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = x;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = x;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = x;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = x;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = x;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = x;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = x;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = x;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (n == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (n == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
  } else if constexpr (n == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p);
  } else if constexpr (n == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q);
  } else if constexpr (n == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r);
  } else if constexpr (n == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s);
  } else if constexpr (n == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t);
  } else if constexpr (n == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u);
  } else if constexpr (n == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v);
  } else if constexpr (n == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w);
  } else if constexpr (n == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, y] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, y);
  } else {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, y, z] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, y, z);
  }
}

namespace detail {

template <class References> struct without_references;
template <class... Ts> struct without_references<std::tuple<Ts&...>> { using type = std::tuple<Ts...>; };

/// The types of T's parts as a tuple: of a struct's members, or of a tuple's elements.
template <class T> struct parts {
  using type = typename without_references<decltype(fields_of(std::declval<T&>()))>::type;
};
template <class T>
  requires tuple_like<T>
struct parts<T> {
  template <std::size_t... I> static std::tuple<std::tuple_element_t<I, T>...> list(std::index_sequence<I...>);
  using type = decltype(list(std::make_index_sequence<std::tuple_size_v<T>>{}));
};
template <class T> using parts_t = typename parts<T>::type;

/// A struct or tuple: something whose parts can be visited one by one.
template <class T>
concept composite = reflectable<T> ||(tuple_like<T>&& requires { typename std::tuple_size<T>::value_type; });

/// f(part 0), f(part 1), ... for a struct or a tuple.
template <class T, class F> constexpr void for_each_part(T& x, F f) {
  if constexpr (reflectable<std::remove_const_t<T>>) {
    std::apply([&](auto&... part) { (f(part), ...); }, fields_of(x));
  } else if constexpr (is_std_array<std::remove_const_t<T>>) {
    for (auto& part : x) f(part);
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      using std::get;
      (f(get<I>(x)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<std::remove_const_t<T>>>{});
  }
}

/// True for a T of this kind (`Kind<T>::value`), and for a struct, tuple or pair with one in it.
template <class T, template <class> class Kind> consteval bool holds() {
  if constexpr (Kind<T>::value)
    return true;
  else if constexpr (is_std_array<T>)
    return holds<typename T::value_type, Kind>();
  else if constexpr (composite<T>)
    return []<class... Parts>(std::type_identity<std::tuple<Parts...>>) {
      return (holds<Parts, Kind>() || ...);
    }(std::type_identity<parts_t<T>>{});
  else
    return false;
}

}  // namespace detail
}  // namespace plumbline
