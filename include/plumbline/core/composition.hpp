#pragma once
/// composition: operators piped together without a source, `auto augment = map(crop) | map(flip);`. Piped behind a
/// source it gives the same type as the chain written out.

#include <plumbline/core/operation.hpp>

#include <tuple>
#include <utility>

namespace plumbline {

template <operation... Ops> struct composition : op_base {
  [[no_unique_address]] std::tuple<Ops...> ops;
  constexpr explicit composition(Ops... o) : ops(std::move(o)...) {}
};

namespace detail {
template <class Op> inline constexpr bool is_composition = false;
template <class... Ops> inline constexpr bool is_composition<composition<Ops...>> = true;
/// The operators of a composition; for a single operator, that one.
template <class Op> constexpr auto operators_of(Op op) {
  if constexpr (is_composition<Op>)
    return std::move(op.ops);
  else
    return std::tuple<Op>(std::move(op));
}
}  // namespace detail

}  // namespace plumbline
