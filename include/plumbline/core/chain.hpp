#pragma once
/// operator|: a stream piped into an operator gives a pipeline, a `node`; operators alone give a `composition`. A pipe
/// that an operator does not accept yields `ill_formed`, which suppresses later errors: one mistake is one error.

#include <plumbline/core/composition.hpp>
#include <plumbline/core/ill_formed.hpp>
#include <plumbline/core/mistake.hpp>
#include <plumbline/core/node.hpp>
#include <plumbline/core/size.hpp>
#include <plumbline/core/uncalled.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumbline {

/// upstream | operator, and operator | operator. Viable for any type on the other side, so that a mistake is one
/// readable error. An operator whose `accepts<Up>` is false explains why in `explain<Up>()`, with one static_assert.
template <class Left, class Right>
  requires(pipeline<Left> || rejected<Left> || operation<Left> || operation<Right>)
constexpr auto operator|(Left&& left, Right&& right) {
  using Up = std::remove_cvref_t<Left>;
  using Op = std::remove_cvref_t<Right>;
  constexpr bool composes = operation<Up> && operation<Op>;
  if constexpr (rejected<Up> || rejected<Op>) {
    return ill_formed{};
  } else if constexpr (!composes && detail::pipe<Up, Op>::found) {
    using wrong = detail::pipe<Up, Op>;
    if constexpr (wrong::in_kernel)
      detail::explain_kernel<typename wrong::op, typename wrong::up, typename wrong::where>();
    else
      wrong::explain();
    return ill_formed{};
  } else if constexpr (!std::constructible_from<Up, Left> || !std::constructible_from<Op, Right>) {
    static_assert(detail::no<Op>,
                  "plumbline: | copies what has a name, and a function or source in it cannot be copied (a lambda that "
                  "holds a unique_ptr?); pass it with std::move, or hold it in shared_ptr");
    return ill_formed{};
  } else if constexpr (composes) {
    return std::apply([](auto&&... op) { return composition(std::move(op)...); },
                      std::tuple_cat(detail::operators_of<Up>(std::forward<Left>(left)),
                                     detail::operators_of<Op>(std::forward<Right>(right))));
  } else if constexpr (detail::is_composition<Op>) {
    return std::apply([&](auto&&... op) { return (std::forward<Left>(left) | ... | std::move(op)); },
                      detail::operators_of<Op>(std::forward<Right>(right)));
  } else {
    if constexpr (!detail::resolves<Op, Up>) detail::explain_kernel<Op, Up, detail::alone>();  // checks what it emits
    auto op = detail::resolved<Up>(Op(std::forward<Right>(right)));
    return node<decltype(op), Up>(std::move(op), std::forward<Left>(left));
  }
}

}  // namespace plumbline
