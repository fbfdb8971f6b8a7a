#pragma once
/// recording: where a run meets its tracer. Messages are recorded around the type-erased stages and feeders, so the
/// engine and the loops over elements know nothing of it; with tracing off none of this is there.

#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/meter.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

class recorded_stage final : public stage_base {
 public:
  recorded_stage(std::unique_ptr<stage_base> work, account* own) : work_(std::move(work)), own_(own) {}
  bool tries() const override { return work_->tries(); }
  bool process(message& m, bool may_wait) override {
    meter watch(*own_);
    watch.queued(m.since);
    const bool all = work_->process(m, may_wait);
    m.since = all ? watch.made() : 0;  // of the rest, how long it was queued has been recorded
    return all;
  }

 private:
  std::unique_ptr<stage_base> work_;
  account* own_;
};

class recorded_feeder final : public feeder_base {
 public:
  recorded_feeder(std::unique_ptr<feeder_base> work, account* own) : work_(std::move(work)), own_(own) {}
  message* acquire() override { return work_->acquire(); }
  bool fill(message& m) override {
    meter watch(*own_);
    if (!work_->fill(m)) return false;
    m.since = watch.made();
    return true;
  }

 private:
  std::unique_ptr<feeder_base> work_;
  account* own_;
};

/// A run's tracer, or none.
template <class Trace> class run_records {
 public:
  template <class P> explicit run_records(const P& p) {
    static_assert(!Trace::on || operators_in<P> <= meter::most_operators,
                  "plumbline: run: a traced pipeline may have at most 255 operators");
    if constexpr (Trace::on) tracer_ = std::make_unique<tracer>(layout(p));
  }
  tracer* get() const { return tracer_.get(); }
  /// f(tracer), if there is one.
  template <class F> void with(F&& f) const {
    if constexpr (Trace::on) f(*tracer_);
  }
  /// What f returns, for which the consumer waits.
  template <class F> auto waiting(F&& f) const {
    [[maybe_unused]] std::int64_t since = 0;
    with([&](tracer&) { since = wall_now(); });
    auto got = f();
    with([&](tracer& t) { t.waited(wall_now() - since); });
    return got;
  }
  trace snapshot(std::size_t threads) const {
    trace made;
    with([&](tracer& t) { made = t.snapshot(threads); });
    return made;
  }

 private:
  struct none {
    static constexpr tracer* get() { return nullptr; }
  };
  std::conditional_t<Trace::on, std::unique_ptr<tracer>, none> tracer_{};
};

/// A call of a run without threads.
template <class Trace> auto watched([[maybe_unused]] account* own) {
  if constexpr (Trace::on)
    return meter(*own);
  else
    return nullptr;
}

}  // namespace plumbline::detail
