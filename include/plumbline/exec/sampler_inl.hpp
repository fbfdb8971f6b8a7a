#pragma once
/// Definitions of exec/sampler.hpp.

#include <plumbline/exec/event_ring.hpp>
#include <plumbline/exec/sampler.hpp>

#include <bit>

namespace plumbline::detail {

PLUMBLINE_INLINE void sampler::allow_for(std::int64_t spent, bool watching) {
  const auto add = [](std::int64_t& to, std::int64_t more, std::int64_t most) { to = std::min(to + more, most); };
  const bool events = ring_ != nullptr;
  add(thread_.allowance, spent / 200, events ? 20'000'000 : 2'000'000);  // a timeline has many after a long element
  if (events && watching) add(thread_.watching, spent / 100, 20'000'000);
}
PLUMBLINE_INLINE void sampler::allow_at_once(std::int64_t took) {
  if (took < slow()) return;
  allow_for(took, true);  // at once, as others as long may follow in the same message
  allowed_for_ += took;
}
PLUMBLINE_INLINE void sampler::account_for(std::int64_t all, std::int64_t spent) {
  const auto passed = static_cast<double>(passed_);
  const auto each = passed_ == 0 ? thread_.timed_each : static_cast<double>(all - timed_ - watched_) / passed;
  // of very short elements too few could be watched, unless there were slow ones among them
  allow_for(std::max<std::int64_t>(spent - allowed_for_, 0), each > 8.0 * static_cast<double>(watch_cost()));
  if (passed_ != 0)
    thread_.fused_each = thread_.fused_each == 0 ? each : thread_.fused_each + (each - thread_.fused_each) / 4;
}

PLUMBLINE_INLINE void sampler::begin_laps() {
  laps_ = 0;
  block_cpu_ = last_cpu_ = cpu_now();
  current_ = 0;
  block_ = last_ = ticks_now();
}

PLUMBLINE_INLINE void sampler::to_cell(std::uint32_t next) {
  const auto& costs = clock_costs::known();
  const auto now = ticks_now();
  auto& c = cells_[current_];
  c.wall_lap += std::max<std::int64_t>(now - last_ - costs.tick, 0);
  ++laps_;
  last_ = now;
  if (slow_) {  // for such slow elements, reading the CPU clock costs nothing in comparison
    const auto cpu = cpu_now();
    c.cpu_lap += std::max<std::int64_t>(costs.of_ns(cpu - last_cpu_) - costs.cpu_clock, 0);
    last_cpu_ = cpu;
    last_ = ticks_now();
  }
  current_ = next;
}

PLUMBLINE_INLINE void sampler::end_timing(const timed_block& block) {
  to_cell(0);
  timing_ = false;
  const auto& costs = clock_costs::known();
  const auto now = ticks_now(), took = now - block_;
  auto* longest = &thread_.cells.front();
  for (auto& c : thread_.cells) {
    if (!slow_) c.cpu_lap = c.wall_lap;
    if (c.wall_lap > longest->wall_lap) longest = &c;
  }
  // if the thread lost its CPU meanwhile, this is assumed to have happened in the longest operator
  if (!slow_ && took > 20 * costs.cpu_clock) {
    const auto blocked = took - costs.of_ns(cpu_now() - block_cpu_);
    if (blocked > 4 * costs.cpu_clock) longest->cpu_lap = std::max<std::int64_t>(longest->cpu_lap - blocked, 0);
  }
  if (ring_ != nullptr) keep_block(block.n, 1 + static_cast<double>(thread_.unseen) / static_cast<double>(block.n));
  const auto n = static_cast<double>(block.n);
  for (auto& c : thread_.cells) {
    c.wall.add(thread_.weight * static_cast<double>(c.wall_lap));
    c.cpu.add(thread_.weight * static_cast<double>(c.cpu_lap));
    c.visits.add(thread_.weight * static_cast<double>(c.seen));
    c.timed.add(static_cast<std::uint64_t>(c.seen));
    c.wall_lap = c.cpu_lap = c.seen = 0;
  }
  thread_.timed_each = static_cast<double>(took) / n;
  thread_.stretch = thread_.unseen = 0;
  // The cost of timing is how much longer than usual these elements took, within limits, as elements differ. Before the
  // usual time is known it is taken as 0, or a short run would time almost all of its elements.
  const auto all = now - block.began;
  timed_ += all;
  const auto clocks = laps_ * (costs.tick + (slow_ ? 2 * costs.cpu_clock : 0)) + 2 * costs.cpu_clock;
  const auto most = 2 * clocks + static_cast<std::int64_t>(n * 32 * static_cast<double>(thread_.cells.size()));
  const auto usual = static_cast<std::int64_t>(n * thread_.fused_each);
  thread_.cost = std::clamp(all - usual, std::min(clocks, most), most);
  own_ += thread_.cost;
  thread_.allowance -= thread_.cost;
  allow_at_once(took);
}

PLUMBLINE_INLINE void sampler::begin_watch() {
  timing_ = true;
  slow_ = several_ = false;
  begin_block();
  current_ = 0;
  laps_ = 0;
  block_ = last_ = ticks_now();
}
PLUMBLINE_INLINE void sampler::end_watch(bool made) {
  to_cell(0);
  timing_ = false;
  if (made) {
    ++thread_.stretch;
    ++passed_;
  }
  const auto took = last_ - block_;
  // short ones cost more than their clocks: each is now a block of its own
  const auto usual = static_cast<std::int64_t>(thread_.fused_each != 0 ? thread_.fused_each : thread_.timed_each);
  const auto least = watch_cost(laps_), cost = usual < 8 * least ? std::clamp(took - usual, least, 8 * least) : least;
  thread_.watching -= cost;
  watched_ += cost;
  own_ += cost;
  if (took >= slow()) keep_block(1, 1);
  for (auto& c : thread_.cells) c.wall_lap = c.seen = 0;
  allow_at_once(took);
}

/// Writes an event for each operator of a block. They ran one after another, upstream first. `slow_weight`: how many
/// elements a slow one represents; as others are watched, these are fewer than one of the sample does.
PLUMBLINE_INLINE void sampler::keep_block(std::uint64_t n, double slow_weight) const {
  const auto bits = [](double weight) { return std::bit_cast<std::uint32_t>(static_cast<float>(weight)); };
  timeline_event e;
  e.kind = event_kind::sample;
  e.segment = segment_;
  e.sequence = sequence_;
  e.count = static_cast<std::uint32_t>(place_);
  e.used = bits(n == 1 && last_ - block_ >= slow() ? slow_weight : thread_.weight);
  e.few = static_cast<std::uint16_t>(n);
  e.known = named_;
  if (named_) {
    e.index = at_.index;
    e.other = at_.sub;
    e.epoch = static_cast<std::uint32_t>(at_.epoch);
    e.source = static_cast<std::uint16_t>(at_.source_index);
  }
  e.ended = block_;
  // the executor's own time, in cell 0, is shown last
  for (std::size_t k = 0, size = thread_.cells.size(); k != size; ++k) {
    const auto i = k + 1 == size ? 0 : k + 1;
    const auto lap = thread_.cells[i].wall_lap;
    if (lap == 0) continue;
    e.begun = e.ended;
    e.ended += lap;
    e.number = static_cast<std::uint16_t>(i == 0 ? 0 : i + before_);
    // One that took most of the operator's time in the block has an event of its own. It may seem to have taken longer
    // than all, whose time is without that of reading the clock.
    const auto& s = slowest_;
    const auto ticks = std::min(s.ticks, lap);
    if (n < 2 || s.op != e.number || 2 * ticks < lap || ticks < clock_costs::known().of_ns(10'000)) {
      ring_->write(e);
      continue;
    }
    auto alone = e, others = e;
    others.few = static_cast<std::uint16_t>(n - 1);
    others.ended -= ticks;
    ring_->write(others);
    alone.begun = others.ended;
    alone.few = 1;
    if (s.ticks >= slow()) alone.used = bits(slow_weight);
    alone.count = static_cast<std::uint32_t>(to_ != nullptr && s.in == to_->chunk ? s.i : made());
    alone.known = s.known;
    alone.index = s.at.index;
    alone.other = s.at.sub;
    alone.epoch = static_cast<std::uint32_t>(s.at.epoch);
    alone.source = static_cast<std::uint16_t>(s.at.source_index);
    ring_->write(alone);
  }
}

PLUMBLINE_INLINE void sampler::keep_if_slow() {
  if (ring_ == nullptr || ticks_now() - block_ < slow()) return;
  to_cell(0);
  keep_block(1, 1);
}

PLUMBLINE_INLINE bool sampler::plan_block() {
  if (thread_.allowance < thread_.cost) return false;
  const auto each = thread_.fused_each != 0 ? thread_.fused_each : thread_.timed_each;
  const auto& costs = clock_costs::known();
  auto fit = static_cast<double>(costs.of_ns(64'000)) / std::max(each, 1.0);
  // for a timeline each element of a block is timed, which may cost more than the block
  if (ring_ != nullptr)
    fit = std::min(fit, static_cast<double>(thread_.allowance) /
                            static_cast<double>((costs.tick + 32) * static_cast<std::int64_t>(thread_.cells.size())));
  // a timeline shows each of those that take long, if there is enough allowance for many
  const bool singly = ring_ != nullptr && thread_.timed_each > static_cast<double>(costs.of_ns(2'000)) &&
                      thread_.allowance > 64 * std::max(thread_.cost, costs.cpu_clock);
  thread_.block = each == 0 || singly ? 1 : static_cast<std::uint64_t>(std::clamp(fit, 1.0, double{most_block}));
  thread_.ahead = hash_combine(++thread_.random, 0) % (thread_.stretch + 1);
  const auto block = static_cast<double>(thread_.block);
  thread_.weight = (static_cast<double>(thread_.stretch + thread_.ahead) + block) / block;
  return true;
}

}  // namespace plumbline::detail
