#pragma once
/// tell: what was thrown while a pipeline ran, in words: operator, element, source.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/core/failure.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>

namespace plumbline::detail {

/// The source that an element came from, as far as words need it.
struct origin {
  std::string_view source;
  std::string what;  ///< "photos/x.jpg", where the source can tell
};
template <class P> void find_origin(const P& p, std::uint32_t& next, const lineage& at, origin& found) {
  if constexpr (std::tuple_size_v<decltype(p.ups)> == 0) {
    if (next++ != at.origin) return;
    found.source = p.op.name;
    if constexpr (requires { p.op.describe(at.index); }) found.what = p.op.describe(at.index);
  } else {
    std::apply([&](const auto&... up) { (find_origin(up, next, at, found), ...); }, p.ups);
  }
}

/// Operator `number`'s number in the pipeline as it was written; what a plan added has that of the one before it.
template <class P> constexpr void count_written(std::uint32_t number, std::uint32_t& here, std::uint32_t& written) {
  [&]<class Op, class... Ups>(std::type_identity<node<Op, Ups...>>) {
    (count_written<Ups>(number, here, written), ...);
    if (++here <= number && !requires { Op::is_added; }) ++written;
  }(std::type_identity<P>{});
}
template <class P> constexpr std::uint32_t number_as_written(std::uint32_t number) {
  std::uint32_t here = 0, written = 0;
  count_written<P>(number, here, written);
  return written;
}

/// Throws what was thrown in words: "plumbline: map (operator 3 of 4) failed at element 17 of files (photos/x.jpg),
/// epoch 0: why". One for all pipelines; `origin_of` and `as_written` know this one.
[[noreturn]] void tell(const std::exception_ptr& error, std::size_t operators,
                       std::uint32_t (*as_written)(std::uint32_t),
                       const std::function<origin(const lineage&)>& origin_of);
template <class P> [[noreturn]] void tell(const P& p, const std::exception_ptr& error) {
  tell(error, number_as_written<P>(operators_in<P>), &number_as_written<P>, [&p](const lineage& at) {
    origin found;
    std::uint32_t next = 0;
    find_origin(p, next, at, found);
    return found;
  });
}

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/tell_inl.hpp>
#endif
