#pragma once
/// Cursors: a pipeline (or a serial part of one) pulled by one thread. `begin(epoch)` starts an epoch, `pump(sink,
/// budget)` pushes about `budget` elements' worth of work through the fused kernels into `sink(element&&, const
/// lineage&)`, and `leave()` abandons the rest of the epoch; `traits` states what callers may rely on
/// (core/kernel.hpp). The compiler inlines a whole chain of cursors into one loop.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/core/state.hpp>
#include <plumbline/exec/kernel_chain.hpp>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <utility>

namespace plumbline::detail {

/// A sink that constructs its elements contiguously in memory. It counts them (`counted()`), so that cursors upstream
/// need not: the compiler keeps one count in a register, but splits a loop that has two.
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

/// Elements at `held` that a kernel takes several at a time. A traced run's (exec/filled_by.hpp) follows one of them
/// while operators are timed.
template <bool Unfused> struct kernel_block {
  kernel_block(const void* /*held*/, const std::size_t& /*size*/) {}
  /// Passes n elements on: push(first, how many).
  template <class Push> void pass_on(std::size_t n, Push&& push) { push(std::size_t{0}, n); }
};

/// Pumps a cursor that may belong to a traced run (exec/metered.hpp). `Unfused`: operator by operator.
template <bool Unfused, class Cursor, class Sink> pump_result pump_as(Cursor& c, Sink&& sink, std::size_t budget) {
  if constexpr (Unfused && requires { c.pump_unfused(sink, budget); })
    return c.pump_unfused(std::forward<Sink>(sink), budget);
  else if constexpr (Unfused && requires { c.template pump<true>(sink, budget); })
    return c.template pump<true>(std::forward<Sink>(sink), budget);
  else if constexpr (requires { c.pump_fused(sink, budget); })
    return c.pump_fused(std::forward<Sink>(sink), budget);
  else
    return c.pump(std::forward<Sink>(sink), budget);
}

/// The cursor of a source that gives its elements one after another.
template <class Source> class source_cursor {
 public:
  using element = typename Source::element;
  static constexpr bool names_elements = true;  ///< they have their own lineage
  static constexpr cursor_traits traits{.within_budget = true};

  source_cursor(const Source* source, std::uint32_t op, std::uint32_t source_index, const std::atomic<bool>* stop)
      : source_(source), stop_(stop), op_(op), source_index_(source_index) {}

  void begin(std::uint64_t epoch) {
    at_ = {0, 0, epoch, source_index_};
    reader_.reset();
    guard([&] { reader_.emplace(source_->open(epoch)); }, false);
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    for (; budget != 0 && !stop_->load(std::memory_order_relaxed); --budget) {
      if constexpr (requires(reader & r) { *r.next(); }) {
        auto x = guard([&] { return reader_->next(); });
        if (!x) return end();
        sink(std::move(*x), at_);
      } else {
        element x{};
        if (!guard([&] { return reader_->next(x); })) return end();
        sink(std::move(x), at_);
      }
      ++at_.index;
    }
    return pump_result::more;
  }
  void leave() { reader_.reset(); }
  template <class Io> void state(Io& io) {
    if constexpr (Source::type_facts.one_pass) io.never();
    bool open = reader_.has_value();
    io(open, at_);
    if constexpr (Io::loads) {
      reader_.reset();
      if (open) guard([&] { reader_.emplace(source_->open(at_.epoch)); }, false);
    }
    if (!open) return;
    if constexpr (has_state<reader>)
      guard([&] { io(*reader_); });
    else if constexpr (Io::loads)
      go_to(at_.index);
  }

 private:
  /// Skips the elements before index i.
  void go_to(std::uint64_t i) {
    for (at_.index = 0; at_.index != i && !stop_->load(std::memory_order_relaxed); ++at_.index) {
      if constexpr (requires(reader & r) { *r.next(); }) {
        if (!guard([&] { return reader_->next(); })) throw fewer_than_saved(op_, Source::name);
      } else {
        element x{};
        if (!guard([&] { return reader_->next(x); })) throw fewer_than_saved(op_, Source::name);
      }
    }
  }
  using reader = decltype(std::declval<const Source&>().open(std::uint64_t{}));

  template <class F> auto guard(F&& f, bool at_element = true) -> decltype(f()) {
    try {
      return f();
    } catch (...) {
      throw thrown{Source::name, op_, at_, std::current_exception(), at_element};
    }
  }
  pump_result end() {
    reader_.reset();
    return pump_result::ended;
  }

  const Source* source_;
  std::optional<reader> reader_;
  const std::atomic<bool>* stop_;
  std::uint32_t op_, source_index_;
  lineage at_{};
};

/// The elements of an indexed head, in order.
template <class Head> class indexed_cursor {
 public:
  using element = typename Head::element;
  static constexpr bool names_elements = true;
  static constexpr cursor_traits traits{.prompt = true, .within_budget = true};

  indexed_cursor(Head head, const std::atomic<bool>* stop) : head_(std::move(head)), stop_(stop) {}
  void begin(std::uint64_t epoch) {
    epoch_ = epoch;
    next_ = 0;
    count_ = head_.size();
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    const auto stop = next_ + std::min<std::uint64_t>(budget, count_ - next_);
    const auto epoch = epoch_;
    auto i = next_;
    struct keep {
      std::uint64_t &next, &i;
      [[gnu::always_inline]] ~keep() { next = i; }
    } kept{next_, i};
    // counts in registers, and checks the stop flag every 16 elements
    while (i != stop && !stop_->load(std::memory_order_relaxed))
      for (const auto some = std::min(stop, i + 16); i != some; ++i) head_.get({i, epoch}, sink);
    return stop == count_ ? pump_result::ended : pump_result::more;
  }
  /// The number of elements given so far.
  std::uint64_t given() const { return next_; }
  void leave() {}
  template <class Io> void state(Io& io) {
    io(epoch_, next_);
    if constexpr (Io::loads) count_ = head_.size();
  }

 private:
  Head head_;
  const std::atomic<bool>* stop_;
  std::uint64_t epoch_ = 0, next_ = 0, count_ = 0;
};

/// Element kernels on top of a cursor.
template <class Up, class... K> class element_cursor {
 public:
  using chain = kernel_chain<K...>;
  using element = typename chain::template output<typename Up::element>;
  static constexpr cursor_traits traits{.within_budget = !chain::expands && Up::traits.within_budget,
                                        .wants_end = Up::traits.wants_end};

  element_cursor(chain kernels, Up up, const std::atomic<bool>* stop)
      : kernels_(std::move(kernels)), up_(std::move(up)), where_{stop} {}
  void begin(std::uint64_t epoch) {
    where_.next = {};
    up_.begin(epoch);
  }
  template <class Sink> pump_result pump(Sink&& sink, std::size_t budget) {
    no_record nothing;
    return up_.pump([&](auto&& x, const lineage& at) { kernels_.pass(std::move(x), at, where_, nothing, sink); },
                    budget);
  }
  void leave() { up_.leave(); }
  template <class Io> void state(Io& io) { io(where_.next, up_); }

 protected:
  chain kernels_;
  Up up_;
  counting_spot<sizeof...(K)> where_;
};

}  // namespace plumbline::detail
