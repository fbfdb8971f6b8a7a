#pragma once
/// Cursors: a pipeline (or a serial part of one) pulled by one thread. `begin(epoch)` starts an epoch, `pump(sink,
/// budget)` pushes about `budget` elements' worth of work through the fused kernels into `sink(element&&, const
/// lineage&)`, `leave()` says that the rest of the epoch is not wanted. The compiler sees through a whole chain of
/// them: one loop.

#include <plumbline/core/chain.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/exec/view.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace plumbline::detail {

/// A source that gives its elements one after another.
template <class Source> class source_cursor {
 public:
  using element = typename Source::element;
  static constexpr bool blocks = blocking<Source>;

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
  static constexpr bool blocks = false;

  indexed_cursor(Head head, const std::atomic<bool>* stop) : head_(std::move(head)), stop_(stop) {}
  void begin(std::uint64_t epoch) {
    epoch_ = epoch;
    next_ = 0;
    count_ = head_.size();
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    const auto stop = next_ + std::min<std::uint64_t>(budget, count_ - next_);
    const auto epoch = epoch_;
    // counted in registers, and the stop flag looked at now and then; a sink that throws ends the epoch anyway
    for (auto i = std::exchange(next_, stop); i != stop && !stop_->load(std::memory_order_relaxed);)
      for (const auto some = std::min(stop, i + 4); i != some; ++i) head_.get({i, epoch}, sink);
    return next_ == count_ ? pulse::ended : pulse::more;
  }
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

  element_cursor(Kernel kernel, Up up) : kernel_(std::move(kernel)), up_(std::move(up)) {}
  void begin(std::uint64_t epoch) {
    position_ = 0;
    up_.begin(epoch);
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    return up_.pump(
        [&](auto&& x, const lineage& at) {
          kernel_.push(std::forward<decltype(x)>(x), at, Kernel::uses_position ? position_++ : 0, std::uint64_t{0},
                       [&](auto&& y, const lineage& where) { sink(std::forward<decltype(y)>(y), where); });
        },
        budget);
  }
  void leave() { up_.leave(); }

 private:
  Kernel kernel_;
  Up up_;
  std::uint64_t position_ = 0;
};

/// A serial kernel (`push`, `finish`, `wants`) on top of a cursor.
template <class Op, class Kernel, class Up, bool Keep> class kernel_cursor {
 public:
  using element = typename Kernel::element;
  static constexpr bool blocks = Up::blocks;

  kernel_cursor(const Op* op, stream_context cx, Up up) : op_(op), cx_(cx), up_(std::move(up)) {}
  /// Only before the first epoch: a kernel need not be movable.
  kernel_cursor(kernel_cursor&& o) : op_(o.op_), cx_(std::move(o.cx_)), up_(std::move(o.up_)) {}
  void begin(std::uint64_t epoch) {
    cx_.epoch = epoch;
    guard([&] { kernel_.emplace(*op_, cx_); });
    up_.begin(epoch);
    ended_ = false;
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    if (ended_) return pulse::ended;
    const auto emit = [&](auto&& y, const lineage& at) { sink(std::forward<decltype(y)>(y), at); };
    pulse p;
    if constexpr (requires { kernel_->wants(); }) {
      const std::uint64_t wants = kernel_->wants();
      try {
        p = wants == 0 ? pulse::ended : pump_up(emit, static_cast<std::size_t>(std::min<std::uint64_t>(budget, wants)));
      } catch (...) {
        if (kernel_->wants() != 0) throw;
        p = pulse::ended;  // what lies behind the last element wanted is no concern of this stream
      }
      if (kernel_->wants() == 0 && p != pulse::ended) p = pulse::ended;
      if (p == pulse::ended) up_.leave();
    } else {
      p = pump_up(emit, budget);
    }
    if (p == pulse::ended) {
      ended_ = true;
      if constexpr (requires { kernel_->finish(emit); }) guard([&] { kernel_->finish(emit); });
      kernel_.reset();
    }
    return p;
  }
  void leave() { up_.leave(); }

 private:
  template <class Emit> pulse pump_up(const Emit& emit, std::size_t budget) {
    auto& kernel = *kernel_;
    if constexpr (blockwise) {
      collect<Emit> c(kernel, emit);
      try {
        const auto p = up_.pump(c, budget);
        c.flush();
        return p;
      } catch (...) {
        c.flush();  // what came before an error is passed on before it
        throw;
      }
    } else
      return up_.pump(
          [&](typename Up::element&& x, const lineage& at) {
            try {
              kernel.push(std::move(x), at, emit);
            } catch (const thrown&) {
              throw;
            } catch (...) {
              throw thrown{Op::name, cx_.op, at, std::current_exception()};
            }
          },
          budget);
  }
  /// Small plain values for a kernel that takes many at once (`push_all`), where nobody wants their lineage.
  static constexpr bool blockwise = !Keep && std::is_trivial_v<typename Up::element> &&
                                    sizeof(typename Up::element) <= 16 &&
                                    requires(Kernel & k, std::span<typename Up::element> s) {
    k.push_all(s, any_sink{});
  };
  template <class Emit> struct collect {
    using In = typename Up::element;
    Kernel& kernel;
    const Emit& emit;
    std::size_t n = 0;
    std::array<In, 128> held;

    collect(Kernel& k, const Emit& e) : kernel(k), emit(e) {}
    collect(const collect&) = delete;
    void operator()(In x, const lineage&) {
      held[n] = x;
      if (++n == held.size()) flush();
    }
    void block(std::span<In> s) {
      flush();
      kernel.push_all(s, emit);
    }
    void flush() {
      if (n != 0) kernel.push_all(std::span<In>(held.data(), std::exchange(n, 0)), emit);
    }
  };
  template <class F> void guard(F&& f) {
    try {
      f();
    } catch (const thrown&) {
      throw;
    } catch (...) {
      throw thrown{Op::name, cx_.op, {}, std::current_exception(), false};
    }
  }

  const Op* op_;
  stream_context cx_;
  Up up_;
  std::optional<Kernel> kernel_;
  bool ended_ = true;
};

