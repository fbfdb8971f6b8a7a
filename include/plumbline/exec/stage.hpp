#pragma once
/// stage: the longest run of element kernels that can share one flow-graph node. Elements pass from kernel to kernel by
/// plain inlined calls; chunks come in and go out.

#include <plumbline/core/choosing.hpp>
#include <plumbline/core/failure.hpp>
#include <plumbline/core/no_waiting.hpp>
#include <plumbline/exec/pace.hpp>
#include <plumbline/exec/port.hpp>
#include <plumbline/exec/record.hpp>
#include <plumbline/exec/view.hpp>

#include <array>
#include <chrono>
#include <tuple>

namespace plumbline::detail {

/// What all stages of a line share.
struct line_state {
  port* target;
  const std::atomic<bool>* stop;
  pace* cost;
  bool idle(const message& m) const { return stop->load(std::memory_order_relaxed) || target->stale(m.generation); }
};

struct stage_base {
  virtual ~stage_base() = default;
  /// May it be tried where it must not wait?
  virtual bool tries() const { return false; }
  /// Makes of a message's elements those of the next stage. `may_wait`: false while it is tried; then false comes back
  /// when the rest of the message has to be made where it may wait.
  virtual bool process(message& m, bool may_wait) = 0;
};

/// Where an indexed line's elements come from.
template <class Head> struct made {
  using element = typename Head::element;
  const Head* head;
};
/// Elements that arrive in a chunk.
template <class T> struct given { using element = T; };

/// Is an element that was asked for, and not used, there to be asked for again? Without a function of the user's called
/// twice for one.
template <class In> inline constexpr bool there_again = false;
template <class T> inline constexpr bool there_again<given<T>> = true;
template <class S, class... I>
inline constexpr bool there_again<made<indexed_head<source_view<S>, I...>>> = asked_again<S>;

/// `Trace`: how much is recorded. `KeepLineage`: somebody downstream wants to know which element is which.
template <class Trace, class In, class Out, bool KeepLineage, class... K> class stage final : public stage_base {
 public:
  stage(In in, line_state line, std::tuple<K...> kernels, probe<Trace> p)
      : in_(in), line_(line), kernels_(std::move(kernels)), probe_(p) {}

  bool tries() const override { return may_be_tried; }
  bool process(message& m, [[maybe_unused]] bool may_wait) override {
    auto* in = m.load;
    auto* out = m.begun == nullptr ? pool_.get() : static_cast<chunk<Out>*>(std::exchange(m.begun, nullptr));
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t before = m.done;
    std::uint64_t done = std::exchange(m.done, 0);
    {
      auto watch = probe_.open();
      watch.taken(m);
      try {
        if constexpr (may_be_tried) {
          const no_waiting how(!may_wait);
          make(m, *out, done, watch.get());
        } else {
          make(m, *out, done, watch.get());
        }
      } catch (const would_wait&) {
        m.begun = out;
        m.done = done;
        m.since = 0;  // how long it was queued has been told
        return false;
      } catch (...) {
        m.error = std::current_exception();  // of an earlier element than an error that came with the message
        m.last = true;
      }
      if (in != nullptr) in->recycle();
      watch.sent(m);
    }
    line_.cost->measured(std::chrono::steady_clock::now() - begin, done - before);
    m.load = out;
    return true;
  }

 private:
  // one that may refuse: what comes before it has done nothing that matters, and passes on the element as it was
  static constexpr bool may_be_tried =
      there_again<In> && (std::size_t{K::waits} + ... + 0) == 1 && (K::tries && ... && true);
  static constexpr std::size_t look_up = 64;  // elements between two looks at the stop flag, unless they are slow

  using writer = chunk_writer<Out, KeepLineage, !(K::expanding || ... || false)>;
  static constexpr bool indexed = requires(const In& in) { in.head; };

  /// `done` counts the elements of the message that have been dealt with, also when one of them throws.
  void make(message& m, chunk<Out>& chunk_out, std::uint64_t& done, [[maybe_unused]] meter* watch) {
    std::uint64_t n = m.count;
    if constexpr (!indexed) n = static_cast<chunk<typename In::element>*>(m.load)->size();
    if constexpr (!Trace::on) {
      writer out(chunk_out, n);
      no_record nothing;
      feed(m, done, n, [&](std::uint64_t i) { element(m, i, out, nothing); });
    } else {
      while (done != n) {
        const auto next = watch->untimed(n - done, 2 * (sizeof...(K) + 1)), to = done + next;
        watch->passed(next);
        counted(chunk_out, done, n, *watch, [&](writer& out, auto& counts, auto&) {
          feed(m, done, to, [&](std::uint64_t i) { element(m, i, out, counts); });
        });
        if (done != to) return;  // nobody wants the rest
        if (done != n)
          counted(chunk_out, done, n, *watch, [&](writer& out, auto& counts, const auto& numbers) {
            time(m, done, n, out, counts, numbers, *watch);
          });
      }
    }
  }
  /// What f makes is written and counted: apart for timed elements and others, for which the figures stay in registers.
  template <class F>
  [[gnu::always_inline]] void counted(chunk<Out>& chunk_out, const std::uint64_t& done, std::uint64_t n, meter& watch,
                                      F&& f) {
    const auto numbers = std::apply(
        [&](const auto&... k) {
          std::uint32_t head = 0;
          if constexpr (indexed) head = in_.head->id();
          return std::array<std::uint32_t, sizeof...(K) + 1>{head, k.id...};
        },
        kernels_);
    using counting = count_record<typename In::element, K...>;
    counting counts;
    struct flush_at_end {
      counting& counts;
      meter& m;
      const std::array<std::uint32_t, sizeof...(K) + 1>& numbers;
      const std::uint64_t& done;
      chunk<Out>& out;
      std::uint64_t came = done, left = out.size();  ///< before
      [[gnu::always_inline]] ~flush_at_end() { counts.flush(m, numbers, done - came, out.size() - left); }
    } flush{counts, watch, numbers, done, chunk_out};
    writer out(chunk_out, n - done);
    f(out, counts, numbers);
  }
  /// Some elements, up to n, timed.
  template <class Counts, class Numbers>
  void time(message& m, std::uint64_t& done, std::uint64_t n, writer& out, Counts& counts, const Numbers& numbers,
            meter& watch) {
    timing_record<typename In::element, K...> record{counts, watch, numbers};
    timed_block block(watch, n - done);
    const auto from = done;
    try {
      block.run([&](std::uint64_t k) {
        for (; k != 0 && !line_.idle(m); --k, ++done) element(m, done, out, record);
        return k == 0;
      });
    } catch (...) {  // one that may be tried has been refused, perhaps
      block.n = done - from + 1;
      throw;
    }
  }
  /// Elements i to n, unless nobody wants them any more.
  template <class F> void feed(message& m, std::uint64_t& done, std::uint64_t n, F&& element_at) {
    using clock = std::chrono::steady_clock;
    std::uint64_t i = done;
    struct keep {
      std::uint64_t &done, &i;
      ~keep() { done = i; }
    } kept{done, i};
    auto since = clock::now();
    std::uint64_t step = 1;
    while (i != n) {
      if (line_.idle(m)) return;
      const auto stop = std::min(n, i + step);
      // elements may turn slow without notice: the stop flag (one load) is looked at before each
      for (; i != stop && !line_.stop->load(std::memory_order_relaxed); ++i) element_at(i);
      if (i != n && step < look_up) {
        const auto now = clock::now();
        if (now - since < std::chrono::microseconds(100)) step *= 4;
        since = now;
      }
    }
  }
  template <class Record> void element(message& m, std::uint64_t i, writer& out, Record& record) {
    if constexpr (indexed) {
      record.to(in_.head->id());
      in_.head->get({m.first + i, m.epoch}, [&](auto&& x, const lineage& at) {
        record.template made<0>(x);
        step<0>(std::forward<decltype(x)>(x), at, m.first + i, m.generation, out, record);
        record.passed();
        record.to(in_.head->id());
      });
    } else {
      auto& in = *static_cast<chunk<typename In::element>*>(m.load);
      const auto k = static_cast<std::size_t>(i);
      const lineage at = in.at.empty() ? lineage{} : in.at[k];
      step<0>(std::move(in.values[k]), at, m.first + i, m.generation, out, record);
    }
    record.to(0);
  }
  template <std::size_t I, class X, class Record>
  void step(X&& x, const lineage& at, std::uint64_t position, std::uint64_t group, writer& out, Record& record) const {
    if constexpr (I == sizeof...(K)) {
      record.to(0);
      out.add(std::forward<X>(x), at);
    } else {
      const auto& kernel = std::get<I>(kernels_);
      record.to(kernel.id);
      // the last one may leave it to the chunk whether an element is there, where nobody else looks at it
      constexpr bool last = I + 1 == sizeof...(K) && !Record::looks_at(I + 1) && chooses<writer, Out, const lineage&>;
      const auto made = [&](auto&& y, const lineage& where) {
        if constexpr (std::tuple_element_t<I, std::tuple<K...>>::expanding)  // one element may become very many
          if (line_.stop->load(std::memory_order_relaxed)) throw stopped{};
        record.template made<I + 1>(y);
        step<I + 1>(std::forward<decltype(y)>(y), where, position, group, out, record);
        record.to(kernel.id);
      };
      kernel.push(std::forward<X>(x), at, position, group,
                  choosing<last>(made, [&](bool is_there, auto&& y, const lineage& where) {
                    emit_if(is_there, out, std::forward<decltype(y)>(y), where);
                  }));
    }
  }

  In in_;
  line_state line_;
  std::tuple<K...> kernels_;
  [[no_unique_address]] probe<Trace> probe_;
  chunk_pool<Out> pool_;
};

}  // namespace plumbline::detail
