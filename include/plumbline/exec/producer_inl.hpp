#pragma once
/// Definitions of exec/producer.hpp.

#include <plumbline/exec/part_timer.hpp>
#include <plumbline/exec/producer.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE number_producer::number_producer(channel* out, chunk_sizer* sizer, message_limits limits)
    : out_(out), sizer_(sizer), limits_(limits) {
  out->by_number = true;
}
PLUMBLINE_INLINE message* number_producer::acquire() {
  const auto want = out_->wanted();
  if (want.generation != generation_) {
    const bool first = std::exchange(generation_, want.generation) == 0;
    running_ = want.active;
    epoch_ = want.epoch;
    if (!first && most_ == no_limit && out_->run->shortens.load(std::memory_order_relaxed)) most_ = next_;
    if (running_) next_ = want.from.first;  // else it stays where the epoch was left: a shortened one ends there
    counted_ = false;
  }
  return running_ ? out_->acquire() : nullptr;
}
PLUMBLINE_INLINE bool number_producer::fill(message& m) {
  m.generation = generation_;
  m.epoch = epoch_;
  m.first = next_;
  if (!std::exchange(counted_, true)) {
    count_ = 0;
    try {
      count_ = std::min(count(), most_);
    } catch (...) {
      m.error = std::current_exception();  // for example an endless repeat of nothing
    }
  }
  next_ = std::min(next_, count_);
  m.count = std::min<std::uint64_t>(sizer_->elements(limits_.elements), count_ - next_);
  next_ += m.count;
  m.last = next_ == count_;
  if (m.last) running_ = false;
  m.sequence = out_->next_sequence();
  return true;
}

PLUMBLINE_INLINE chunk_producer::chunk_producer(channel* out, chunk_sizer* sizer, message_limits limits,
                                                const std::atomic<bool>* stop, bool gathers)
    : out_(out),
      sizer_(sizer),
      cost_(sizer->add_stage()),
      limits_(limits),
      stop_(stop),
      marks_(&out->run->marks),
      gathers_(gathers) {}
PLUMBLINE_INLINE message* chunk_producer::acquire() {
  auto want = out_->wanted();
  if (want.generation != generation_) {
    if (running_) part().leave();
    generation_ = want.generation;
    running_ = begins_ = want.active;
    position_ = want.from.first;
    here_ = next_ = nullptr;
    marks_.give_up();
    want_ = std::move(want);
  } else if (std::exchange(pending_, false)) {
    return nullptr;  // upstream wakes it when there is more
  }
  pending_ = false;
  return running_ ? out_->acquire() : nullptr;
}
PLUMBLINE_INLINE bool chunk_producer::fill(message& m) {
  payload* c = nullptr;
  const auto since = element_cost::now(false);
  auto p = pump_result::ended;
  try {
    c = fresh_chunk();
    if (std::exchange(begins_, false)) {
      part_timer::begins();
      if (want_.from.parts == nullptr)
        part().begin(want_.epoch);
      else
        part().load(*want_.from.parts);
    } else if (here_ == nullptr && !out_->marked() && marks_.due()) {
      here_ = marks_.take(part());
    }
    p = fill(*c);
  } catch (...) {
    m.error = std::current_exception();
    try {
      part().leave();
    } catch (...) {
    }
  }
  const std::size_t count = c == nullptr ? 0 : c->size();
  cost_->measured(since, static_cast<double>(count));
  pending_ = p == pump_result::pending;
  if (out_->stale(generation_) || (pending_ && count == 0)) {
    if (c != nullptr) c->recycle();
    out_->put_back(&m);
    return false;
  }
  m.generation = generation_;
  m.epoch = want_.epoch;
  m.first = position_;
  m.load = c;
  m.count = count;
  position_ += count;
  m.last = p == pump_result::ended;
  if (m.last) running_ = false;
  if (here_ != nullptr) out_->mark(m, std::move(here_));
  here_ = std::exchange(next_, nullptr);
  m.sequence = out_->next_sequence();
  return true;
}
PLUMBLINE_INLINE pump_result chunk_producer::fill(payload& c) {
  const std::size_t target = sizer_->elements(limits_.elements);
  std::size_t bytes = 0;
  // The budget grows while pumping is cheap, so that a new epoch or a stop is noticed soon.
  std::size_t budget = 1, spent = 0;
  const auto start = wall_now();
  auto since = start;
  for (;;) {
    const auto left = target - c.size();
    const auto some = marks_.trying() ? 1
                      : gathers_      ? budget
                                      : std::min(budget, std::max<std::size_t>(left, budget / 4));
    const auto p = pump(c, some, bytes);
    spent += some;
    if (p == pump_result::more && marks_.trying() && (next_ = marks_.take(part())) != nullptr) return p;
    if (p != pump_result::more || c.size() >= target || bytes >= limits_.bytes) return p;
    if (stop_->load(std::memory_order_relaxed) || out_->stale(generation_)) return p;
    const auto now = wall_now();
    // elements that are ready do not wait for one that is slow to come (a filter that keeps few)
    if (c.size() != 0 && now - start > 1'000'000) return p;
    if (now - since < 20'000 && budget < 1024) budget *= 4;
    since = now;
    if (bytes != 0) budget = std::min(budget, std::max<std::size_t>(1, (limits_.bytes - bytes) * spent / bytes));
  }
}

}  // namespace plumbline::detail
