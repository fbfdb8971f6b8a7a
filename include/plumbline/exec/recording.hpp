#pragma once
/// recording: connects a run to its tracer. Messages are recorded around the type-erased stages and producers, so the
/// engine and the loops over elements are not involved; with tracing off none of this is used.

#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/framing.hpp>
#include <plumbline/exec/part_timer.hpp>
#include <plumbline/exec/run_setting.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace plumbline::detail {

/// `target`: the channel at the end of the segment.
class recorded_stage final : public stage_base {
 public:
  recorded_stage(std::unique_ptr<stage_base> work, part_stats* own, channel* target)
      : work_(std::move(work)), own_(own), target_(target) {}
  bool tries() const override { return work_->tries(); }
  bool process(message& m, bool may_wait) override {
    part_timer watch(*own_);
    watch.queued(m.since);
    const auto since = m.since;
    watch.works_on(target_->number, m.sequence, own_->part.blocks && may_wait);
    const bool all = work_->process(m, may_wait);
    if (!all) watch.close();
    m.since = all ? watch.made() : 0;  // the queueing time of the rest has been recorded already
    const auto* left = all ? m.load : m.begun;
    watch.worked(m.epoch, m.first, left == nullptr ? 0 : left->size(), all, nullptr, since);
    return all;
  }

 private:
  std::unique_ptr<stage_base> work_;
  part_stats* own_;
  channel* target_;
};

class recorded_producer final : public producer_base {
 public:
  recorded_producer(std::unique_ptr<producer_base> work, part_stats* own, channel* target)
      : work_(std::move(work)), own_(own), target_(target) {}
  message* acquire() override { return work_->acquire(); }
  bool fill(message& m) override {
    part_timer watch(*own_);
    watch.works_on(target_->number, target_->coming(), own_->part.blocks, &input_);
    if (!work_->fill(m)) {
      watch.close();
      watch.worked(0, 0, 0, false, &input_);
      return false;
    }
    m.since = watch.made();
    watch.worked(m.epoch, m.first, m.load == nullptr ? 0 : m.load->size(), true, &input_);
    return true;
  }

 private:
  std::unique_ptr<producer_base> work_;
  part_stats* own_;
  channel* target_;
  input_place input_;
};

/// The run's tracer, or null if the run is not traced.
template <class Trace, class P> std::unique_ptr<run_watch> records_of([[maybe_unused]] const P& p) {
  static_assert(!Trace::on || operators_in<P> <= part_timer::most_operators,
                "plumbline: run: a traced pipeline may have at most 255 operators");
  if constexpr (framing<Trace>::frames) framing<Trace>::list(p);
  if constexpr (Trace::on)
    return std::make_unique<tracer>(layout(p), Trace::samples);
  else
    return nullptr;
}
/// True if a run with this trace can compile: a timeline and frames need their headers.
template <class Trace> consteval bool has_its_header() {
  if constexpr (Trace::events) return requires {
      event_log_for(Trace{}, event_limits{}, true);
    };
  else
    return framing<Trace>::frames || !Trace::frames;
}
/// Makes the tracer of a run with a timeline keep events, within the limits that the run's options set.
template <class Trace> void keep_events([[maybe_unused]] run_watch* records, [[maybe_unused]] const run_setting& how) {
  if constexpr (Trace::events) {
    const auto threads = how.threads == 0 ? 0 : how.threads + how.io_threads + 1;
    const event_limits most{how.options.timeline_bytes, threads, how.options.timeline_file};
    static_cast<tracer*>(records)->keep_events(event_log_for(Trace{}, most, how.threads != 0));
  }
}
template <class Trace> tracer* tracer_of([[maybe_unused]] run_watch* records) {
  if constexpr (Trace::on)
    return static_cast<tracer*>(records);
  else
    return nullptr;
}

}  // namespace plumbline::detail
