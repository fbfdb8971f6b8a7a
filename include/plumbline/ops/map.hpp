#pragma once
/// map(f): applies f to every element. f is called from several threads at once, so it must be callable as const; order
/// is kept. If f needs a `plumbline::rng&` besides the element, it is random: the generator belongs to the element
/// (seed, epoch, lineage, operator), so the result is the same on any machine and for any number of threads. An f that
/// can be called without one is not random, even if it would accept one (std::bind, `[](auto&&...)`).
///   files("*.jpg") | read_file() | map(decode()) | map(random_flip())
/// tf.data: map, PyTorch: torchdata.nodes.ParallelMapper, grain: map, mlx-data: key_transform, sample_transform

#include <plumbline/core/blocking_function.hpp>
#include <plumbline/core/callable.hpp>
#include <plumbline/core/chain.hpp>
#include <plumbline/core/op_name.hpp>
#include <plumbline/core/type_name.hpp>
#include <plumbline/core/wanted.hpp>
#include <plumbline/data/self_contained.hpp>

#include <functional>

namespace plumbline {

namespace detail {
/// The compiler's message shows its template arguments.
template <class Wanted, class Given, bool ok> consteval void map_wanted_and_given() {
  static_assert(
      ok,
      "plumbline: map(f) cannot call f with this stream's element, see Wanted and Given in this message; change "
      "f's parameter, or convert with a map before it");
}

/// What f returns for an element and, below, whether that is acceptable.
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
/// True if F is a plain function that returns a function which could be called with the element.
template <class F, class In> inline constexpr bool makes_function_for = false;
template <class R, class... A, class In>
inline constexpr bool makes_function_for<R (*)(A...), In> = plain_function<R, In> || random_function<R, In>;

template <class R, class In>
concept outlived_by = is_view<std::remove_cvref_t<R>> && !std::is_trivially_copyable_v<In>;
template <class R, class In>
concept maps_to = an_element<R> && !outlived_by<R, In>;
}  // namespace detail

template <class F, bool Random, bool Blocking = false> struct map_op : op_base, has_given_name {
  static constexpr std::string_view name = "map";
  static constexpr bool order_free = true, blocking = Blocking;
  [[no_unique_address]] F f;

  constexpr explicit map_op(F fn, op_name name_given = {}) : has_given_name{name_given}, f(std::move(fn)) {}

  /// How explain() shows the operator.
  std::string label() const { return label_with(name, function_name<F>()); }

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
  /// True if the element is destroyed before the result of f is passed on. The stage's next function then reuses its
  /// memory while it is still in the core's cache.
  template <class In>
  static constexpr bool ends_here = self_contained<In>&& self_contained<output<In>> &&
                                    !std::is_trivially_copyable_v<In> && std::is_nothrow_move_constructible_v<In>;
  template <class In> static constexpr bool never_throws = std::is_nothrow_invocable_r_v<output<In>, const F&, In>;
};

/// map(f) before its upstream is known: whether f is random depends on the element.
template <class F, bool Blocking = false> struct map_of : op_base, nameable<map_of<F, Blocking>> {
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
          "keep no state in f: number the elements with enumerate(), or draw from an rng& as a second parameter");
    else if constexpr (std::invocable<const F&, In&> || std::invocable<const F&, In&, rng&>)
      static_assert(ok,
                    "plumbline: map(f) moves each element into f, and f takes a reference that it could change; take "
                    "the element by value or by const reference");
    else
      detail::map_wanted_and_given<detail::wanted_by<F>, In, ok>();
  }
  template <class Up> constexpr auto resolve() && {
    return map_op<F, detail::random_function<F, typename Up::element>, Blocking>(std::move(f), this->given);
  }

 private:
  template <class R, class In, bool ok = detail::maps_to<R, In>> static consteval void refuse() {
    if constexpr (std::is_void_v<R>)
      static_assert(ok, "plumbline: map(f): f returns nothing; return the element, changed or not");
    else if constexpr (pipeline<R>)
      static_assert(ok, "plumbline: map(f): f returns a stream, not an element; use flat_map(f) or interleave(f)");
    else if constexpr (rejected<R>)
      return;  // the mistake is within f, and was reported there
    else if constexpr (!std::move_constructible<std::remove_cvref_t<R>>)
      static_assert(ok,
                    "plumbline: map(f): f returns something that cannot be moved, and elements are passed on; hold it "
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

template <class F> constexpr auto map(F f) { return map_of<F>{{}, {}, std::move(f)}; }
template <class F> constexpr auto map(blocking_function<F> waits) {
  return map_of<F, true>{{}, {}, std::move(waits.f)};
}

}  // namespace plumbline
