#pragma once
/// ill_formed: what a mistake yields once the compiler has told it. Whatever is then piped, joined, asked or run is
/// ill_formed again and says nothing, so that one mistake is one error. A function that takes pipelines takes
/// ill_formed too and passes it on; its body is never needed.

#include <plumbline/core/facts.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace plumbline {

namespace detail {

/// An element of a pipeline that does not exist: it becomes what the loop around it expects. Nothing here has a body:
/// a program that uses it does not compile.
struct anything {
  static anything &first, &second;
  template <class T> operator T&() &;
  template <class T> operator const T&() const&;
  template <class T> operator T&&() &&;
  template <std::size_t> anything& get() const;
  template <class... A> anything& operator()(A&&...) const;
  template <class I> anything& operator[](I&&) const;
  anything& operator*() const;
  anything* operator->() const;
  anything* begin() const;
  anything* end() const;
  anything &size() const, &span() const, &data() const, &shape() const, &height() const, &width() const;
  template <class T> friend T& operator<<(T& left, const anything&);
  template <class T> friend T& operator+=(T& left, const anything&);
  template <class T> friend anything& operator+(const anything&, const T&);
  template <class T> friend anything& operator-(const anything&, const T&);
  template <class T> friend anything& operator*(const anything&, const T&);
  template <class T> friend anything& operator/(const anything&, const T&);
};

/// What a loop over a pipeline's definition gets: no iterator, so that a definition is no range either.
struct no_iterator {
  anything& operator*() const;
  no_iterator& operator++();
  bool operator!=(const no_iterator&) const;
};

}  // namespace detail

struct ill_formed {
  using element = detail::anything;
  static constexpr stream_facts type_facts{};
  constexpr stream_facts facts() const { return {}; }
};

/// Told where it was made; there is nothing to add.
detail::anything explain(const ill_formed&);

}  // namespace plumbline

/// `auto& [image, label]` of an element that does not exist says nothing. (Of three names the compiler complains: the
/// number must be one, and elements are mostly pairs.)
template <> struct std::tuple_size<plumbline::detail::anything> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, plumbline::detail::anything> : std::type_identity<plumbline::detail::anything> {};
