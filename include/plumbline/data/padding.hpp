#pragma once
/// padding: how rows of different extents become equal: their common extents, and the copying of each into its place.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/exact_number.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/data/shape.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

namespace plumbline {

/// How the elements of a batch are made alike: filled with `value`, up to `to`, where an extent of 0, or no extent,
/// means the longest of the batch.
///   pad(-1)            up to the longest, with -1
///   pad(0, {512})      to 512 each
template <class V> struct padding {
  V value{};
  shape to{};
};
template <class V> constexpr padding<V> pad(V value, shape to = {}) { return {value, to}; }

namespace detail {

/// Throws for an element that is longer than the batch may be.
[[noreturn]] void throw_too_long(std::size_t row, std::size_t dimension, std::size_t extent, std::size_t most);
[[noreturn]] void throw_ranks(std::size_t row, std::size_t rank, std::size_t wanted);
/// The extents of a padded batch's rows: the largest of all, or those that are stated. `own(i)`: the shape of row i.
template <class Own> shape padded_shape(std::size_t n, const shape& to, Own&& own) {
  shape most = own(0);
  for (std::size_t i = 0; i != n; ++i) {
    const shape& s = own(i);
    if (s.rank() != most.rank()) throw_ranks(i, s.rank(), most.rank());
    for (std::size_t d = 0; d != most.rank(); ++d) most[d] = std::max(most[d], s[d]);
  }
  if (to.rank() == 0) return most;
  if (to.rank() != most.rank()) throw_ranks(0, most.rank(), to.rank());
  for (std::size_t d = 0; d != most.rank(); ++d) {
    if (to[d] == 0) continue;
    if (most[d] > to[d])
      for (std::size_t i = 0; i != n; ++i)
        if (own(i)[d] > to[d]) throw_too_long(i, d, own(i)[d], to[d]);
    most[d] = to[d];
  }
  return most;
}

/// The same for rows of one dimension. `own(i)`: the length of row i.
template <class Own> std::size_t padded_length(std::size_t n, const shape& to, Own&& own) {
  std::size_t most = 0;
  for (std::size_t i = 0; i != n; ++i) most = std::max<std::size_t>(most, own(i));
  if (to.rank() == 0) return most;
  if (to.rank() != 1) throw_ranks(0, 1, to.rank());
  if (to[0] == 0) return most;
  if (most > to[0])
    for (std::size_t i = 0; i != n; ++i)
      if (own(i) > to[0]) throw_too_long(i, 0, own(i), to[0]);
  return to[0];
}

[[noreturn]] void throw_padding(const std::string& value, const std::string& type);
/// The padding in the elements' type. Throws std::invalid_argument if it would become another value there.
template <class T, class V> T padding_as(V value) {
  const auto x = static_cast<T>(value);
  bool same = true;
  if constexpr (std::integral<T> && std::integral<V>)
    same = (value < V{}) == (x < T{}) && static_cast<V>(x) == value;
  else if constexpr (std::integral<T> && std::floating_point<V>)
    same = static_cast<V>(x) == value;
  if (!same) throw_padding(exact_number(value), type_name<T>());
  return x;
}

/// Fills what padding leaves, with memset where all bytes of the value are the same, as those of 0 and -1.
template <class T> class filler {
 public:
  explicit filler(T value) : value_(value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    byte_ = bytes[0];
    bytewise_ = std::all_of(bytes, bytes + sizeof(T), [&](unsigned char b) { return b == byte_; });
  }
  void operator()(T* from, T* to) const {
    if (bytewise_)
      std::memset(from, byte_, static_cast<std::size_t>(to - from) * sizeof(T));
    else
      std::fill(from, to, value_);
  }

 private:
  T value_;
  unsigned char byte_ = 0;
  bool bytewise_ = false;
};

/// Copies n values, and fills the rest of `all`.
template <class From, class T>
void copy_row(const From* from, std::size_t n, T* to, std::size_t all, const filler<T>& rest) {
  if constexpr (std::same_as<From, T>)
    std::copy_n(from, n, to);
  else
    std::transform(from, from + n, to, [](const From& x) { return static_cast<T>(x); });
  rest(to + n, to + all);
}
/// Copies an array of shape `own` into one of shape `most`, and fills the rest.
template <class From, class T>
void copy_padded(const From* from, const shape& own, T* to, const shape& most, const filler<T>& rest,
                 std::size_t d = 0) {
  std::size_t inner = 1, own_inner = 1;
  for (std::size_t i = d + 1; i < most.rank(); ++i) inner *= most[i], own_inner *= own[i];
  if (most.rank() == 0) return copy_row(from, 1, to, 1, rest);
  if (d + 1 == most.rank()) return copy_row(from, own[d], to, most[d], rest);
  for (std::size_t i = 0; i != own[d]; ++i) copy_padded(from + i * own_inner, own, to + i * inner, most, rest, d + 1);
  rest(to + own[d] * inner, to + most[d] * inner);
}

}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/data/padding_inl.hpp>
#endif
