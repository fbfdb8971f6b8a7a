#pragma once
/// codec<T>: an element as bytes, for caches on disk. Known for numbers, enums, std::string, vector, optional, tensors,
/// images, tuples, pairs, std::array, columns and plain structs of those (`storable`). For a type of your own:
///   template <> struct plumbline::codec<my_type> {
///     static void encode(const my_type& x, plumbline::byte_writer& to);   // codec<int>::encode(x.id, to); ...
///     static my_type decode(plumbline::byte_reader& from);                // the same order
///   };
/// Bytes are in the machine's order: they are read on machines of the same kind only.

#include <plumbline/core/fields.hpp>
#include <plumbline/core/hash_of.hpp>
#include <plumbline/data/byte_io.hpp>
#include <plumbline/data/image.hpp>
#include <plumbline/data/tensor.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

template <class T> struct codec {};

/// Its elements can be kept as bytes. A type may hold values of its own: struct tree { std::vector<tree> below; }.
template <class T>
concept storable = requires(const T& x, byte_writer& to, byte_reader& from) {
  codec<T>::encode(x, to);
  { codec<T>::decode(from) } -> std::same_as<T>;
};

namespace detail {
/// A number or an enum.
template <class T>
concept number_like = std::is_arithmetic_v<T> || std::is_enum_v<T>;
/// Copied as it is: all of its bytes are its value.
template <class T>
concept plain_bytes = number_like<T> && !std::same_as<T, long double>;

/// True if all that codec<T> stores one by one (its `parts`) can be stored; asked of each type once, as types may hold
/// each other. `Within`: the types that T is found in.
template <class T, class... Within> consteval bool stores() {
  if constexpr ((std::same_as<T, Within> || ...))
    return true;
  else if constexpr (requires { typename codec<T>::parts; })
    return []<class... Parts>(std::type_identity<std::tuple<Parts...>>) {
      return (stores<Parts, T, Within...>() && ...);
    }(std::type_identity<typename codec<T>::parts>{});
  else
    return storable<T>;
}

inline void encode_count(std::size_t n, byte_writer& to) {
  const std::uint64_t count = n;
  to.raw(&count, sizeof count);
}
}  // namespace detail

