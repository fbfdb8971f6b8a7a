#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plumbline/data/fields.hpp>
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
/// A collator need be neither copyable nor movable. `finish` must be ordered after every `put` by the caller.
template <class T> struct collator;

/// T can be an element of a batch.
template <class T>
concept collatable = requires(collator<T>& c, std::size_t i, T&& x) {
  typename collator<T>::batch_type;
  requires std::constructible_from<collator<T>, std::size_t>;
  c.put(i, std::move(x));
  { std::move(c).finish(i) } -> std::same_as<typename collator<T>::batch_type>;
};

/// What a batch of T is.
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

/// The number of scalars in T if it holds nothing else, else 0.
template <class T> consteval std::size_t scalar_count() {
  if constexpr (scalar<T>)
    return 1;
  else if constexpr (composite<T>) {
    return []<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
      return ((scalar_count<Ts>() > 0) && ...) ? (std::size_t{0} + ... + scalar_count<Ts>()) : std::size_t{0};
    }(std::type_identity<parts_t<T>>{});
  } else
    return 0;
}

template <class T> struct has_fixed_shape : std::bool_constant<scalar<T>> {};
template <class T, std::size_t... E> struct has_fixed_shape<fixed_tensor<T, E...>> : std::true_type {};
template <class T>
  requires composite<T>
struct has_fixed_shape<T> {
  template <class... Ts> static std::bool_constant<(has_fixed_shape<Ts>::value && ...)> all(std::tuple<Ts...>*);
  static constexpr bool value = decltype(all(static_cast<parts_t<T>*>(nullptr)))::value;
};

}  // namespace detail

/// Putting a T into its slot is a few stores (T is at most 8 scalars in all): a batch of them is best filled serially.
template <class T>
inline constexpr bool collate_is_cheap = detail::scalar_count<T>() >= 1 && detail::scalar_count<T>() <= 8;

/// All values of type T have the same shape, known to the compiler: scalars, fixed tensors, and structs of such.
template <class T>
concept fixed_shape = detail::has_fixed_shape<T>::value;

}  // namespace plumbline
