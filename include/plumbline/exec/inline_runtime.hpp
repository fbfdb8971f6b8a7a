#pragma once
/// inline_runtime: a run without threads (`threads = 0`): everything happens in the consumer's own calls.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/lower.hpp>
#include <plumbline/exec/stream.hpp>
#include <plumbline/exec/tell.hpp>

#include <algorithm>

namespace plumbline::detail {

template <class Trace, class P> class inline_runtime final : public runtime<typename P::element> {
 public:
  using element = typename P::element;
  inline_runtime(P p, run_setting how)
      : pipeline_(std::move(p)),
        limit_(limit_of(how.options, halted_)),
        most_(std::min(most, how.options.chunk.value_or(most))),
        ready_(how.options.chunk ? 1 : 8),
        records_(pipeline_),
        env_{(how.stop = &halted_, std::move(how)), records_.get()},
        probe_(env_.account(records_.everything(), true, true)),
        cursor_(channel_of<false, false>(lower<false, false>(pipeline_, env_, locus{}), env_, true).cursor) {}
  void begin(std::uint64_t epoch) override {
    running_ = true;
    budget_ = 1;
    chunk_.clear();
    waiting_ = nullptr;
    records_.begun();
    try {
      [[maybe_unused]] auto watch = probe_.open();
      const limited_reads on(limit_.get());
      attempt([&] { cursor_.begin(epoch); });
    } catch (...) {
      waiting_ = std::current_exception();  // told when the first element is asked for, as everywhere
    }
  }
  bool fetch(chunk<element>*& out) override {
    chunk_.clear();
    if (waiting_) std::rethrow_exception(std::exchange(waiting_, nullptr));
    [[maybe_unused]] auto watch = probe_.open();
    const limited_reads on(limit_.get());
    attempt([&] {
      const auto begin = ticks_now();
      auto since = begin;
      while (running_ && !enough(since - begin) && !halted_.load(std::memory_order_relaxed)) {
        if (some(watch.get()) == pulse::ended) running_ = false;
        const auto now = ticks_now();
        if (now - since < quick)  // small steps until it is known that they are cheap
          budget_ = std::min(4 * budget_, most_);
        else if (now - since > slow)  // and again when they are not any more
          budget_ = 1;
        since = now;
      }
    });
    out = &chunk_;
    watch.made();
    records_.given();
    if (!running_) records_.ended();
    return chunk_.size() != 0 && !halted_.load(std::memory_order_relaxed);
  }
  void halt() override { halted_.store(true); }
  void record(bool wanted) override { records_.record(wanted); }
  trace snapshot() const override { return records_.snapshot(0); }

 private:
  /// One element is, unless a step is cheap, cannot wait, and gives few (a batch).
  bool enough(std::int64_t spent) const {
    return chunk_.size() >= std::min(ready_, most_) ||
           (chunk_.size() != 0 && (cursor::blocks || budget_ < most || spent > quick));
  }
  pulse some([[maybe_unused]] meter* watch) {
    auto& to = chunk_.values;
    if constexpr (requires { requires cursor::within_budget; }) {
      to.reserve(budget_);
      filling<element> sink{to.end()};
      struct commit_at_end {
        buffer<element>& to;
        const filling<element>& sink;
        ~commit_at_end() { to.commit(sink.to + sink.came); }
      } all{to, sink};
      return pump_timed<Trace>(cursor_, sink, budget_, watch);
    } else {
      const auto sink = [&](element&& x, const lineage&) { to.push_back(std::move(x)); };
      return pump_timed<Trace>(cursor_, sink, budget_, watch);
    }
  }
  /// An error is told after the elements before it.
  template <class F> void attempt(F&& f) {
    try {
      f();
    } catch (...) {
      running_ = false;
      records_.ended();
      if (halted_.load()) return;  // nobody wants to know
      try {
        tell(pipeline_, std::current_exception());
      } catch (...) {
        if (chunk_.size() == 0) throw;
        waiting_ = std::current_exception();
      }
    }
  }
  P pipeline_;
  std::atomic<bool> halted_{false};
  std::unique_ptr<read_limit> limit_;
  std::size_t most_, ready_;  // elements' worth of work in a step, and elements in a call, at most
  run_records<Trace> records_;
  run_env<Trace> env_;
  probe<Trace> probe_;
  using cursor = decltype(channel_of<false, false>(
                              lower<false, false>(std::declval<const P&>(), std::declval<run_env<Trace>&>(), locus{}),
                              std::declval<run_env<Trace>&>(), true)
                              .cursor);
  cursor cursor_;
  /// A step's ticks, of which there are 1 to 5 in a nanosecond: below 10 to 30 us; above 1 to 4 ms.
  static constexpr std::int64_t quick = 1 << 15, slow = 1 << 22;
  /// Elements' worth of work in one step; of large ones, as many as fit into 128 KiB.
  static constexpr std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 17) / sizeof(element), 1, 1024);
  chunk<element> chunk_;
  std::size_t budget_ = 1;
  std::exception_ptr waiting_;
  bool running_ = false;
};

}  // namespace plumbline::detail
