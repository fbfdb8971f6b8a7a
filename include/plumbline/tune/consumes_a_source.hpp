#pragma once
/// consumes_a_source: true if a pipeline has a source that a second stream would find empty. (A cache belongs to one
/// stream.)

#include <plumbline/core/node.hpp>

namespace plumbline::detail {

template <class P> inline constexpr bool consumes_a_source = false;
template <class Op, class... Ups>
inline constexpr bool consumes_a_source<node<Op, Ups...>> = node<Op, Ups...>::type_facts.one_pass ||
                                                            (consumes_a_source<Ups> || ...);

}  // namespace plumbline::detail
