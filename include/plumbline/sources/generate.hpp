#pragma once
/// generate(f), generate(n, f): whatever f makes.
///   f(i) -> T            element i, by number: indexed, called from several threads (f is const-callable).
///                        generate(f) is endless, generate(n, f) has n elements.
///   f() -> optional<T>   one after another, from one thread, until it gives nothing. f is copied for every epoch, so
///   each begins
///                        with f's first state.
///   generate([n = 0]() mutable -> std::optional<int> { return n < 3 ? std::optional(n++) : std::nullopt; })

#include <plumbline/core/chain.hpp>

#include <functional>
#include <optional>

namespace plumbline {

namespace detail {
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
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
  element at(std::uint64_t i) const { return std::invoke(f, i); }
};

template <class F> struct generate_serial_source : source_base {
  using element = typename std::remove_cvref_t<std::invoke_result_t<F&>>::value_type;
  static constexpr std::string_view name = "generate";
  F f;

  static constexpr stream_facts type_facts{};
  constexpr stream_facts facts() const { return {}; }
  struct reader {
    F f;
    auto next() { return std::invoke(f); }
  };
  reader open(std::uint64_t) const { return {f}; }
};

template <class F> constexpr auto generate(F f) {
  if constexpr (std::invocable<const F&, std::uint64_t>) {
    return from(generate_source<F, true>{{}, unbounded, std::move(f)});
  } else {
    static_assert(std::invocable<F&>, "plumbline: generate(f): f takes the element's number, or nothing");
    static_assert(detail::is_optional<std::remove_cvref_t<std::invoke_result_t<F&>>>,
                  "plumbline: generate(f): f() must return std::optional, empty at the end");
    static_assert(std::copy_constructible<F>,
                  "plumbline: generate(f): f is copied for every epoch, so it must be copyable; hold what it "
                  "owns in shared_ptr");
    return from(generate_serial_source<F>{{}, std::move(f)});
  }
}
template <class F> constexpr auto generate(std::uint64_t n, F f) {
  static_assert(std::invocable<const F&, std::uint64_t>,
                "plumbline: generate(n, f): f takes the element's number and is const-callable");
  return from(generate_source<F, false>{{}, n, std::move(f)});
}

}  // namespace plumbline