template <detail::plain_bytes T> struct codec<T> {
  static void encode(const T& x, byte_writer& to) { to.raw(&x, sizeof x); }
  static T decode(byte_reader& from) {
    T x;
    from.raw(&x, sizeof x);
    return x;
  }
};
template <> struct codec<long double> {  // without its padding
  static constexpr std::size_t size = std::numeric_limits<long double>::digits == 64 ? 10 : sizeof(long double);
  static void encode(const long double& x, byte_writer& to) { to.raw(&x, size); }
  static long double decode(byte_reader& from) {
    long double x = 0;
    from.raw(&x, size);
    return x;
  }
};
template <> struct codec<std::string> {
  static void encode(const std::string& x, byte_writer& to) {
    detail::encode_count(x.size(), to);
    to.raw(x.data(), x.size());
  }
  static std::string decode(byte_reader& from) {
    const auto n = from.count(1);
    return std::string(reinterpret_cast<const char*>(from.bytes(n)), n);
  }
};
template <class T> struct codec<std::vector<T>> {
  using parts = std::tuple<T>;
  static void encode(const std::vector<T>& x, byte_writer& to) requires(detail::stores<std::vector<T>>()) {
    detail::encode_count(x.size(), to);
    if constexpr (detail::plain_bytes<T> && !std::same_as<T, bool>)
      to.raw(x.data(), x.size() * sizeof(T));
    else
      for (const auto& y : x) codec<T>::encode(y, to);
  }
  static std::vector<T> decode(byte_reader& from) requires(detail::stores<std::vector<T>>()) {
    if constexpr (std::same_as<T, std::uint8_t>) {
      const auto n = from.count(1);
      const auto* const begin = from.bytes(n);
      return std::vector<T>(begin, begin + n);
    } else if constexpr (detail::plain_bytes<T> && !std::same_as<T, bool>) {
      std::vector<T> x(from.count(sizeof(T)));
      from.raw(x.data(), x.size() * sizeof(T));
      return x;
    } else {
      std::vector<T> x;
      for (auto n = from.count(0); n != 0; --n) x.push_back(codec<T>::decode(from));
      return x;
    }
  }
};
template <class T, std::size_t N> struct codec<std::array<T, N>> {
  using parts = std::tuple<T>;
  static void encode(const std::array<T, N>& x, byte_writer& to) requires(detail::stores<std::array<T, N>>()) {
    for (const auto& y : x) codec<T>::encode(y, to);
  }
  static std::array<T, N> decode(byte_reader& from) requires(detail::stores<std::array<T, N>>()) {
    if constexpr (detail::plain_bytes<T>) {
      std::array<T, N> x{};
      from.raw(x.data(), N * sizeof(T));
      return x;
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<T, N>{(void(I), codec<T>::decode(from))...};  // braces: in order
      }
      (std::make_index_sequence<N>{});
    }
  }
};
template <class T> struct codec<std::optional<T>> {
  using parts = std::tuple<T>;
  static void encode(const std::optional<T>& x, byte_writer& to) requires(detail::stores<std::optional<T>>()) {
    codec<bool>::encode(x.has_value(), to);
    if (x) codec<T>::encode(*x, to);
  }
  static std::optional<T> decode(byte_reader& from) requires(detail::stores<std::optional<T>>()) {
    if (!codec<bool>::decode(from)) return std::nullopt;
    return codec<T>::decode(from);
  }
};
template <> struct codec<shape> {
  static void encode(const shape& x, byte_writer& to) {
    detail::encode_count(x.rank(), to);
    for (const std::size_t n : x) detail::encode_count(n, to);
  }
  static shape decode(byte_reader& from) {
    shape x;
    for (auto n = from.count(sizeof(std::uint64_t)); n != 0; --n) x.push_back(from.count(0));
    return x;
  }
};
template <detail::number_like T> struct codec<tensor<T>> {
  static void encode(const tensor<T>& x, byte_writer& to) {
    codec<shape>::encode(x.shape(), to);
    to.array(x.data(), x.size() * sizeof(T));
  }
  static tensor<T> decode(byte_reader& from) {
    const auto s = codec<shape>::decode(from);
    if (s.count() > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw std::runtime_error("a stored tensor is shorter than its shape");
    return tensor<T>::adopt(s, from.array(s.count() * sizeof(T)));
  }
};
template <detail::number_like T, std::size_t... E> struct codec<fixed_tensor<T, E...>> {
  static void encode(const fixed_tensor<T, E...>& x, byte_writer& to) { to.raw(x.data(), x.size() * sizeof(T)); }
  static fixed_tensor<T, E...> decode(byte_reader& from) {
    fixed_tensor<T, E...> x;
    from.raw(x.data(), x.size() * sizeof(T));
    return x;
  }
};
template <detail::number_like T> struct codec<basic_image<T>> {
  static void encode(const basic_image<T>& x, byte_writer& to) { codec<tensor<T>>::encode(x.pixels, to); }
  static basic_image<T> decode(byte_reader& from) { return basic_image<T>(codec<tensor<T>>::decode(from)); }
};
/// A tuple, pair, plain struct or columns: its parts in order.
template <class T>
  requires detail::composite<T>
struct codec<T> {
  using parts = detail::parts_t<T>;
  static void encode(const T& x, byte_writer& to) requires(detail::stores<T>()) {
    detail::for_each_part(x, [&](const auto& part) { codec<std::remove_cvref_t<decltype(part)>>::encode(part, to); });
  }
  static T decode(byte_reader& from) requires(detail::stores<T>()) {
    return [&]<class... P>(std::type_identity<std::tuple<P...>>) {
      if constexpr (requires(P... part) { T{std::move(part)...}; })
        return T{codec<P>::decode(from)...};  // braces: in order
      else
        return T{std::tuple<P...>{codec<P>::decode(from)...}};
    }(std::type_identity<parts>{});
  }
};

namespace detail {
/// The element that takes up all of the bytes.
template <class T> T decoded(byte_reader& from) {
  T x = codec<T>::decode(from);
  if (from.left() != 0) throw std::runtime_error("a stored element is longer than its type");
  return x;
}
/// A hash of x as it is stored.
template <storable T> std::uint64_t hash_of(const T& x) {
  std::vector<std::uint8_t> bytes;
  byte_writer to(bytes);
  codec<T>::encode(x, to);
  return hash_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}
}  // namespace detail

}  // namespace plumbline
