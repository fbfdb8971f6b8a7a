#pragma once
/// Definitions of exec/taking.hpp.

#include <plumbline/exec/taking.hpp>
#include <plumbline/exec/unused_id.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

inline std::int64_t cpu_spent(std::int64_t from, std::int64_t to) {
  const auto& known = clock_costs::known();
  return std::max(to - from - static_cast<std::int64_t>(static_cast<double>(known.cpu_clock) / known.ticks_a_ns),
                  std::int64_t{0});
}
PLUMBLINE_INLINE void taking::watch_each(bool wanted_now) {
  every_ = wanted_now;
  odd.store(every_ || timed_ != wanted, std::memory_order_relaxed);
}
PLUMBLINE_INLINE void taking::called(const call& c) {
  if (every_) each->took(c.entered, c.left, c.epoch, c.position, c.got);
  if (timed_ == wanted) return;
  const auto [entered, left] = std::pair(c.entered, c.left);
  const bool fetched = c.fetched;
  const auto tick = clock_costs::known().tick;
  // Calls may take only ten nanoseconds, so the cost of reading the clock between two calls is subtracted. Samples in
  // which the thread lost its CPU, or did something long, are discarded.
  if (!fetched && last_ != 0 && std::max(left - entered, entered - last_) < 5000 * tick) {
    inside_ += left - entered;
    outside_ += std::max<std::int64_t>(entered - last_ - tick, 0);
  }
  if (++timed_ == wanted) odd.store(every_, std::memory_order_relaxed);
  last_ = ticks_now();
}
PLUMBLINE_INLINE void taking::entered() {
  stop_timing();
  if (++turn_ >= turns_) begin_turns();
  if (turn_ != fetching) return;
  entered_ = cpu_now();
  if (left_ == 0 || thread_ != thread_number()) return;
  between_ += cpu_spent(left_, entered_);
  shared_ += held_;
}
PLUMBLINE_INLINE void taking::left(std::size_t elements) {
  held_ = elements;
  elements_ += elements;
  ++messages_;
  if (turn_ == fetching && entered_ != 0) {
    fetched_ += cpu_spent(entered_, cpu_now());
    ++fetches_;
  } else if (turn_ == fetching - 1) {
    thread_ = thread_number();
    left_ = cpu_now();
  } else if (turn_ == 0) {
    timed_ = 0;
    last_ = 0;
    odd.store(true, std::memory_order_relaxed);
  }
}
PLUMBLINE_INLINE void taking::forget() {
  left_ = entered_ = 0;
  stop_timing();
}
PLUMBLINE_INLINE double taking::seconds() const {
  const auto of = [](std::int64_t part, auto all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.0;
  };
  return 1e-9 * (of(inside_, inside_ + outside_) * of(between_, shared_) * static_cast<double>(elements_) +
                 of(fetched_, fetches_) * static_cast<double>(messages_));
}
PLUMBLINE_INLINE void taking::begin_turns() {
  turn_ = 0;
  const auto& costs = clock_costs::known();
  const auto now = ticks_now(), took = now - std::exchange(begun_, now);
  const auto enough = 400 * (4 * costs.cpu_clock + (2 * wanted + 2) * costs.tick);
  turns_ = std::clamp(took < enough ? 2 * turns_ : took > 4 * enough ? turns_ / 2 : turns_, least_turns, most_turns);
}
PLUMBLINE_INLINE void taking::stop_timing() {
  if (timed_ != wanted) odd.store(every_, std::memory_order_relaxed);
  timed_ = wanted;
}

}  // namespace plumbline::detail
