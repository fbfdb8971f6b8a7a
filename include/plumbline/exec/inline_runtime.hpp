#pragma once
/// inline_runtime: a run without threads (`threads = 0`): everything happens in the consumer's own calls.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/lower.hpp>
#include <plumbline/exec/marker.hpp>
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
        saves_(how.options.saves),
        records_(pipeline_),
        env_{(how.stop = &halted_, std::move(how)), records_.get()},
        cursor_(whole()),
        account_(env_.open(part_)) {}
  void begin(std::uint64_t epoch, const line_mark& from) override {
    if (running_ && from.parts != nullptr) cursor_.leave();
    running_ = true;
    mark_ = nullptr;
    marks_.give_up();
    budget_ = 1;
    chunk_.clear();
    waiting_ = nullptr;
    records_.with([](tracer& t) { t.begun(); });
    try {
      [[maybe_unused]] const auto watch = watched<Trace>(account_);
      const limited_reads on(limit_.get());
      attempt([&] {
        if (from.parts == nullptr)
          cursor_.begin(epoch);
        else
          loading (*from.parts)(cursor_);
      });
    } catch (...) {
      waiting_ = std::current_exception();  // told when the first element is asked for, as everywhere
    }
  }
  bool fetch(chunk<element>*& out, progress& come) override {
    chunk_.clear();
    if (running_ && mark_ == nullptr && marks_.due()) mark_ = marks_.take(cursor_);
    if (mark_ != nullptr) come = {{0, std::exchange(mark_, nullptr)}, 0};
    if (waiting_) std::rethrow_exception(std::exchange(waiting_, nullptr));
    [[maybe_unused]] auto watch = watched<Trace>(account_);
    const limited_reads on(limit_.get());
    attempt([&] {
      const auto begin = ticks_now();
      auto since = begin;
      while (running_ && !enough(since - begin) && !halted_.load(std::memory_order_relaxed)) {
        if (marks_.trying()) budget_ = 1;
        if (some() == pulse::ended) running_ = false;
        if (running_ && marks_.trying())
          if (auto parts = marks_.take(cursor_)) {
            if (chunk_.size() != 0) {
              mark_ = std::move(parts);
              break;
            }
            come = {{0, std::move(parts)}, 0};
          }
        const auto now = ticks_now();
        if (now - since < quick)  // small steps until it is known that they are cheap
          budget_ = std::min(4 * budget_, most_);
        else if (now - since > slow)  // and again when they are not any more
          budget_ = 1;
        since = now;
      }
    });
    out = &chunk_;
    if constexpr (Trace::on) watch.made();
    if constexpr (Trace::samples) records_.get()->sample();
    if (!running_) records_.with([](tracer& t) { t.ended(); });
    return chunk_.size() != 0 && !halted_.load(std::memory_order_relaxed);
  }
  void halt() override { halted_.store(true); }
  void want_marks() override { saves_.store(true, std::memory_order_relaxed); }
  bool mark(line_mark& here) override {
    if (!running_) return false;
    auto parts = marks_.take(cursor_);
    marks_.give_up();
    if (parts == nullptr) return false;
    here = {0, std::move(parts)};
    return true;
  }
  run_identity identity() const override {
    return {fingerprint(pipeline_), env_.seed, Trace::on ? 3U : 2U, env_.options.order == output_order::kept};
  }
  void record(bool wanted) override {
    records_.with([&](tracer& t) { t.record(wanted); });
  }
  trace snapshot() const override { return records_.snapshot(0); }
  std::vector<built_part> parts() const override { return {part_}; }

 private:
  /// One element is, unless a step is cheap, cannot wait, and gives few (a batch).
  bool enough(std::int64_t spent) const {
    return chunk_.size() >= std::min(ready_, most_) ||
           (chunk_.size() != 0 && (lowered::cut.waits || budget_ < most || spent > quick));
  }
  pulse some() {
    auto& to = chunk_.values;
    if constexpr (cursor::traits.within_budget) {
      handing_on([&] { to.reserve(budget_); });
      filling<element> sink{to.end()};
      struct commit_at_end {
        buffer<element>& to;
        const filling<element>& sink;
        ~commit_at_end() { to.commit(sink.to + sink.came); }
      } all{to, sink};
      return pump_timed<Trace>(cursor_, sink, budget_);
    } else {
      const auto sink = [&](element&& x, const lineage&) { handing_on([&] { to.push_back(std::move(x)); }); };
      return pump_timed<Trace>(cursor_, sink, budget_);
    }
  }
  /// An error is told after the elements before it.
  template <class F> void attempt(F&& f) {
    try {
      f();
    } catch (...) {
      running_ = false;
      records_.with([](tracer& t) { t.ended(); });
      if (halted_.load()) return;  // a stopped run drops its errors
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
  std::atomic<bool> saves_;
  marker marks_{&saves_};
  std::shared_ptr<const saved> mark_;  // before the next element to be made
  run_records<Trace> records_;
  run_env<Trace> env_;
  built_part part_;
  using lowered = lowering<P, running::in_the_call, Trace>;
  using cursor = decltype(std::declval<lowered&>().cursor().head);
  cursor whole() {
    auto all = lowered(pipeline_, env_).cursor();
    part_ = env_.built(1, std::move(all.members));
    return std::move(all.head);
  }
  cursor cursor_;
  account* account_;
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
