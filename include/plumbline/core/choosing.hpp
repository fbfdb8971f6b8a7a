#pragma once
/// Sinks that take a flag for whether the element is present: `sink.maybe(is_there, x, ...)` besides `sink(x, ...)`.
/// Where plain values are stored contiguously, an absent one is written and then overwritten. So there is no branch to
/// mispredict, and the loop is equally fast whichever elements a filter keeps.

#include <cstddef>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// True if an absent element may be written too. Large elements take the branch.
template <class X> inline constexpr bool written_at_once = std::is_trivial_v<X> && sizeof(X) <= 16;

/// The sink has maybe() for these arguments.
template <class Sink, class... A>
concept chooses = requires(Sink& s, A... a) {
  s.maybe(true, std::forward<A>(a)...);
};

}  // namespace plumbline::detail
