#pragma once
/// Sinks that are told whether an element is there: `sink.maybe(is_there, x, ...)` beside `sink(x, ...)`. Where plain
/// values are put side by side, one that is not there is written and then overwritten: no branch, so none is guessed
/// wrong, and the loop is as fast whichever elements a filter keeps.

#include <cstddef>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// May what is not there be written as well? What is large takes the branch.
template <class X> inline constexpr bool written_at_once = std::is_trivial_v<X> && sizeof(X) <= 16;

/// Does a sink take these so?
template <class Sink, class... A>
concept chooses = requires(Sink& s, A... a) {
  s.maybe(true, std::forward<A>(a)...);
};

}  // namespace plumbline::detail
