#pragma once
/// Definitions of exec/part_stats.hpp.

#include <plumbline/exec/part_stats.hpp>

#include <algorithm>

namespace plumbline::detail {

PLUMBLINE_INLINE part_stats::part_stats(tracer& of, run_delay& delay, const built_part& p, bool does_hand_over,
                                        std::int64_t first_allowance)
    : all(of),
      part(p),
      hands_over(does_hand_over),
      reader(p.operators.empty() ? 0 : p.operators.front()),
      allowance(first_allowance),
      delay_(delay) {
  add_thread();
  // at least this much at once, so that a short run has a sample too
  auto& first = threads_.front()->allowance;
  first = std::max(first, clock_costs::known().of_ns(50'000));
}

PLUMBLINE_INLINE thread_stats* part_stats::take() {
  if (!hands_over) return threads_.front().get();
  auto& mine = recently_used()[id_ % recently_used().size()];
  if (mine.in != id_ || mine.is->busy) mine = {id_, own()};
  mine.is->busy = true;
  return mine.is;
}

PLUMBLINE_INLINE thread_stats* part_stats::own() {
  const std::scoped_lock lock(mutex_);
  for (auto& s : threads_) {
    if (s->owner == nullptr) take_over(*s);
    if (s->owner == cpu_window::thread() && !s->busy) return s.get();
  }
  add_thread();
  take_over(*threads_.back());
  return threads_.back().get();
}
PLUMBLINE_INLINE void part_stats::take_over(thread_stats& s) {
  s.owner = cpu_window::thread();
  delay_.add_thread();
}

PLUMBLINE_INLINE void part_stats::add_thread() {
  threads_.push_back(
      std::make_unique<thread_stats>(part.operators.empty() ? 0 : part.operators.back() - part.operators.front() + 1));
  threads_.back()->random = threads_.size();
  threads_.back()->allowance = threads_.back()->watching = allowance;
}

}  // namespace plumbline::detail
