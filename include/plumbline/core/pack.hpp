#pragma once
/// pack: values of different types, like std::tuple, but flat: the cost of compiling a long one grows with its length,
/// not with the square of its length.
///   const auto p = make_pack(1, 2.5);  at<1>(p);  p.apply([](int i, double x) { return i + x; });

#include <cstddef>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

template <std::size_t, class T> struct pack_slot { T value; };
template <class Indices, class... T> struct pack_of;
template <std::size_t... I, class... T> struct pack_of<std::index_sequence<I...>, T...> : pack_slot<I, T>... {
  static constexpr std::size_t size = sizeof...(T);
  template <class F> constexpr decltype(auto) apply(F&& f) { return f(static_cast<pack_slot<I, T>&>(*this).value...); }
  template <class F> constexpr decltype(auto) apply(F&& f) const {
    return f(static_cast<const pack_slot<I, T>&>(*this).value...);
  }
};
template <class... T> using pack = pack_of<std::index_sequence_for<T...>, T...>;

template <class... T> constexpr pack<T...> make_pack(T... x) { return {{std::move(x)}...}; }
template <std::size_t I, class T> constexpr T& at(pack_slot<I, T>& s) { return s.value; }
template <std::size_t I, class T> constexpr const T& at(const pack_slot<I, T>& s) { return s.value; }

template <std::size_t I, class T> std::type_identity<T> type_at(const pack_slot<I, T>*);
template <std::size_t I, class Pack>
using pack_element = typename decltype(type_at<I>(static_cast<const Pack*>(nullptr)))::type;

}  // namespace plumbline::detail