/// An operator's own cursor (a structure), with its name on what it throws.
template <class Op, class Cursor> struct serial_part {
  using element = typename Cursor::element;
  static constexpr bool blocks = Cursor::blocks;
  Cursor cursor;
  std::uint32_t id;

  void begin(std::uint64_t epoch) {
    guard([&] { cursor.begin(epoch); });
  }
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    return guard([&] { return cursor.pump(sink, budget); });
  }
  void leave() { cursor.leave(); }

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

/// One of the streams that a nesting operator has open: the inner pipeline, owned, and its cursor. `Make` turns a
/// pipeline into a cursor.
template <class Pipeline, class Make> class nested_cursor {
 public:
  using element = typename Pipeline::element;
  using inner = decltype(std::declval<const Make&>()(std::declval<const Pipeline&>(), std::uint64_t{}));
  static constexpr bool blocks = inner::blocks;

  explicit nested_cursor(Make make) : make_(std::move(make)) {}
  void open(Pipeline p, const lineage& outer) {
    close();
    held_ = std::make_unique<Pipeline>(std::move(p));
    outer_ = outer;
    part_ = 0;
    cursor_.emplace(make_(*held_, outer.key()));
    try {
      cursor_->begin(outer.epoch);
    } catch (...) {
      error_ = own_error();
    }
  }
  /// Never more than `budget` elements, whatever the pipeline makes at once: blocks depend on it.
  template <class Sink> pulse pump(Sink&& sink, std::size_t budget) {
    bool in_sink = false;
    const auto give = [&](element&& x) {
      --budget;
      in_sink = true;
      sink(std::move(x), outer_.part(part_++));
      in_sink = false;
    };
    while (budget != 0 && !early_.empty()) {
      give(std::move(early_.front()));
      early_.pop_front();
    }
    if (!early_.empty()) return pulse::more;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (ended_) return pulse::ended;
    if (budget == 0) return pulse::more;
    try {
      const auto p = cursor_->pump(
          [&](element&& x, const lineage&) {
            if (budget != 0)
              give(std::move(x));
            else
              early_.push_back(std::move(x));
          },
          budget);
      ended_ = p == pulse::ended;
      return ended_ && !early_.empty() ? pulse::more : p;
    } catch (...) {
      if (in_sink) throw;
      error_ = own_error();  // told after the elements before it
      return pulse::more;
    }
  }
  void leave() { close(); }

 private:
  void close() {
    cursor_.reset();
    held_.reset();
    early_.clear();
    error_ = nullptr;
    ended_ = false;
  }
  /// What is being thrown, as an error of the operator that opened this stream, at the part that would be next.
  std::exception_ptr own_error() const {
    try {
      throw;
    } catch (thrown& t) {
      return std::make_exception_ptr(
          thrown{t.op_name, make_.id, outer_.part(part_ + early_.size()), std::move(t.cause), true});
    } catch (...) {
      return std::current_exception();
    }
  }
  Make make_;
  std::unique_ptr<Pipeline> held_;
  std::optional<inner> cursor_;
  lineage outer_{};
  std::uint64_t part_ = 0;
  std::deque<element> early_;
  std::exception_ptr error_;
  bool ended_ = false;
};

}  // namespace plumbline::detail
