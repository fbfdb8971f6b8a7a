#pragma once
/// Cursors: a pipeline (or a serial part of one) pulled by one thread. `begin(epoch)` starts an epoch, `pump(sink,
/// budget)` pushes about `budget` elements' worth of work through the fused kernels into `sink(element&&, const
/// lineage&)`, `leave()` says that the rest of the epoch is not wanted. `within_budget`: the sink is called no more
/// than `budget` times; `prompt`: it gives what is there or says pending, and never waits; `gathers`: the budget counts
/// small plain values that are there, many to an element. The compiler sees through a whole chain of them: one loop.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/choosing.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/exec/view.hpp>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

namespace plumbline::detail {

/// A source that gives its elements one after another.
template <class Source> class source_cursor {
 public:
  using element = typename Source::element;
  static constexpr bool blocks = blocking<Source>, within_budget = true;

  source_cursor(const Source* source, std::uint32_t op, std::uint32_t origin, const std::atomic<bool>* stop)
      : source_(source), stop_(stop), op_(op), origin_(origin) {}

  void begin(std::uint64_t epoch) {
    at_ = {0, 0, epoch, origin_};
    reader_.reset();
    guard([&] { reader_.emplace(source_->open(epoch)); }, false);
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
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
    return pulse::more;
  }
  void leave() { reader_.reset(); }

 private:
  using reader = decltype(std::declval<const Source&>().open(std::uint64_t{}));

  template <class F> auto guard(F&& f, bool at_element = true) -> decltype(f()) {
    try {
      return f();
    } catch (...) {
      throw thrown{Source::name, op_, at_, std::current_exception(), at_element};
    }
  }
  pulse end() {
    reader_.reset();
    return pulse::ended;
  }

  const Source* source_;
  std::optional<reader> reader_;
  const std::atomic<bool>* stop_;
  std::uint32_t op_, origin_;
  lineage at_{};
};

/// Elements made by number, in order, where they are wanted.
template <class Head> class indexed_cursor {
 public:
  using element = typename Head::element;
  static constexpr bool blocks = false, within_budget = true, prompt = true;

  indexed_cursor(Head head, const std::atomic<bool>* stop) : head_(std::move(head)), stop_(stop) {}
  void begin(std::uint64_t epoch) {
    epoch_ = epoch;
    next_ = 0;
    count_ = head_.size();
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    const auto stop = next_ + std::min<std::uint64_t>(budget, count_ - next_);
    const auto epoch = epoch_;
    auto i = next_;
    struct keep {
      std::uint64_t &next, &i;
      [[gnu::always_inline]] ~keep() { next = i; }
    } kept{next_, i};
    // counted in registers, and the stop flag looked at now and then
    while (i != stop && !stop_->load(std::memory_order_relaxed))
      for (const auto some = std::min(stop, i + 16); i != some; ++i) head_.get({i, epoch}, sink);
    return stop == count_ ? pulse::ended : pulse::more;
  }
  /// How many it has given.
  std::uint64_t given() const { return next_; }
  void leave() {}

 private:
  Head head_;
  const std::atomic<bool>* stop_;
  std::uint64_t epoch_ = 0, next_ = 0, count_ = 0;
};

/// An element kernel on top of a cursor.
template <class Kernel, class Up> class element_cursor {
 public:
  using element = typename Kernel::template output<typename Up::element>;
  static constexpr bool blocks = Up::blocks || Kernel::blocks;
  static constexpr bool within_budget = !Kernel::expanding && requires { requires Up::within_budget; };

  element_cursor(Kernel kernel, Up up, const std::atomic<bool>* stop)
      : kernel_(std::move(kernel)), up_(std::move(up)), stop_(stop) {}
  void begin(std::uint64_t epoch) {
    position_ = 0;
    up_.begin(epoch);
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    const auto hand_on = choosing<!Kernel::expanding && chooses<Sink, element, const lineage&>>(
        [&](auto&& y, const lineage& where) {
          if constexpr (Kernel::expanding)  // one element may become very many
            if (stop_->load(std::memory_order_relaxed)) throw stopped{};
          sink(std::forward<decltype(y)>(y), where);
        },
        [&](bool is_there, auto&& y, const lineage& where) {
          emit_if(is_there, sink, std::forward<decltype(y)>(y), where);
        });
    return up_.pump(
        [&](auto&& x, const lineage& at) {
          kernel_.push(std::forward<decltype(x)>(x), at, Kernel::uses_position ? position_++ : 0, std::uint64_t{0},
                       hand_on);
        },
        budget);
  }
  void leave() { up_.leave(); }

 private:
  Kernel kernel_;
  Up up_;
  const std::atomic<bool>* stop_;
  std::uint64_t position_ = 0;
};

}  // namespace plumbline::detail
