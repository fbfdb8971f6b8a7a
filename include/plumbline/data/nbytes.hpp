#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <plumbline/core/fields.hpp>
#include <plumbline/data/image.hpp>
#include <plumbline/data/tensor.hpp>

namespace plumbline {

namespace detail {
/// What a smart pointer may point to and own alone: not an array, void, or a class that is only declared.
template <class T>
concept one_object = std::is_object_v<T> && !std::is_array_v<T> && requires {
  sizeof(T);
};
}  // namespace detail

/// Bytes of memory that an object owns beyond sizeof: what it holds on the heap. Specialise it for your own types:
///   template <> struct plumbline::heap_bytes<my_type> { static std::size_t of(const my_type& x) { return ...; } };
/// The default knows structs and tuples (the sum over their parts) and assumes that anything else, as unique_ptr<T[]>,
/// holds nothing; cache(bytes) refuses such elements.
template <class T> struct heap_bytes {
  static constexpr bool is_default = true;
  static std::size_t of(const T& x) noexcept {
    std::size_t sum = 0;
    if constexpr (!std::is_trivially_copyable_v<T> && detail::composite<T>) {
      detail::for_each_part(
          x, [&](const auto& part) { sum += heap_bytes<std::remove_cvref_t<decltype(part)>>::of(part); });
    }
    return sum;
  }
};

/// The size of x in memory, in bytes, including everything it owns; for cache accounting. Tensors count what their pool
/// block really takes. A shared_ptr counts its target in full, however many share it. O(number of owned objects).
template <class T> std::size_t nbytes(const T& x) noexcept { return sizeof(T) + heap_bytes<T>::of(x); }

template <class T> struct heap_bytes<tensor<T>> {
  static std::size_t of(const tensor<T>& x) noexcept { return x.footprint(); }
};
template <class T, std::size_t... E> struct heap_bytes<fixed_tensor<T, E...>> {
  static std::size_t of(const fixed_tensor<T, E...>& x) noexcept { return x.footprint(); }
};
template <class T> struct heap_bytes<basic_image<T>> {
  static std::size_t of(const basic_image<T>& x) noexcept { return x.pixels.footprint(); }
};
template <class C, class Traits> struct heap_bytes<std::basic_string<C, Traits>> {
  static std::size_t of(const std::basic_string<C, Traits>& x) noexcept {
    // a short string lives inside the object
    const bool on_heap = x.capacity() > std::basic_string<C, Traits>().capacity();
    return on_heap ? (x.capacity() + 1) * sizeof(C) : 0;
  }
};
template <class T> struct heap_bytes<std::vector<T>> {
  using held = T;
  static std::size_t of(const std::vector<T>& x) noexcept {
    if constexpr (std::is_same_v<T, bool>)
      return x.capacity() / 8;
    else {
      std::size_t sum = x.capacity() * sizeof(T);
      if constexpr (!std::is_trivially_copyable_v<T>) {
        for (const T& item : x) sum += heap_bytes<T>::of(item);
      }
      return sum;
    }
  }
};
template <class T, std::size_t N> struct heap_bytes<std::array<T, N>> {
  using held = T;
  static std::size_t of(const std::array<T, N>& x) noexcept {
    std::size_t sum = 0;
    if constexpr (!std::is_trivially_copyable_v<T>)
      for (const T& item : x) sum += heap_bytes<T>::of(item);
    return sum;
  }
};
template <class T> struct heap_bytes<std::optional<T>> {
  using held = T;
  static std::size_t of(const std::optional<T>& x) noexcept { return x ? heap_bytes<T>::of(*x) : 0; }
};
template <detail::one_object T> struct heap_bytes<std::unique_ptr<T>> {
  using held = T;
  static std::size_t of(const std::unique_ptr<T>& x) noexcept { return x ? nbytes(*x) : 0; }
};
template <detail::one_object T> struct heap_bytes<std::shared_ptr<T>> {
  using held = T;
  static std::size_t of(const std::shared_ptr<T>& x) noexcept { return x ? nbytes(*x) : 0; }
};

namespace detail {
/// True if heap_bytes is not specialised for T.
template <class T>
concept default_bytes = requires {
  heap_bytes<T>::is_default;
};
/// True if T, or what it holds, may own memory of which heap_bytes does not know. `Within`: the types that T is found
/// in, which it may hold in turn.
template <class T, class... Within> consteval bool uncounted() {
  if constexpr (std::is_trivially_copyable_v<T> || (std::same_as<T, Within> || ...))
    return false;
  else if constexpr (requires { typename heap_bytes<T>::held; })
    return uncounted<std::remove_const_t<typename heap_bytes<T>::held>, T, Within...>();
  else if constexpr (default_bytes<T> && composite<T>)
    return []<class... Parts>(std::type_identity<std::tuple<Parts...>>) {
      return (uncounted<std::remove_const_t<Parts>, T, Within...>() || ...);
    }(std::type_identity<parts_t<T>>{});
  else
    return default_bytes<T>;
}
}  // namespace detail

}  // namespace plumbline
