#pragma once
/// Definitions of exec/account.hpp.

#include <plumbline/exec/account.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE account::account(tracer& of, const built_part& p, bool does_hand_over)
    : all(of), part(p), hands_over(does_hand_over), reader(p.operators.empty() ? 0 : p.operators.front()) {
  add_shard();
  shards_.front()->allowance = clock_costs::known().of_ns(50'000);  // at once, so that a short run has a sample too
}

PLUMBLINE_INLINE shard* account::take() {
  if (!hands_over) return shards_.front().get();
  auto& mine = had()[id_ % had().size()];
  if (mine.in != id_ || mine.is->busy) mine = {id_, own()};
  mine.is->busy = true;
  return mine.is;
}

PLUMBLINE_INLINE shard* account::own() {
  const std::scoped_lock lock(mutex_);
  for (auto& s : shards_) {
    if (s->owner == nullptr) s->owner = cpu_window::thread();
    if (s->owner == cpu_window::thread() && !s->busy) return s.get();
  }
  add_shard();
  shards_.back()->owner = cpu_window::thread();
  return shards_.back().get();
}

PLUMBLINE_INLINE void account::add_shard() {
  shards_.push_back(
      std::make_unique<shard>(part.operators.empty() ? 0 : part.operators.back() - part.operators.front() + 1));
  shards_.back()->random = shards_.size();
}

}  // namespace plumbline::detail
