#pragma once
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <plumbline/data/fixed_tensor.hpp>
#include <plumbline/data/image.hpp>
#include <plumbline/data/tensor.hpp>

namespace plumbline {

/// True if a value of this type owns everything it refers to and its destruction only releases memory: what it was made
/// from may be destroyed before it is used. False for views, pointers and what holds them, like the
/// std::vector<std::string_view> of a line's words; for a handle, whose destruction closes or deletes something; and,
/// as nothing is known about them, for your own types, until you say so:
///   template <> inline constexpr bool plumbline::self_contained<my_type> = true;
/// map(f) then destroys an element before it passes on what f made from it.
template <class T> inline constexpr bool self_contained = std::is_arithmetic_v<T>;
template <class T> inline constexpr bool self_contained<tensor<T>> = self_contained<T>;
template <class T, std::size_t... E> inline constexpr bool self_contained<fixed_tensor<T, E...>> = self_contained<T>;
template <class T> inline constexpr bool self_contained<basic_image<T>> = self_contained<T>;
template <class C> inline constexpr bool self_contained<std::basic_string<C>> = true;
template <class T> inline constexpr bool self_contained<std::vector<T>> = self_contained<T>;
template <class A, class B>
inline constexpr bool self_contained<std::pair<A, B>> = self_contained<A>&& self_contained<B>;
template <class... T> inline constexpr bool self_contained<std::tuple<T...>> = (self_contained<T> && ... && true);

}  // namespace plumbline
