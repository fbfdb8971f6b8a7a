#pragma once
/// Definitions of exec/port.hpp.

#include <plumbline/exec/port.hpp>

#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE port::port(std::size_t credits, bool ordered, const std::atomic<bool>* marks)
    : wants_marks(marks), ordered_(ordered), messages_(credits), ring_(credits, nullptr) {
  for (auto& m : messages_) free_.push_back(&m);
  ready_.reserve(credits);
}
PLUMBLINE_INLINE void port::drain() {
  for (auto& m : messages_)
    if (m.load != nullptr) std::exchange(m.load, nullptr)->recycle();
}
PLUMBLINE_INLINE message* port::take() {
  const std::scoped_lock lock(mutex_);
  return pick();
}
PLUMBLINE_INLINE message* port::take_waiting() {
  std::unique_lock lock(mutex_);
  message* m = nullptr;
  arrived_.wait(lock, [&] { return closed_ || (m = pick()) != nullptr; });
  return m;
}
PLUMBLINE_INLINE void port::release(message* m) {
  {
    const std::scoped_lock lock(mutex_);
    reclaim(m);
  }
  wake_feeder();
}
PLUMBLINE_INLINE void port::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  arrived_.notify_all();
}
PLUMBLINE_INLINE port::request port::wanted() {
  const std::scoped_lock lock(mutex_);
  return wanted_;
}
PLUMBLINE_INLINE message* port::acquire() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) return nullptr;
  auto* m = free_.back();
  free_.pop_back();
  return m;
}
PLUMBLINE_INLINE void port::put_back(message* m) {
  const std::scoped_lock lock(mutex_);
  *m = message{};
  free_.push_back(m);
}
PLUMBLINE_INLINE void port::deposit(message* m) {
  {
    const std::scoped_lock lock(mutex_);
    if (ordered_)
      ring_[m->sequence % ring_.size()] = m;
    else
      ready_.push_back(m);
  }
  arrived_.notify_one();
  if (wake_taker) wake_taker();
}
PLUMBLINE_INLINE void port::ask(bool active, std::uint64_t epoch, line_mark from) {
  {
    const std::scoped_lock lock(mutex_);
    ++wanted_.generation;
    wanted_.active = active;
    wanted_.epoch = epoch;
    wanted_.from = std::move(from);
    current_.store(active ? wanted_.generation : 0, std::memory_order_relaxed);
  }
  wake_feeder();
}
PLUMBLINE_INLINE void port::reclaim(message* m) {
  if (m->load != nullptr) m->load->recycle();
  passed(*m);
  *m = message{};
  free_.push_back(m);
}
PLUMBLINE_INLINE message* port::pick() {
  bool freed = false;
  message* found = nullptr;
  if (ordered_) {
    while (auto*& slot = ring_[taken_ % ring_.size()]) {
      auto* m = std::exchange(slot, nullptr);
      ++taken_;
      if (current(m)) {
        found = m;
        break;
      }
      reclaim(m);
      freed = true;
    }
  } else {
    for (std::size_t i = 0; i < ready_.size();) {
      auto* m = ready_[i];
      // the one that ends the epoch goes last, unless it tells of an error
      if (current(m) && m->last && m->error == nullptr && m->sequence != taken_) {
        ++i;
        continue;
      }
      ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
      ++taken_;
      if (current(m)) {
        found = m;
        break;
      }
      reclaim(m);
      freed = true;
      i = 0;
    }
  }
  if (found != nullptr) passed(*found);
  if (freed) wake_feeder();
  return found;
}

}  // namespace plumbline::detail
