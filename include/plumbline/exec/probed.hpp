#pragma once
/// Probes around what is not a stage's own loop: cursors of serial parts, kernels and views that are folded into
/// another. They count into the meter of whoever runs them, and where it is timing they say whose time it is.

#include <plumbline/core/kernel.hpp>
#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/meter.hpp>
#include <plumbline/exec/perhaps.hpp>
#include <plumbline/exec/timing.hpp>

#include <utility>

namespace plumbline::detail {

/// Counts an operator's elements, in registers; they are told when it goes.
template <class X> struct tally {
  static constexpr bool plain = std::is_trivially_copyable_v<X>;
  meter& m;
  std::uint32_t id;
  std::uint64_t count = 0, bytes = 0;
  double squares = 0;

  tally(meter& to, std::uint32_t op) : m(to), id(op) {}
  tally(const tally&) = delete;
  [[gnu::always_inline]] ~tally() {  // else the figures would be in memory, for a call that may never come
    if constexpr (plain)
      m.add(id, count, sizeof(X));
    else
      m.add(id, count, bytes, squares);
  }
  void add(const X& x) {
    ++count;
    if constexpr (!plain) {
      const auto b = nbytes(x);
      bytes += b;
      squares += static_cast<double>(b) * static_cast<double>(b);
    }
  }
};
/// Hands an element of operator `id` to the sink, whose time is the caller's.
template <timing When, class F> void probed_yield(meter& m, std::uint32_t id, std::uint32_t caller, F&& sink) {
  if (!is_timing<When>(m)) return sink();
  m.was_timed(id);
  m.to(caller);
  sink();
  m.to(id);
}
/// Runs f as operator `id`; gives it the number of whoever called.
template <timing When, class F> decltype(auto) probed_call(meter& m, std::uint32_t id, F&& f) {
  if (!is_timing<When>(m)) return f(std::uint32_t{0});
  struct back {
    meter& m;
    std::uint32_t caller;
    ~back() { m.to(caller); }
  } restore{m, m.current()};
  m.to(id);
  return f(restore.caller);
}

template <class Cursor> class probed_cursor {
 public:
  using element = typename Cursor::element;
  static constexpr cursor_traits traits = Cursor::traits;

  probed_cursor(Cursor c, std::uint32_t id) : cursor_(std::move(c)), id_(id) {}
  void begin(std::uint64_t epoch) {
    probed_call<timing::unknown>(*meter::here(), id_, [&](auto) { cursor_.begin(epoch); });
  }
  template <class Sink> auto pump(Sink&& sink, std::size_t budget) {
    constexpr timing when = timing_of<std::remove_cvref_t<Sink>>;
    constexpr bool by_cursor = requires { cursor_.given(); }
    , by_sink = requires { sink.counted(); };
    meter& m = *meter::here();
    if constexpr (tally<element>::plain && (by_cursor || by_sink)) {  // somebody counts already
      const auto so_far = [&] {
        if constexpr (by_cursor)
          return cursor_.given();
        else
          return sink.counted();
      };
      struct told_at_end {
        meter& m;
        probed_cursor& of;
        const decltype(so_far)& now;
        std::uint64_t before = now();
        [[gnu::always_inline]] ~told_at_end() { m.add(of.id_, of.given_ = now() - before, sizeof(element)); }
      } all{m, *this, so_far};
      return probed_call<when>(m, id_, [&](std::uint32_t caller) {
        if constexpr (when == timing::no)
          return cursor_.pump(sink, budget);
        else
          return cursor_.pump(tell_timing<when>([&](element&& x, const lineage& at) {
                                probed_yield<when>(m, id_, caller, [&] { sink(std::move(x), at); });
                              }),
                              budget);
      });
    } else {
      tally<element> made(m, id_);
      struct keep {
        std::uint64_t& given;
        const tally<element>& made;
        [[gnu::always_inline]] ~keep() { given = made.count; }
      } kept{given_, made};
      return probed_call<when>(m, id_, [&](std::uint32_t caller) {
        return cursor_.pump(tell_timing<when>([&](element&& x, const lineage& at) {
                              made.add(x);
                              probed_yield<when>(m, id_, caller, [&] { sink(std::move(x), at); });
                            }),
                            budget);
      });
    }
  }
  void leave() { cursor_.leave(); }
  template <class Io> void state(Io& io) { io(cursor_); }
  /// Elements that the last call of pump gave.
  std::uint64_t given() const { return given_; }

 private:
  Cursor cursor_;
  std::uint32_t id_;
  std::uint64_t given_ = 0;
};

/// Whose time a cursor's is, where somebody else counts its elements.
template <class Cursor> class timed_cursor : public Cursor {
 public:
  using element = typename Cursor::element;
  timed_cursor(Cursor c, std::uint32_t id) : Cursor(std::move(c)), id_(id) {}
  template <class Sink> auto pump(Sink&& sink, std::size_t budget) {
    constexpr timing when = timing_of<std::remove_cvref_t<Sink>>;
    meter& m = *meter::here();
    return probed_call<when>(m, id_, [&](std::uint32_t caller) {
      return Cursor::pump(tell_timing<when>([&](element&& x, const lineage& at) {
                            if (is_timing<when>(m)) m.to(caller);
                            sink(std::move(x), at);
                            if (is_timing<when>(m)) m.to(id_);
                          }),
                          budget);
    });
  }

 private:
  std::uint32_t id_;
};

/// Counts one element, and hands it on.
template <class X, class F> void probed_single(meter& m, std::uint32_t id, std::uint32_t caller, const X& x, F&& sink) {
  if (const auto* own = made_here(x)) {
    tally<std::remove_cvref_t<decltype(*own)>>(m, id).add(*own);
    return probed_yield<timing::unknown>(m, id, caller, sink);
  }
  sink();
}

/// Only kernels that make one of one are folded.
template <class Kernel> struct probed_kernel : Kernel {
  explicit probed_kernel(Kernel k) : Kernel(std::move(k)) {}
  template <class In>
  typename Kernel::template output<In> transform(In&& x, const lineage& at, const position_context& where) const {
    meter& m = *meter::here();
    return probed_call<timing::unknown>(m, this->id, [&](std::uint32_t) -> typename Kernel::template output<In> {
      auto y = Kernel::transform(std::move(x), at, where);
      if constexpr (Kernel::yields)
        if (const auto* own = made_here(y)) {
          tally<std::remove_cvref_t<decltype(*own)>>(m, this->id).add(*own);
          if (is_timing<timing::unknown>(m)) m.was_timed(this->id);
        }
      return y;
    });
  }
};

template <class View> struct probed_view : View {
  explicit probed_view(View v) : View(std::move(v)) {}
  template <class Sink> void get(place p, Sink&& sink) const {
    meter& m = *meter::here();
    probed_call<timing::unknown>(m, this->id(), [&](std::uint32_t caller) {
      View::get(p, [&](auto&& x, const lineage& at) {
        probed_single(m, this->id(), caller, x, [&] { sink(std::forward<decltype(x)>(x), at); });
      });
    });
  }
};

/// What a traced run puts there instead.
template <class Trace, template <class> class Probed, class T, class... Id> auto probed_if(T x, Id... id) {
  if constexpr (Trace::on)
    return Probed<T>(std::move(x), id...);
  else
    return x;
}

}  // namespace plumbline::detail
