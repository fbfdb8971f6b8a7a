#pragma once
/// content_hash(x): a hash of what can be seen of a value or function object, to distinguish pipelines that differ in
/// it (cache(folder), run_shared). Seen are what x states (`std::uint64_t content() const`), what can be stored
/// (data/codec.hpp), text, paths, pointers to members, what smart pointers and optionals hold, the elements of
/// containers, variants, durations, and the members of plain structs and tuples. Not seen are what a lambda captures,
/// private members, and other pointers. O(bytes).

#include <plumbline/core/fields.hpp>
#include <plumbline/core/hash_of.hpp>
#include <plumbline/core/node.hpp>
#include <plumbline/data/codec.hpp>
#include <plumbline/data/nbytes.hpp>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// How the content of a type can be seen.
enum class visibility : unsigned char {
  none,
  stated,
  stored,
  text,
  path,
  member,
  held,
  duration,
  variant,
  range,
  parts
};

/// True for an optional, or a smart pointer to one object.
template <class T> inline constexpr bool holds_object = false;
template <class T> inline constexpr bool holds_object<std::optional<T>> = true;
template <class T> inline constexpr bool holds_object<std::shared_ptr<T>> = one_object<T>;
template <class T, class D> inline constexpr bool holds_object<std::unique_ptr<T, D>> = one_object<T>;

/// The values of a container; void for other types, and for one of its own type, as a JSON value is.
template <class T> struct values_of { using type = void; };
template <class T>
  requires requires(const T& x) { x.size(), *std::begin(x), std::begin(x) != std::end(x); }
struct values_of<T> {
  using value = std::remove_cvref_t<decltype(*std::begin(std::declval<const T&>()))>;
  using type = std::conditional_t<std::same_as<value, T>, void, value>;
};

template <class T> consteval visibility visibility_of() {
  if constexpr (requires(const T& x) {
                  { x.content() } -> std::integral;
                })
    return visibility::stated;
  else if constexpr (storable<T>)
    return visibility::stored;
  else if constexpr (std::is_class_v<T> && std::convertible_to<const T&, std::string_view>)
    return visibility::text;
  else if constexpr (requires(const T& x) { std::string_view(x.native()); })
    return visibility::path;
  else if constexpr (std::is_member_object_pointer_v<T>)
    return visibility::member;
  else if constexpr (holds_object<T>)
    return visibility::held;
  else if constexpr (requires(const T& x) {
                       typename T::period;
                       x.count();
                     })
    return visibility::duration;
  else if constexpr (requires(const T& x) { x.valueless_by_exception(); })
    return visibility::variant;
  else if constexpr (!std::same_as<typename values_of<T>::type, void>)
    return visibility::range;
  else if constexpr (composite<T>)
    return visibility::parts;
  else
    return visibility::none;
}

template <class T> std::uint64_t content_hash(const T& x) {
  constexpr auto how = visibility_of<T>();
  if constexpr (how == visibility::stated) {
    return static_cast<std::uint64_t>(x.content());
  } else if constexpr (how == visibility::stored) {
    return hash_of(x);
  } else if constexpr (how == visibility::text) {
    return hash_of(std::string_view(x));
  } else if constexpr (how == visibility::path) {
    return hash_of(std::string_view(x.native()));
  } else if constexpr (how == visibility::member) {
    return hash_of(std::string_view(reinterpret_cast<const char*>(&x), sizeof x));
  } else if constexpr (how == visibility::held) {
    return x ? hash_combine(1, content_hash(*x)) : 0;
  } else if constexpr (how == visibility::duration) {
    return content_hash(x.count());
  } else if constexpr (how == visibility::variant) {
    return visit([&](const auto& y) { return hash_combine(x.index(), content_hash(y)); }, x);
  } else if constexpr (how == visibility::range) {
    constexpr bool any_order = requires { typename T::hasher; };
    std::uint64_t hash = 0, n = 0;
    for (const auto& y : x) {
      const auto each = content_hash(y);
      hash = any_order ? hash + hash_combine(each, 0) : hash_combine(hash, each);
      ++n;
    }
    return hash_combine(hash, n);
  } else if constexpr (how == visibility::parts) {
    std::uint64_t hash = 0;
    for_each_part(x, [&](const auto& part) { hash = hash_combine(hash, content_hash(part)); });
    return hash;
  } else {
    return 0;
  }
}

using no_type = std::type_identity<void>;
/// The first of these that is not `no_type`.
constexpr auto first_of() { return no_type(); }
template <class T, class... More> constexpr auto first_of(std::type_identity<T> first, More... more) {
  if constexpr (std::is_void_v<T>)
    return first_of(more...);
  else
    return first;
}
/// The first type in a T that hides its content, or no_type. A plain struct whose members cannot be listed hides it;
/// with `Each`, so does any type of which nothing can be seen. `Within`: the types that T is found in.
template <bool Each, class T, class... Within> consteval auto hidden_in() {
  constexpr auto how = visibility_of<T>();
  if constexpr ((std::same_as<T, Within> || ...))
    return no_type();
  else if constexpr (how == visibility::held)
    return hidden_in<Each, std::remove_cvref_t<decltype(*std::declval<const T&>())>, T, Within...>();
  else if constexpr (how == visibility::range)
    return hidden_in<Each, typename values_of<T>::type, T, Within...>();
  else if constexpr (how == visibility::variant)
    return []<template <class...> class Variant, class... Values>(std::type_identity<Variant<Values...>>) {
      return first_of(hidden_in<Each, Values, T, Within...>()...);
    }(std::type_identity<T>());
  else if constexpr (how == visibility::parts)
    return []<class... Parts>(std::type_identity<std::tuple<Parts...>>) {
      return first_of(hidden_in<Each, std::remove_const_t<Parts>, T, Within...>()...);
    }(std::type_identity<parts_t<T>>());
  else if constexpr (how == visibility::none && !std::is_empty_v<T> && (Each || std::is_aggregate_v<T>))
    return std::type_identity<T>();
  else
    return no_type();
}

/// What an operator holds that its elements depend on: all that `held()` lists, or its function `f`.
template <class Op> constexpr auto held_by(const Op& op) {
  if constexpr (requires { op.held(); })
    return op.held();
  else if constexpr (requires { op.f; })
    return std::tie(op.f);
  else
    return std::tuple<>();
}
/// The first hidden type in what an operator holds. A source may state that of its elements.
template <class Op> consteval auto hidden_in_operator() {
  if constexpr (requires { Op::hidden_in_elements(); })
    return Op::hidden_in_elements();
  else
    return []<class... Held>(std::type_identity<std::tuple<Held...>>) {
      return first_of(hidden_in<false, std::remove_cvref_t<Held>>()...);
    }(std::type_identity<decltype(held_by(std::declval<const Op&>()))>());
}
/// The first hidden type in a pipeline's operators and sources, or void.
template <class P> struct hidden_in_pipeline { using type = void; };
template <class Op, class... Ups> struct hidden_in_pipeline<node<Op, Ups...>> {
  using type = typename decltype(first_of(std::type_identity<typename hidden_in_pipeline<Ups>::type>()...,
                                          hidden_in_operator<Op>()))::type;
};
/// True if two pipelines of type P that hold different things can be distinguished by content_hash().
template <class P> inline constexpr bool comparable_content = std::is_void_v<typename hidden_in_pipeline<P>::type>;

}  // namespace plumbline::detail
