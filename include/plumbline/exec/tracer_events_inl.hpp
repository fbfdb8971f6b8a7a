#pragma once
/// Definitions of exec/tracer.hpp: the consumer's events, and the timeline.

#include <plumbline/exec/tracer.hpp>
#include <plumbline/exec/unused_id.hpp>
#include <plumbline/model/timeline.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE void tracer::keep_events(std::unique_ptr<event_keeper> to) { events_ = std::move(to); }
PLUMBLINE_INLINE void tracer::asked() {
  end_.reset();
  know_end_.clear();
  asked_at_ = events_ == nullptr || paused() ? 0 : ticks_now();
}
PLUMBLINE_INLINE void tracer::had(std::uint32_t segment, std::uint64_t sequence, std::size_t elements) {
  if (asked_at_ == 0 || calls_ == nullptr) return;
  const auto now = ticks_now();
  const auto passed = std::min<std::uint64_t>(calls_->unwanted, elements);
  const timeline_event e{.begun = asked_at_,
                         .ended = now,
                         .sequence = sequence,
                         .index = calls_->first + passed,
                         .epoch = static_cast<std::uint32_t>(calls_->epoch),
                         .count = static_cast<std::uint32_t>(elements - passed),
                         .used = static_cast<std::uint32_t>(passed),
                         .segment = static_cast<std::uint16_t>(segment),
                         .kind = event_kind::fetch};
  events_->consumer().write(e);
  // calls are recorded one by one where that costs little, and where they find that the epoch has ended
  const auto apart = had_ == 0 ? 0 : (asked_at_ - had_at_) / static_cast<std::int64_t>(had_);
  calls_->watch_each(elements == 0 || (elements > 1 && (had_ == 0 || apart > clock_costs::known().of_ns(4000))));
  if (elements == 0) {
    end_ = e;
    know_end_.push_back(thread_number());
  }
  had_at_ = now, had_ = elements;
}
PLUMBLINE_INLINE void tracer::took(std::int64_t entered, std::int64_t left, std::uint64_t epoch, std::uint64_t position,
                                   bool got) {
  if (paused()) return;
  if (!got) {                          // once for each thread, as it may ask again and again
    const auto own = thread_number();  // an address would be that of a later thread too
    if (!end_ || end_->epoch != static_cast<std::uint32_t>(epoch) ||
        std::find(know_end_.begin(), know_end_.end(), own) != know_end_.end())
      return;
    know_end_.push_back(own);
    auto e = *end_;
    e.begun = entered, e.ended = left;
    events_->consumer().write(e);
    return;
  }
  events_->consumer().write({.begun = entered,
                             .ended = left,
                             .index = position,
                             .epoch = static_cast<std::uint32_t>(epoch),
                             .kind = event_kind::call});
}
PLUMBLINE_INLINE bool tracer::timeline(plumbline::timeline& to, const pipeline_info& of) const {
  if (events_ == nullptr) return false;
  std::vector<built_part> parts;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& s : stats_)
      if (std::none_of(parts.begin(), parts.end(), [&](const auto& p) { return p.number == s->part.number; }))
        parts.push_back(s->part);
  }
  events_->events(to, rows_, parts, of);
  const auto counters = so_far().counters;
  for (auto& p : to.parts) {
    if (p.operators.empty()) continue;  // it only passes on what other parts made
    const auto& made = counters[p.operators.back() - 1];
    if (made.completions > 0) p.element_bytes = static_cast<double>(made.bytes) / static_cast<double>(made.completions);
  }
  return true;
}

}  // namespace plumbline::detail
