#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plumbline/core/fields.hpp>
#include <plumbline/data/fixed_tensor.hpp>

namespace plumbline {

/// How elements of type T become a batch. The one customisation point: specialise it for a type of your own, right
/// after that type.
///   template <> struct plumbline::collator<my_type> {
///     using batch_type = ...;
///     explicit collator(std::size_t n);                    // room for n elements; n >= 1
///     void put(std::size_t slot, my_type&& x);             // called once for a slot, from many threads at once
///     batch_type finish(std::size_t filled) &&;            // slots 0 .. filled - 1 hold elements; the rest is dropped
///   };
/// A collator need be neither copyable nor movable; code that keeps one holds it by a pointer. The caller must order
/// `finish` after every `put`.
template <class T> struct collator;

/// T can be an element of a batch.
template <class T>
concept collatable = requires(collator<T>& c, std::size_t i, T&& x) {
  typename collator<T>::batch_type;
  requires std::constructible_from<collator<T>, std::size_t>;
  c.put(i, std::move(x));
  { std::move(c).finish(i) } -> std::same_as<typename collator<T>::batch_type>;
};

namespace detail {
/// Its collator takes consecutive slots at once: put_all(first, elements).
template <class T>
concept collates_many = requires(collator<T>& c, std::size_t slot, std::span<T> xs) {
  c.put_all(slot, xs);
};
/// Its collator finds the elements that do not fit the others: misfit(filled), the first such slot, else `filled`.
template <class T>
concept collates_checked = requires(const collator<T>& c, std::size_t filled) {
  { c.misfit(filled) } -> std::same_as<std::size_t>;
};
/// Putting an element into its slot never throws.
template <class T>
concept collates_nothrow = requires(collator<T>& c, std::size_t slot, T&& x) {
  { c.put(slot, std::move(x)) }
  noexcept;
};
/// Collating elements of type T can fail because of an element.
template <class T> inline constexpr bool collate_may_fail = collates_checked<T> || !collates_nothrow<T>;

template <class T> std::size_t first_misfit(const collator<T>& c, std::size_t filled) {
  if constexpr (collates_checked<T>)
    return c.misfit(filled);
  else
    return filled;
}
}  // namespace detail

/// The type of a batch of T.
template <collatable T> using batch_of = typename collator<T>::batch_type;

namespace detail {

template <class T>
concept scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// How a scalar is stored: bool as a byte, an enum as its underlying type.
template <class T> struct stored_scalar { using type = T; };
template <> struct stored_scalar<bool> { using type = std::uint8_t; };
template <class T>
  requires std::is_enum_v<T>
struct stored_scalar<T> : stored_scalar<std::underlying_type_t<T>> {
};

/// The bytes that are moved to put a T into its slot, if the type determines them; else more than any limit.
template <class T> struct slot_bytes {
  static constexpr std::size_t value = scalar<T> ? sizeof(T) : std::size_t{1} << 40;
};
template <> struct slot_bytes<std::string> { static constexpr std::size_t value = sizeof(std::string); };
template <class T, std::size_t... E> struct slot_bytes<fixed_tensor<T, E...>> {
  static constexpr std::size_t value = (sizeof(T) * ... * E);
};
template <class T, std::size_t N> struct slot_bytes<std::array<T, N>> {
  static constexpr std::size_t value = N * slot_bytes<T>::value;
};
template <class T>
  requires composite<T>
struct slot_bytes<T> {
  template <class... Ts> static consteval std::size_t sum(std::tuple<Ts...>*) {
    return (std::size_t{0} + ... + slot_bytes<Ts>::value);
  }
  static constexpr std::size_t value = sum(static_cast<parts_t<T>*>(nullptr));
};

template <class T> struct has_fixed_shape : std::bool_constant<scalar<T>> {};
template <class T, std::size_t... E> struct has_fixed_shape<fixed_tensor<T, E...>> : std::true_type {};
template <class T>
  requires composite<T>
struct has_fixed_shape<T> {
  template <class... Ts> static std::bool_constant<(has_fixed_shape<Ts>::value && ...)> all(std::tuple<Ts...>*);
  static constexpr bool value = decltype(all(static_cast<parts_t<T>*>(nullptr)))::value;
};

}  // namespace detail

/// True if putting a T into its slot costs less than notifying another thread, so that a batch is best filled serially.
/// A slot filled in parallel costs a lock and an entry in a message, so the copy has to be worth that.
template <class T> inline constexpr bool collate_is_cheap = detail::slot_bytes<T>::value <= 1024;

/// All values of type T have the same shape, known at compile time: scalars, fixed tensors, and structs of such.
template <class T>
concept fixed_shape = detail::has_fixed_shape<T>::value;

}  // namespace plumbline
