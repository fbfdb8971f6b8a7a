#pragma once
/// kernel_cursor and serial_part: operators that hold state, on top of a cursor.

#include <plumbline/core/failure.hpp>
#include <plumbline/core/kernel.hpp>
#include <plumbline/core/state.hpp>
#include <plumbline/exec/cursor.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// A serial kernel (`push`, `finish`, `demand`) on top of a cursor.
template <class Op, class Kernel, class Element, class Up, bool Keep> class kernel_cursor {
  /// True for small plain values and a kernel that takes many at once (`push_all`), if nothing downstream reads their
  /// lineage; with `demand`, if upstream gives no more than is requested.
  static constexpr bool blockwise = !Keep && std::is_trivial_v<typename Up::element> &&
                                    sizeof(typename Up::element) <= 16 &&
                                    requires(Kernel & k, std::span<typename Up::element> s) {
    k.push_all(s, any_sink{});
  }
  &&(Up::traits.within_budget || !requires(Kernel & k) { k.demand(); });

 public:
  using element = Element;
  static constexpr cursor_traits traits{.gathers = blockwise && Up::traits.prompt, .wants_end = Up::traits.wants_end};

  kernel_cursor(const Op* op, stream_context cx, Up up) : op_(op), cx_(cx), up_(std::move(up)) {}
  void begin(std::uint64_t epoch) {
    cx_.epoch = epoch;
    guard([&] { kernel_.emplace(*op_, cx_); });
    up_.begin(epoch);
    ended_ = false;
  }
  /// `Unfused`: in a traced run, while operators are timed.
  template <bool Unfused = false, class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    if (ended_) return pump_result::ended;
    const auto emit = [&](auto&& y, const lineage& at) {
      if constexpr (std::same_as<decltype(y), element&&>)
        sink(std::move(y), at);
      else  // an lvalue is copied
        sink(element(std::forward<decltype(y)>(y)), at);
    };
    pump_result p;
    if constexpr (requires { kernel_->demand(); }) {
      const std::uint64_t wants = kernel_->demand();
      from_upstream_ = true;
      try {
        p = wants == 0 ? pump_result::ended
                       : pump_up<Unfused>(emit, static_cast<std::size_t>(std::min<std::uint64_t>(budget, wants)));
      } catch (...) {
        if (!from_upstream_ || kernel_->demand() != 0) throw;
        p = pump_result::ended;  // upstream failed after the last element needed: its error is not part of this stream
      }
      if (kernel_->demand() == 0 && p != pump_result::ended) p = pump_result::ended;
      if (p == pump_result::ended) up_.leave();
    } else {
      p = pump_up<Unfused>(emit, budget);
    }
    if (p == pump_result::ended) {
      ended_ = true;
      if constexpr (requires { kernel_->finish(emit); }) guard([&] { kernel_->finish(emit); });
      kernel_.reset();
    }
    return p;
  }
  void leave() { up_.leave(); }
  template <class Io> void state(Io& io) {
    io(ended_, cx_.epoch);
    if (ended_) return;
    if constexpr (Io::loads) guard([&] { kernel_.emplace(*op_, cx_); });
    if constexpr (has_state<Kernel>)
      io(*kernel_);
    else
      io.never();
    io(up_);
  }

 private:
  template <bool Unfused, class Emit> pump_result pump_up(const Emit& emit, std::size_t budget) {
    auto& kernel = *kernel_;
    if constexpr (blockwise && Up::traits.within_budget) {
      // counts in a register: only the elements are written until a block is full
      constexpr std::size_t most = 512;
      std::array<typename Up::element, most> held;
      for (;; budget -= most) {
        filling<typename Up::element> block{held.data()};
        kernel_block<Unfused> passing(held.data(), block.came);
        const auto hand_on = [&] {
          if (block.came == 0) return;
          passing.pass_on(block.came, [&](std::size_t i, std::size_t n) {
            guard([&] { kernel.push_all(std::span(held.data() + i, n), emit); });
          });
        };
        pump_result p;
        try {
          p = pump_as<Unfused>(up_, block, std::min(budget, most));
        } catch (...) {
          hand_on();  // elements before an error are passed on before it
          throw;
        }
        hand_on();
        if (p != pump_result::more || budget <= most) return p;
      }
    } else if constexpr (blockwise) {
      collected<Emit> block(*this, emit);
      collect<Unfused, Emit> c(block);
      try {
        const auto p = pump_as<Unfused>(up_, c, budget);
        c.flush();
        return p;
      } catch (...) {
        c.flush();
        throw;
      }
    } else
      return pump_as<Unfused>(
          up_,
          [&](typename Up::element&& x, const lineage& at) {
            if constexpr (requires { kernel.demand(); })
              if (kernel.demand() == 0) return;  // upstream may give several at once
            guard([&] { kernel.push(std::move(x), at, emit); }, at, true);
          },
          budget);
  }
  /// Elements that the kernel takes at once.
  template <class Emit> struct collected {
    using In = typename Up::element;
    kernel_cursor& into;
    const Emit& emit;
    std::uint64_t taken = 0;
    std::array<In, 128> held;

    collected(kernel_cursor& k, const Emit& e) : into(k), emit(e) {}
    [[gnu::noinline]] void take(std::span<In> s) {
      taken += s.size();
      into.guard([&] { into.kernel_->push_all(s, emit); });
    }
  };
  /// A sink for them. Apart from them, so that it is in a register: an element whose place is read from memory waits
  /// for the one before to be counted there.
  template <bool Unfused, class Emit> struct collect {
    using In = typename Up::element;
    collected<Emit>& to;
    std::size_t n = 0;
    kernel_block<Unfused> passing{to.held.data(), n};

    explicit collect(collected<Emit>& c) : to(c) {}
    collect(const collect&) = delete;
    void operator()(In x, const lineage&) {
      to.held[n] = x;
      if (++n == to.held.size()) flush();
    }
    void block(std::span<In> s) {
      flush();
      to.take(s);
    }
    void flush() {
      if (n == 0) return;
      passing.pass_on(std::exchange(n, 0),
                      [&](std::size_t i, std::size_t many) { to.take(std::span<In>(to.held.data() + i, many)); });
    }
    std::uint64_t counted() const { return to.taken + n; }
  };
  /// Calls the kernel. An exception from the kernel is reported as the operator's; one from downstream, through `emit`,
  /// passes unchanged.
  template <class F> void guard(F&& f, const lineage& at = {}, bool at_element = false) {
    try {
      f();
    } catch (const thrown&) {
      from_upstream_ = false;
      throw;
    } catch (...) {
      from_upstream_ = false;
      throw thrown{Op::name, cx_.op, at, std::current_exception(), at_element};
    }
  }

  const Op* op_;
  stream_context cx_;
  Up up_;
  std::optional<Kernel> kernel_;
  bool ended_ = true;
  bool from_upstream_ = true;  ///< true if the exception in flight comes from upstream
};

/// An operator's own cursor (a structure). Its exceptions are reported with the operator's name.
template <class Op, class Cursor> struct serial_part {
  using element = typename Cursor::element;
  static constexpr cursor_traits traits = Cursor::traits;
  Cursor cursor;
  std::uint32_t id;

  void begin(std::uint64_t epoch) {
    guard([&] { cursor.begin(epoch); });
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    return guard([&] { return cursor.pump(sink, budget); });
  }
  void leave() { cursor.leave(); }
  template <class Io> void state(Io& io) {
    if constexpr (has_state<Cursor>)
      guard([&] { io(cursor); });
    else
      io.never();
  }

 private:
  template <class F> auto guard(F&& f) -> decltype(f()) {
    try {
      return f();
    } catch (const thrown&) {
      throw;
    } catch (...) {
      throw thrown{Op::name, id, {}, std::current_exception(), false};
    }
  }
};

}  // namespace plumbline::detail
