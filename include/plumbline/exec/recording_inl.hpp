#pragma once
// The code of recording.hpp that is not a template (core/compiled.hpp).

#include <plumbline/core/owned.hpp>
#include <plumbline/exec/part_timer.hpp>
#include <plumbline/exec/recording.hpp>
#include <plumbline/exec/tracer.hpp>

#include <stdexcept>
#include <utility>

namespace plumbline::detail {

/// `target`: the channel at the end of the segment.
class recorded_stage final : public stage_base {
 public:
  recorded_stage(std::unique_ptr<stage_base> work, part_stats* own, channel* target)
      : work_(std::move(work)), own_(own), target_(target) {}
  bool tries(bool reads_wait) const override { return work_->tries(reads_wait); }
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

PLUMBLINE_INLINE std::unique_ptr<stage_base> recorded(std::unique_ptr<stage_base> work, part_stats* own,
                                                      channel* target) {
  return owned<stage_base, recorded_stage>(std::move(work), own, target);
}
PLUMBLINE_INLINE std::unique_ptr<producer_base> recorded(std::unique_ptr<producer_base> work, part_stats* own,
                                                         channel* target) {
  return owned<producer_base, recorded_producer>(std::move(work), own, target);
}
PLUMBLINE_INLINE std::unique_ptr<run_watch> make_tracer(std::vector<layout_row> rows, bool samples) {
  return std::make_unique<tracer>(std::move(rows), samples);
}
[[noreturn]] PLUMBLINE_INLINE void throw_no_timeline() {
  throw std::invalid_argument(
      "plumbline: run: timeline_file is set, but this run records no timeline; leave it out, or use "
      "run<pl::tracing::timeline>(p, ...), with tuned.plan() for a tuned pipeline");
}
PLUMBLINE_INLINE void keep_events_in(run_watch& records, std::unique_ptr<event_keeper> events) {
  static_cast<tracer&>(records).keep_events(std::move(events));
}

}  // namespace plumbline::detail
