#pragma once
/// generate(f), generate(n, f): whatever f makes.
///   f(i) -> T            element i, by index: indexed, called from several threads (f is const-callable).
///                        generate(f) is endless, generate(n, f) has n elements.
///   f() -> optional<T>   one after another, from one thread, until it returns nothing. f is copied for every epoch, so
///                        each begins with f's first state.
///   generate([n = 0]() mutable -> std::optional<int> { return n < 3 ? std::optional(n++) : std::nullopt; })
/// tf.data: from_generator, PyTorch: IterableDataset, grain: RandomAccessDataSource, mlx-data: stream_python_iterable

#include <plumbline/core/chain.hpp>

#include <functional>
#include <optional>

namespace plumbline {

namespace detail {
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;

/// True if f makes an element by its index. If not, the compiler reports why.
template <class F> consteval bool generate_by_number() {
  constexpr bool parallel = std::invocable<const F&, std::uint64_t>;
  if constexpr (parallel) {
    using made = std::invoke_result_t<const F&, std::uint64_t>;
    constexpr bool something = !std::is_void_v<made>;
    constexpr bool movable =
        std::move_constructible<std::remove_cvref_t<made>> && std::constructible_from<std::remove_cvref_t<made>, made>;
    static_assert(something, "plumbline: generate(f): f returns nothing; return the element");
    static_assert(
        movable || !something,
        "plumbline: generate(f): f returns something that cannot be moved, and elements are passed on; return "
        "it by value, or hold it in unique_ptr or shared_ptr");
    return something && movable;
  } else {
    constexpr bool stateless = !std::invocable<F&, std::uint64_t>;
    static_assert(stateless,
                  "plumbline: generate(f) calls f from several threads, and f changes itself when called (a mutable "
                  "lambda?); keep no state in f, or take nothing and return std::optional");
    static_assert(parallel || !stateless, "plumbline: generate(n, f) cannot call f; f takes the element's index");
    return false;
  }
}
/// True if f makes one element after another. If not, the compiler reports why.
template <class F> consteval bool generate_in_turn() {
  constexpr bool callable = std::invocable<F&>, copyable = std::copy_constructible<F>;
  static_assert(callable,
                "plumbline: generate(f) cannot call f; f takes the element's index, or nothing and returns "
                "std::optional");
  if constexpr (callable) {
    constexpr bool ends = is_optional<std::remove_cvref_t<std::invoke_result_t<F&>>>;
    static_assert(ends,
                  "plumbline: generate(f) cannot see where f ends; f() must return std::optional, empty at the end, or "
                  "take the element's index");
    static_assert(copyable || !ends,
                  "plumbline: generate(f) copies f for every epoch, and f cannot be copied; hold what it owns in "
                  "shared_ptr");
    if constexpr (ends) {
      constexpr bool movable = std::move_constructible<std::remove_cvref_t<std::invoke_result_t<F&>>>;
      static_assert(
          movable || !copyable,
          "plumbline: generate(f): f returns something that cannot be moved, and elements are passed on; hold "
          "it in unique_ptr or shared_ptr");
      return copyable && movable;
    }
    return false;
  } else {
    return false;
  }
}
}  // namespace detail

template <class F, bool Endless> struct generate_source : source_base {
  using element = std::remove_cvref_t<std::invoke_result_t<const F&, std::uint64_t>>;
  static constexpr std::string_view name = "generate";
  std::uint64_t n;
  F f;

  static constexpr stream_facts type_facts{.count = Endless ? cardinality::forever() : cardinality::unknown(),
                                           .indexed = true};
  constexpr stream_facts facts() const {
    return {.count = Endless ? cardinality::forever() : cardinality::exactly(n), .indexed = true};
  }
  constexpr std::uint64_t size() const { return n; }
  constexpr element at(std::uint64_t i) const { return std::invoke(f, i); }
};

template <class F> struct generate_serial_source : source_base {
  using element = typename std::remove_cvref_t<std::invoke_result_t<F&>>::value_type;
  static constexpr std::string_view name = "generate";
  F f;

  static constexpr stream_facts type_facts{};
  constexpr stream_facts facts() const { return {}; }
  struct reader {
    F f;
    constexpr auto next() { return std::invoke(f); }
  };
  constexpr reader open(std::uint64_t) const { return {f}; }
};

template <class F> constexpr auto generate(F f) {
  if constexpr (std::invocable<F&, std::uint64_t>) {
    if constexpr (detail::generate_by_number<F>())
      return from(generate_source<F, true>{{}, unbounded, std::move(f)});
    else
      return ill_formed{};
  } else if constexpr (!detail::generate_in_turn<F>()) {
    return ill_formed{};
  } else {
    return from(generate_serial_source<F>{{}, std::move(f)});
  }
}
template <class F> constexpr auto generate(std::uint64_t n, F f) {
  if constexpr (detail::generate_by_number<F>())
    return from(generate_source<F, false>{{}, n, std::move(f)});
  else
    return ill_formed{};
}
template <class F> constexpr auto generate(std::signed_integral auto n, F f) {
  return generate(detail::count_from("generate", n), std::move(f));
}

}  // namespace plumbline
