#pragma once
/// recording: connects a run to its tracer. Messages are recorded around the type-erased stages and producers, so the
/// engine and the loops over elements are not involved; with tracing off none of this is used.

#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/part_timer.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

class recorded_stage final : public stage_base {
 public:
  recorded_stage(std::unique_ptr<stage_base> work, part_stats* own) : work_(std::move(work)), own_(own) {}
  bool tries() const override { return work_->tries(); }
  bool process(message& m, bool may_wait) override {
    part_timer watch(*own_);
    watch.queued(m.since);
    const bool all = work_->process(m, may_wait);
    m.since = all ? watch.made() : 0;  // the queueing time of the rest has been recorded already
    return all;
  }

 private:
  std::unique_ptr<stage_base> work_;
  part_stats* own_;
};

class recorded_producer final : public producer_base {
 public:
  recorded_producer(std::unique_ptr<producer_base> work, part_stats* own) : work_(std::move(work)), own_(own) {}
  message* acquire() override { return work_->acquire(); }
  bool fill(message& m) override {
    part_timer watch(*own_);
    if (!work_->fill(m)) return false;
    m.since = watch.made();
    return true;
  }

 private:
  std::unique_ptr<producer_base> work_;
  part_stats* own_;
};

/// The run's tracer, or null if the run is not traced.
template <class Trace, class P> std::unique_ptr<run_watch> records_of([[maybe_unused]] const P& p) {
  static_assert(!Trace::on || operators_in<P> <= part_timer::most_operators,
                "plumbline: run: a traced pipeline may have at most 255 operators");
  if constexpr (Trace::on)
    return std::make_unique<tracer>(layout(p), Trace::samples);
  else
    return nullptr;
}
template <class Trace> tracer* tracer_of([[maybe_unused]] run_watch* records) {
  if constexpr (Trace::on)
    return static_cast<tracer*>(records);
  else
    return nullptr;
}

}  // namespace plumbline::detail
