#pragma once
/// flat_map(f): f makes a range (a vector, say) from each element, and its parts replace the element; in parallel, like
/// map. An element's parts are all made before the first is passed on. If f makes a stream, its elements replace the
/// element, one stream after another, and only a bounded number of them is ever held: for long expansions.
///   lines("*.txt") | flat_map(words)   // std::vector<std::string> words(const std::string&)
/// tf.data: flat_map, PyTorch: a generator in an IterableDataset, grain: FlatMapIterDataset, mlx-data: -

#include <plumbline/core/blocking_function.hpp>
#include <plumbline/ops/interleave.hpp>

#include <iterator>

namespace plumbline {

namespace detail {
template <class F, class In>
concept makes_range = std::invocable<const F&, In> && !pipeline<made_by<F, In>> && !rejected<made_by<F, In>> &&
                      !operation<made_by<F, In>> && requires(made_by<F, In> & r) {
  std::begin(r);
  std::end(r);
};

/// A range whose end is never reached, like std::views::iota(0).
template <class F, class In>
concept makes_endless_range = makes_range<F, In> &&
    std::same_as<std::remove_cvref_t<decltype(std::end(std::declval<made_by<F, In>&>()))>, std::unreachable_sentinel_t>;
/// The compiler's message shows the template arguments of these functions.
template <class Wanted, class Given, bool ok> consteval void flat_map_wanted_and_given() {
  static_assert(
      ok,
      "plumbline: flat_map(f) cannot call f with this stream's element, see Wanted and Given in this message; "
      "change f's parameter, or convert with a map before it");
}
template <class Returned, bool ok> consteval void flat_map_function_returns() {
  static_assert(
      ok,
      "plumbline: flat_map(f): f must make a stream or a range of each element, see Returned in this message; "
      "return a source or a vector");
}

/// True for a container, false for a view: a const container has const elements.
template <class R>
inline constexpr bool owns_elements = [] {
  if constexpr (requires(const R& r) { *std::begin(r); })
    return !std::same_as<decltype(*std::begin(std::declval<R&>())), decltype(*std::begin(std::declval<const R&>()))>;
  else
    return false;
}();
/// What an iterator's elements are as values: bool, where it gives references to bits.
template <class I> struct value_at { using type = std::remove_cvref_t<decltype(*std::declval<I&>())>; };
template <class I>
  requires requires { typename std::iter_value_t<I>; }
struct value_at<I> {
  using type = std::iter_value_t<I>;
};
}  // namespace detail

/// flat_map whose function makes a range: an element kernel.
template <class F, bool Blocking = false> struct flat_map_op : op_base, has_given_name {
  static constexpr std::string_view name = "flat_map";
  static constexpr bool order_free = true, blocking = Blocking;
  [[no_unique_address]] F f;

  template <class In>
  using output = typename detail::value_at<
      std::remove_cvref_t<decltype(std::begin(std::declval<detail::made_by<F, In>&>()))>>::type;

  template <class In> constexpr auto all_parts(In&& x) const requires(detail::owns_elements<detail::made_by<F, In>>) {
    return std::invoke(f, std::move(x));
  }
  template <class In> constexpr void expand(const no_context&, In&& x, auto&& emit) const {
    using out = output<In>;
    auto made = std::invoke(f, std::move(x));
    bool wanted = true;
    auto i = std::begin(made);
    for (auto end = std::end(made); wanted && i != end; ++i)
      if constexpr (detail::owns_elements<decltype(made)>)
        wanted = emit(out(std::move(*i)));
      else
        wanted = emit(out(*i));
  }
};

/// flat_map before its upstream is known.
template <class F, bool Blocking = false> struct flat_map_of : op_base, nameable<flat_map_of<F, Blocking>> {
  static constexpr std::string_view name = "flat_map";
  [[no_unique_address]] F f;

  template <class Up>
  static constexpr bool accepts = (detail::makes_stream<F, typename Up::element> && !Blocking) ||
                                  (detail::makes_range<F, typename Up::element> &&
                                   !detail::makes_endless_range<F, typename Up::element>);
  template <class Up, bool ok = accepts<Up>> static consteval void explain() {
    using In = typename Up::element;
    if constexpr (std::invocable<const F&, In>) {
      using made = detail::made_by<F, In>;
      if constexpr (detail::makes_endless_range<F, In>)
        static_assert(ok,
                      "plumbline: flat_map(f): f makes a range without an end, and all of it would be made at once; "
                      "return a stream, for example generate(g), or cut the range");
      else if constexpr (detail::persists_in<made>)
        detail::shares_a_folder<made, ok>();
      else if constexpr (pipeline<made>)
        static_assert(ok,
                      "plumbline: flat_map(blocking(f)): f makes a stream, and what waits is that stream: use blocking "
                      "in it, or return a vector");
      else if constexpr (!rejected<made>)  // else the mistake is within f, and was reported there
        detail::flat_map_function_returns<made, ok>();
    } else if constexpr (std::invocable<F&, In>) {
      static_assert(ok,
                    "plumbline: flat_map(f) calls f from several threads, and f changes itself when called (a mutable "
                    "lambda?); keep no state in f");
    } else {
      detail::flat_map_wanted_and_given<detail::wanted_by<F>, In, ok>();
    }
  }
  template <class Up> constexpr auto resolve() && {
    using In = typename Up::element;
    if constexpr (detail::makes_stream<F, In>)
      return interleave_op<F, In, true>{{}, {this->given}, std::move(f), {1, unbounded}};
    else
      return flat_map_op<F, Blocking>{{}, {this->given}, std::move(f)};
  }
};

template <class F> constexpr auto flat_map(F f) { return flat_map_of<F>{{}, {}, std::move(f)}; }
template <class F> constexpr auto flat_map(blocking_function<F> waits) {
  return flat_map_of<F, true>{{}, {}, std::move(waits.f)};
}

}  // namespace plumbline
