#pragma once
/// Probes around what is not a stage's own loop: cursors of serial parts, kernels and views that are folded into
/// another. They count into the meter of whoever runs them, and where it is timing they say whose time it is.

#include <plumbline/core/kernel.hpp>
#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/meter.hpp>
#include <plumbline/exec/perhaps.hpp>

#include <utility>

namespace plumbline::detail {

/// Counts an element of operator `id`, and makes the sink's time the caller's.
template <class X, class F> void probed_yield(meter& m, std::uint32_t id, std::uint32_t caller, const X& x, F&& sink) {
  if (m.resting()) return sink();
  const auto* own = made_here(x);
  if (own != nullptr) {
    const auto bytes = nbytes(*own);
    m.add(id, 1, bytes, static_cast<double>(bytes) * static_cast<double>(bytes));
  }
  if (!m.timing()) return sink();
  if (own != nullptr) m.was_timed(id);
  m.to(caller);
  sink();
  m.to(id);
}
/// Runs f as operator `id`; gives it the number of whoever called.
template <class F> decltype(auto) probed_call(meter& m, std::uint32_t id, F&& f) {
  const auto caller = m.current();
  if (!m.timing()) return f(caller);
  struct back {
    meter& m;
    std::uint32_t caller;
    ~back() { m.to(caller); }
  } restore{m, caller};
  m.to(id);
  return f(caller);
}

template <class Cursor> class probed_cursor {
 public:
  using element = typename Cursor::element;
  static constexpr bool blocks = Cursor::blocks;

  probed_cursor(Cursor c, std::uint32_t id) : cursor_(std::move(c)), id_(id) {}
  void begin(std::uint64_t epoch) {
    probed_call(*meter::here(), id_, [&](auto) { cursor_.begin(epoch); });
  }
  template <class Sink> auto pump(Sink&& sink, std::size_t budget) {
    meter& m = *meter::here();
    return probed_call(m, id_, [&](std::uint32_t caller) {
      return cursor_.pump(
          [&](element&& x, const lineage& at) { probed_yield(m, id_, caller, x, [&] { sink(std::move(x), at); }); },
          budget);
    });
  }
  void leave() { cursor_.leave(); }

 private:
  Cursor cursor_;
  std::uint32_t id_;
};

template <class Kernel> struct probed_kernel : Kernel {
  explicit probed_kernel(Kernel k) : Kernel(std::move(k)) {}
  template <class In, class Emit>
  void push(In&& x, const lineage& at, std::uint64_t position, std::uint64_t group, Emit&& emit) const {
    meter& m = *meter::here();
    probed_call(m, this->id, [&](std::uint32_t caller) {
      Kernel::push(std::forward<In>(x), at, position, group, [&](auto&& y, const lineage& where) {
        const auto go_on = [&] { emit(std::forward<decltype(y)>(y), where); };
        if constexpr (Kernel::yields)
          probed_yield(m, this->id, caller, y, go_on);
        else
          go_on();
      });
    });
  }
};

template <class View> struct probed_view : View {
  explicit probed_view(View v) : View(std::move(v)) {}
  template <class Sink> void get(place p, Sink&& sink) const {
    meter& m = *meter::here();
    probed_call(m, this->id(), [&](std::uint32_t caller) {
      View::get(p, [&](auto&& x, const lineage& at) {
        probed_yield(m, this->id(), caller, x, [&] { sink(std::forward<decltype(x)>(x), at); });
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
