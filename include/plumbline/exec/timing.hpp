#pragma once
/// Is what passes being timed? A traced cursor is compiled twice, for the elements of the sample and for all others;
/// the sink that it is given says which. Below an operator that hands its upstream a sink of its own it is not known,
/// and asked at each element.

#include <plumbline/core/choosing.hpp>
#include <plumbline/core/lineage.hpp>
#include <plumbline/exec/meter.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

enum class timing : unsigned char { no, yes, unknown };

/// A sink that says so.
template <timing When, class F> struct told : F {
  static constexpr timing when = When;
  using F::operator();
};
template <class Sink> inline constexpr timing timing_of = timing::unknown;
template <class Sink>
  requires requires { Sink::when; }
inline constexpr timing timing_of<Sink> = Sink::when;

template <timing When, class F> auto tell_timing(F f) {
  if constexpr (When == timing::unknown)
    return f;
  else
    return told<When, F>{std::move(f)};
}
/// A sink that makes what it is given side by side, and counts it (`counted()`), so that nobody before it need do so:
/// of two counts in one loop the compiler makes two loops.
template <class X> struct filling {
  X* to;
  std::size_t came = 0;
  template <class Y> void operator()(Y&& x, const lineage&) {
    ::new (static_cast<void*>(to + came)) X(std::forward<Y>(x));
    ++came;
  }
  template <class Make> X& emplace(Make&& make, const lineage&) {
    X* made = ::new (static_cast<void*>(to + came)) X(make());
    ++came;
    return *made;
  }
  template <class Y> void maybe(bool is_there, Y&& x, const lineage&) requires written_at_once<X> {
    ::new (static_cast<void*>(to + came)) X(std::forward<Y>(x));
    came += is_there ? 1 : 0;
  }
  std::uint64_t counted() const { return came; }
};
/// A copy of a sink, that says so too: near at hand, its count is kept in a register. The count is written back.
template <timing When, class Sink> struct told_copy : told<When, Sink> {
  Sink& home;
  explicit told_copy(Sink& of) : told<When, Sink>{of}, home(of) {}
  told_copy(const told_copy&) = delete;
  [[gnu::always_inline]] ~told_copy() {
    if constexpr (requires { home.counted(); }) home = static_cast<const Sink&>(*this);
  }
};
template <timing When> bool is_timing(const meter& m) {
  if constexpr (When == timing::unknown) return m.timing();
  return When == timing::yes;
}

/// Up to `most` elements are timed. Of several the first does not count: it finds code and data out of the caches, as
/// the elements of the sample alone do.
struct timed_block {
  timed_block(meter& of, std::uint64_t most) : m(of), n(m.begin_timing(most)) {}
  timed_block(const timed_block&) = delete;
  ~timed_block() { m.end_timing(n, left_out); }
  /// `some(k)` makes k elements; false: that was all.
  template <class F> void run(F&& some) {
    if (n > 8) {
      if (!some(1)) return;
      m.warm();
      left_out = 1;
    }
    some(n - left_out);
  }
  meter& m;
  std::uint64_t n, left_out = 0;
};

/// Pumps a cursor; of its elements those of the sample are timed.
template <class Trace, class Cursor, class Sink>
pulse pump_timed(Cursor& cursor, Sink& sink, std::size_t budget, [[maybe_unused]] meter* watch) {
  if constexpr (Trace::on) {
    constexpr std::size_t borders = 8;  // of an element's way through a serial part, about
    for (;;) {
      auto p = pulse::more;
      if (const auto next = static_cast<std::size_t>(watch->untimed(budget, borders)); next != 0) {
        p = cursor.pump(told_copy<timing::no, Sink>(sink), next);
        if (p != pulse::pending) watch->passed(next);
        if (p != pulse::more || (budget -= next) == 0) return p;
      }
      {
        timed_block block(*watch, budget);
        budget -= static_cast<std::size_t>(block.n);
        block.run([&](std::uint64_t k) {
          p = cursor.pump(told_copy<timing::yes, Sink>(sink), static_cast<std::size_t>(k));
          return p == pulse::more;
        });
      }
      if (p != pulse::more || budget == 0) return p;
    }
  } else {
    return cursor.pump(sink, budget);
  }
}

}  // namespace plumbline::detail
