#pragma once
/// uncalled: lets `| batch`, an operator that was named but not called, be one error that says what to write. A
/// function with several overloads, or a function template, has no type to deduce; each such function has an overload
/// with this signature, which the operator| below selects.

#include <plumbline/core/ill_formed.hpp>
#include <plumbline/core/operation.hpp>

namespace plumbline {

namespace detail {
struct uncalled {};
using uncalled_function = uncalled(uncalled);
}  // namespace detail

template <class Left>
  requires(pipeline<Left> || rejected<Left> || operation<Left>)
constexpr auto operator|(const Left&, detail::uncalled_function*) {
  constexpr bool called = rejected<Left>;  // else the mistake was reported before
  static_assert(called,
                "plumbline: | has an operator to its right that is not called; write its arguments, for example "
                "batch(32), or empty parentheses");
  return ill_formed{};
}

}  // namespace plumbline
