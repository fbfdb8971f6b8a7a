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

/// An operator's choice, as its sink likes it.
template <class Sink, class... A> constexpr void emit_if(bool is_there, Sink&& sink, A&&... a) {
  if constexpr (chooses<Sink, A...>)
    sink.maybe(is_there, std::forward<A>(a)...);
  else if (is_there)
    sink(std::forward<A>(a)...);
}

template <class F, class M> struct choosing_sink : F {
  M take;
  template <class... A> constexpr void maybe(bool is_there, A&&... a) const { take(is_there, std::forward<A>(a)...); }
};
/// `f`; where it is `Possible`, one that chooses, by `m(is_there, ...)`.
template <bool Possible, class F, class M>
[[gnu::always_inline]] constexpr auto choosing(const F& f, [[maybe_unused]] const M& m) {
  if constexpr (Possible)
    return choosing_sink<F, M>{f, m};
  else
    return f;
}

}  // namespace plumbline::detail
