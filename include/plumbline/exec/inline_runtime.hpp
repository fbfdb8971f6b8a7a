#pragma once
/// inline_runtime: a run without threads (`threads = 0`): everything happens inside the consumer's calls.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/lower.hpp>
#include <plumbline/exec/marker.hpp>
#include <plumbline/exec/pipeline_info.hpp>
#include <plumbline/exec/runtime.hpp>
#include <plumbline/exec/stopwatch.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace plumbline::detail {

/// The base of inline_runtime that does not depend on the pipeline's type.
class inline_run : public runtime {
 public:
  PLUMBLINE_INLINE ~inline_run() override;
  PLUMBLINE_INLINE void begin(std::uint64_t epoch, const segment_mark& from) final;
  PLUMBLINE_INLINE payload* fetch(progress& come) final;
  PLUMBLINE_INLINE void halt() final;
  PLUMBLINE_INLINE void want_marks() final;
  PLUMBLINE_INLINE bool mark(segment_mark& here) final;
  PLUMBLINE_INLINE run_identity identity() const final;
  bool has_threads() const final { return false; }
  PLUMBLINE_INLINE void record(bool wanted) final;
  PLUMBLINE_INLINE void watch(taking& calls) final;
  PLUMBLINE_INLINE live_limits limits() const final;
  PLUMBLINE_INLINE trace snapshot() const final;
  PLUMBLINE_INLINE bool timeline(plumbline::timeline& to) const final;
  PLUMBLINE_INLINE std::vector<built_part> parts() const final;
  /// The consumer makes the elements itself, so all of it is waiting for preparation, reads included.
  run_totals totals() const final { return {.waited = 1e-9 * static_cast<double>(waited_.total(wall_now))}; }
  const pipeline_info& of() const final { return of_; }
  const engine* graph() const final { return nullptr; }
  PLUMBLINE_INLINE trace counted() const final;

 protected:
  /// Properties of the elements: the most that are made in one step, and whether making one may wait.
  struct element_traits {
    std::size_t most;
    bool waits;
  };
  inline_run(const pipeline_info& of, run_setting how, std::unique_ptr<run_watch> records, element_traits elements);

  virtual restartable& part() = 0;
  virtual payload& output() = 0;
  /// Does about `budget` elements' worth of work.
  virtual pump_result pump(std::size_t budget) = 0;
  /// In a traced run: calls work() and records it. `makes`: true if work() makes elements.
  virtual void recorded(const std::function<void()>& work, bool makes) = 0;

  const pipeline_info& of_;
  run_setting how_;
  std::atomic<bool> halted_{false};
  const std::unique_ptr<run_watch> records_;  ///< null: nothing is recorded
  built_part built_;
  std::uint64_t fetches_ = 0;
  std::uint64_t epoch_ = 0, position_ = 0;  ///< of the first element that is fetched next

 private:
  bool enough(std::int64_t spent);
  void make_some(progress& come);
  template <class F> void attempt(F&& f);
  template <class F> void in_part(bool makes, F&& f);

  const std::unique_ptr<read_limit> limit_;
  const std::size_t most_;   // the most elements' worth of work in one step
  const std::size_t usual_;  // the same, if the user sets no chunk
  const std::size_t ready_;  // the most elements in one call
  const bool waits_;
  std::atomic<bool> saves_;
  marker marks_{&saves_};
  std::shared_ptr<const saved> mark_;  // the state before the next element to be made
  std::size_t budget_ = 1;
  std::exception_ptr waiting_;
  bool running_ = false;
  stopwatch waited_;
};

template <class Trace, class P> class inline_runtime final : held_pipeline<P>, public inline_run {
  using element = typename P::element;
  using lowered = lowering<P, running::in_the_call, Trace>;
  using cursor = decltype(std::declval<lowered&>().cursor().head);

 public:
  PLUMBLINE_SETUP inline_runtime(P p, run_setting setting)
      : held_pipeline<P>(std::move(p)),
        inline_run(*this, std::move(setting), records_of<Trace>(this->pipeline),
                   {std::clamp<std::size_t>((std::size_t{1} << 17) / sizeof(element), 1, 1024), lowered::cut.waits}),
        part_(whole()) {}

 private:
  /// The chunk as it will be.
  struct filled {
    const buffer<element>& before;
    const filling<element>& sink;
    std::size_t size() const { return before.size() + sink.came; }
  };

  restartable& part() override { return part_; }
  payload& output() override { return chunk_; }
  pump_result pump(std::size_t budget) override {
    auto& to = chunk_.values;
    if constexpr (cursor::traits.within_budget) {
      handing_on([&] { to.reserve(budget); });
      filling<element> sink{to.end()};
      struct commit_at_end {
        buffer<element>& to;
        const filling<element>& sink;
        ~commit_at_end() { to.commit(sink.to + sink.came); }
      } all{to, sink};
      const filled results{to, sink};
      const filled_by<Trace::events, filled> place(&chunk_, results);
      return pump_timed<Trace>(part_.cursor, sink, budget);
    } else {
      const auto sink = [&](element&& x, const lineage&) { handing_on([&] { to.push_back(std::move(x)); }); };
      const filled_by<Trace::events, chunk<element>> place(&chunk_, chunk_);
      return pump_timed<Trace>(part_.cursor, sink, budget);
    }
  }
  void recorded([[maybe_unused]] const std::function<void()>& work, [[maybe_unused]] bool makes) override {
    if constexpr (Trace::on) {
      part_timer watch(*stats_);
      if constexpr (Trace::events) watch.works_on(0, fetches_, false);
      work();
      if (makes)
        watch.made();
      else
        watch.close();
      if constexpr (Trace::events) watch.worked(epoch_, position_, chunk_.size(), makes, nullptr);
    } else if constexpr (framing<Trace>::marks) {
      framing<Trace>::in_the_call(name_, work);
    }
  }
  PLUMBLINE_SETUP restartable_cursor<cursor> whole() {
    keep_events<Trace>(records_.get(), how_);
    run_env<Trace> env{how_.options.seed, &halted_, &how_, records_.get()};
    auto all = lowered(this->pipeline, env).cursor();
    built_ = all.members.as_part(env.parts, 1);
    stats_ = env.open(built_);
    if constexpr (framing<Trace>::marks) name_ = framing<Trace>::name_of(built_, records_.get());
    return restartable_cursor<cursor>(std::move(all.head));
  }

  part_stats* stats_ = nullptr;
  const char* name_ = nullptr;  ///< of the only part, if it is marked
  restartable_cursor<cursor> part_;
  chunk<element> chunk_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/inline_runtime_inl.hpp>
#endif
