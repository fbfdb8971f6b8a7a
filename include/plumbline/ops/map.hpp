#pragma once
/// map(f): f of every element. f is called from several threads at once, so it must be callable as const; order is
/// kept. If f needs a `plumbline::rng&` beside the element, it is random: the generator belongs to the element (seed,
/// epoch, lineage, operator), so the result is the same on any machine and for any number of threads. An f that can do
/// without is not random, even if it would take one (std::bind, `[](auto&&...)`).
///   files("*.jpg") | read_file() | map(decode()) | map(random_flip())

#include <plumbline/core/callable.hpp>
#include <plumbline/core/chain.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/core/wanted.hpp>
#include <plumbline/data/self_contained.hpp>

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
/// The generator's parameter must be told by its type: `[](auto a, auto b)` wants something else than (element, rng&).
template <class F, class In>
concept random_function = !plain_function<F, In> && !second_of_any_type<F, In> && std::invocable<const F&, In, rng&>;

/// What f returns for an element, and that nothing is wrong with it.
template <class F, class In> struct returned_by;
template <class F, class In>
  requires plain_function<F, In>
struct returned_by<F, In> : std::invoke_result<const F&, In> {
};
template <class F, class In>
  requires random_function<F, In>
struct returned_by<F, In> : std::invoke_result<const F&, In, rng&> {
};
template <class R>
concept an_element =
    !std::is_void_v<R> && !pipeline<R> && !rejected<R> && std::move_constructible<std::remove_cvref_t<R>> &&
    std::constructible_from<std::remove_cvref_t<R>, R>;
/// A plain function that returns what could be called with the element.
template <class F, class In> inline constexpr bool makes_function_for = false;
template <class R, class... A, class In>
inline constexpr bool makes_function_for<R (*)(A...), In> = plain_function<R, In> || random_function<R, In>;

template <class R, class In>
concept outlived_by = is_view<std::remove_cvref_t<R>> && !std::is_trivially_copyable_v<In>;
template <class R, class In>
concept maps_to = an_element<R> && !outlived_by<R, In>;
}  // namespace detail

template <class F, bool Random> struct map_op : op_base {
  static constexpr std::string_view name = "map";
  static constexpr bool order_free = true;
  [[no_unique_address]] F f;

  constexpr explicit map_op(F fn) : f(std::move(fn)) {}

  /// As explain() prints it.
  std::string label() const { return std::string(name) + "(" + function_name<F>() + ")"; }

  // Kernel
  using context = std::conditional_t<Random, random_context, no_context>;
  template <class In>
  constexpr auto transform(const context& cx, In&& x) const noexcept(never_throws<In>)
      -> std::remove_cvref_t<typename detail::returned_by<F, In>::type> {
    if constexpr (ends_here<In>) {
      In last(std::move(x));
      return call(cx, std::move(last));
    } else {
      return call(cx, std::move(x));
    }
  }

 private:
  template <class In> using output = std::remove_cvref_t<typename detail::returned_by<F, In>::type>;
  template <class In> constexpr decltype(auto) call(const context& cx, In&& x) const {
    if constexpr (Random) {
      rng r = cx.make_rng();
      return std::invoke(f, std::forward<In>(x), r);
    } else {
      return std::invoke(f, std::forward<In>(x));
    }
  }
  /// Is the element destroyed before what f made of it is handed on? Its memory then serves the next function of the
  /// stage while the core's cache still has it.
  template <class In>
  static constexpr bool ends_here = self_contained<In>&& self_contained<output<In>> &&
                                    !std::is_trivially_copyable_v<In> && std::is_nothrow_move_constructible_v<In>;
  template <class In> static constexpr bool never_throws = std::is_nothrow_invocable_r_v<output<In>, const F&, In>;
};

/// What map(f) is before it knows its upstream: whether f is random depends on what it is given.
template <class F> struct map_of : op_base {
  static constexpr std::string_view name = "map";
  [[no_unique_address]] F f;

  template <class Up> static constexpr bool accepts = requires {
    requires detail::maps_to < typename detail::returned_by<F, typename Up::element>::type,
    typename Up::element > ;
  };
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (requires { typename detail::returned_by<F, In>::type; })
      refuse<typename detail::returned_by<F, In>::type, In>();
    else if constexpr (detail::makes_function_for<F, In>)
      static_assert(ok,
                    "plumbline: map(f) calls f with each element, and this f makes such a function; call it first: "
                    "map(decode()) instead of map(decode)");
    else if constexpr (detail::second_of_any_type<F, In> && !detail::is_tuple<In>)
      static_assert(ok,
                    "plumbline: map(f) hands f one element, and f takes two of any type; take one, or, to be random, "
                    "name the second's type: plumbline::rng&");
    else if constexpr (detail::second_of_any_type<F, In> || detail::takes_parts_of<F, In>)
      static_assert(ok,
                    "plumbline: map(f) hands f one element, which is one tuple here, and f takes its parts; take it "
                    "whole and unpack it: [](auto t) { auto& [a, b] = t; ... }");
    else if constexpr (std::invocable<F&, In> || std::invocable<F&, In, rng&>)
      static_assert(
          ok,
          "plumbline: map(f) calls f from several threads, and f changes itself when called (a mutable lambda?); "
          "keep no state in f: number the elements with enumerate(), draw from an rng& beside the element");
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
  template <class R, class In, bool ok = detail::maps_to<R, In>> static consteval void refuse() {
    if constexpr (std::is_void_v<R>)
      static_assert(ok, "plumbline: map(f): f returns nothing; return the element, changed or not");
    else if constexpr (pipeline<R>)
      static_assert(ok, "plumbline: map(f): f returns a stream, not an element; use flat_map(f) or interleave(f)");
    else if constexpr (rejected<R>)
      return;  // the mistake is within f, and has been told there
    else if constexpr (!std::move_constructible<std::remove_cvref_t<R>>)
      static_assert(ok,
                    "plumbline: map(f): f returns something that cannot be moved, and elements are handed on; hold it "
                    "in unique_ptr or shared_ptr");
    else if constexpr (!detail::an_element<R>)
      static_assert(ok,
                    "plumbline: map(f): f returns a reference to something that cannot be copied; return it by value");
    else
      static_assert(ok,
                    "plumbline: map(f): f returns a view, and the element that it may look into is gone when f "
                    "returns; return an owning value, for example std::string");
  }
};

template <class F> constexpr auto map(F f) { return map_of<F>{{}, std::move(f)}; }

}  // namespace plumbline
