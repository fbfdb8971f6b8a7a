#pragma once
/// map(f): f of every element. f is called from several threads at once, so it must be callable as const; order is
/// kept. If f also takes a `plumbline::rng&`, it is random: the generator belongs to the element (seed, epoch, lineage,
/// operator), so the result is the same on any machine and for any number of threads.
///   files("*.jpg") | read_file() | map(decode()) | map(random_flip())

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/core/wanted.hpp>

#include <functional>

namespace plumbline {

namespace detail {
/// Its template arguments are read in the compiler's message.
template <class Wanted, class Given, bool ok> consteval void map_function_wants() {
  static_assert(
      ok,
      "plumbline: map(f) cannot call f with this stream's element, see Wanted and Given in this message; change "
      "f's parameter, or convert with a map before it");
}

template <class F, class In>
concept plain_function = std::invocable<const F&, In>;
template <class F, class In>
concept random_function = std::invocable<const F&, In, rng&>;
template <class R> inline constexpr bool makes_element = !std::is_void_v<R> && !pipeline<R> && !rejected<R>;
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

  /// As explain() prints it.
  std::string label() const { return std::string(name) + "(" + function_name<F>() + ")"; }

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
      return detail::makes_element<std::invoke_result_t<const F&, In, rng&>>;
    else if constexpr (detail::plain_function<F, In>)
      return detail::makes_element<std::invoke_result_t<const F&, In>>;
    else
      return false;
  }();
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (detail::random_function<F, In>)
      refuse<std::invoke_result_t<const F&, In, rng&>>();
    else if constexpr (detail::plain_function<F, In>)
      refuse<std::invoke_result_t<const F&, In>>();
    else if constexpr (std::invocable<F&, In> || std::invocable<F&, In, rng&>)
      static_assert(
          ok,
          "plumbline: map(f) calls f from several threads, and f changes itself when called (a mutable lambda?); "
          "keep no state in f, or use scan for a serial fold");
    else if constexpr (std::invocable<const F&, In&> || std::invocable<const F&, In&, rng&>)
      static_assert(
          ok,
          "plumbline: map(f) hands each element over to f, and f takes a reference that it could change; take "
          "the element by value or by const reference");
    else
      detail::map_function_wants<detail::wanted_by<F>, In, ok>();
  }
  template <class Up> constexpr auto resolve() && {
    return map_op<F, detail::random_function<F, typename Up::element>>(std::move(f));
  }

 private:
  template <class R, bool ok = detail::makes_element<R>> static consteval void refuse() {
    if constexpr (std::is_void_v<R>)
      static_assert(ok, "plumbline: map(f): f returns nothing; return the element, changed or not");
    else if constexpr (pipeline<R>)
      static_assert(ok, "plumbline: map(f): f returns a stream, not an element; use flat_map(f) or interleave(f)");
  }
};

template <class F> constexpr auto map(F f) { return map_of<F>{{}, std::move(f)}; }

}  // namespace plumbline
