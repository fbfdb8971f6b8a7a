#pragma once
/// ill_formed: the result of a mistake that the compiler has already reported. Piping, joining, querying or running it
/// gives ill_formed again without a further error, so that one mistake is one error. A function that takes pipelines
/// has an overload that takes ill_formed and returns it; that overload needs no body.

#include <plumbline/core/facts.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace plumbline {

namespace detail {

/// The element type of an ill-formed pipeline: it converts to whatever the loop around it expects. Nothing here has a
/// body, because a program that uses it does not compile.
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

/// What a loop over a pipeline's definition gets. It is not an iterator, so that a definition is not a range.
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

/// The mistake was reported where ill_formed was made; there is nothing to add.
detail::anything explain(const ill_formed&);

}  // namespace plumbline

/// Makes `auto& [image, label]` of such an element compile without an error. (With three names the compiler complains:
/// the size must be a fixed number, and most elements are pairs.)
template <> struct std::tuple_size<plumbline::detail::anything> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, plumbline::detail::anything> : std::type_identity<plumbline::detail::anything> {};
