#pragma once
/// map(f): f of every element. f is called from several threads at once, so it must be callable as const; order is
/// kept. If f also takes a `plumbline::rng&`, it is random: the generator belongs to the element (seed, epoch, lineage,
/// operator), so the result is the same on any machine and for any number of threads.
///   files("*.jpg") | read_file() | map(decode()) | map(random_flip())

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>

#include <functional>

namespace plumbline {

namespace detail {
/// The type of a function object's first parameter, where it has just one operator().
template <class> struct first_parameter;
template <class R, class C, class A, class... B> struct first_parameter<R (C::*)(A, B...)> : std::type_identity<A> {};
template <class R, class C, class A, class... B>
struct first_parameter<R (C::*)(A, B...) const> : std::type_identity<A> {};
template <class R, class C, class A, class... B>
struct first_parameter<R (C::*)(A, B...) noexcept> : std::type_identity<A> {};
template <class R, class C, class A, class... B>
struct first_parameter<R (C::*)(A, B...) const noexcept> : std::type_identity<A> {};
template <class F> struct wanted_by { using type = struct see_its_declaration; };
template <class F>
  requires requires { typename first_parameter<decltype(&F::operator())>::type; }
struct wanted_by<F> : first_parameter<decltype(&F::operator())> {};
template <class R, class A, class... B> struct wanted_by<R (*)(A, B...)> : std::type_identity<A> {};

/// Its name and arguments are read in the compiler's message.
template <bool Ok, class Wanted, class Given> consteval void function_takes_another_type() {
  static_assert(
      Ok,
      "plumbline: map(f): f cannot take this stream's element; see Wanted and Given in this message, and put a "
      "map that converts before it or change f's parameter");
}

template <class F, class In>
concept plain_function = std::invocable<const F&, In>;
template <class F, class In>
concept random_function = std::invocable<const F&, In, rng&>;
}  // namespace detail

template <class F, bool Random> struct map_op : op_base {
  static constexpr std::string_view name = "map";
  static constexpr bool one_to_one = true, order_free = true, random = Random;
  [[no_unique_address]] F f;

  constexpr explicit map_op(F fn) : f(std::move(fn)) {}

  // Type
  template <class In> static auto result() {
    if constexpr (Random)
      return std::type_identity<std::invoke_result_t<const F&, In, rng&>>{};
    else
      return std::type_identity<std::invoke_result_t<const F&, In>>{};
  }
  template <class In> using output = std::remove_cvref_t<typename decltype(result<In>())::type>;

  // Model
  static constexpr stream_facts rule(stream_facts in) {
    if (Random) in.draws = randomness::seeded;
    return in;
  }

  // Kernel
  template <class In> void apply(const element_context& cx, In&& x, auto&& emit) const {
    emit(guarded(cx, std::forward<In>(x)));
  }

 private:
  template <class In> constexpr auto guarded(const element_context& cx, In&& x) const {
    return detail::guarded(name, cx, [&]() -> output<std::remove_cvref_t<In>> {
      if constexpr (Random) {
        rng r = cx.make_rng();
        return std::invoke(f, std::forward<In>(x), r);
      } else {
        return std::invoke(f, std::forward<In>(x));
      }
    });
  }
};

/// What map(f) is before it knows its upstream: whether f is random depends on what it is given.
template <class F> struct map_of : op_base {
  static constexpr std::string_view name = "map";
  [[no_unique_address]] F f;

  template <class Up>
  static constexpr bool accepts = [] {
    using In = typename Up::element;
    if constexpr (detail::random_function<F, In>)
      return !std::is_void_v<std::invoke_result_t<const F&, In, rng&>>;
    else if constexpr (detail::plain_function<F, In>)
      return !std::is_void_v<std::invoke_result_t<const F&, In>>;
    else
      return false;
  }();
  template <class Up> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (detail::plain_function<F, In> || detail::random_function<F, In>) {
      static_assert(accepts<Up>, "plumbline: map(f): f returns nothing; return the element, changed or not");
    } else if constexpr (std::invocable<F&, In> || std::invocable<F&, In, rng&>) {
      static_assert(accepts<Up>,
                    "plumbline: map(f): f changes itself when called (a mutable lambda?), but map calls it from "
                    "several threads; keep no state in f, or use scan for a serial fold");
    } else {
      detail::function_takes_another_type<accepts<Up>, typename detail::wanted_by<F>::type, In>();
    }
  }
  template <class Up> constexpr auto resolve() && {
    return map_op<F, detail::random_function<F, typename Up::element>>(std::move(f));
  }
};

template <class F> constexpr auto map(F f) { return map_of<F>{{}, std::move(f)}; }

}  // namespace plumbline
