#pragma once
/// Definitions of exec/channel.hpp.

#include <plumbline/exec/channel.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// Everything here is used under `mutex`, except what is set before anything runs.
struct channel::queue {
  channel& of;
  const bool ordered;
  std::vector<message> messages;
  std::vector<message*> free, ring, ready;
  std::mutex mutex{};
  std::condition_variable arrived{};
  std::function<void()> wake_producer{}, wake_consumer{};
  std::uint64_t taken = 0;
  request wanted{0, 0, false};
  bool closed = false;
  bool freed = false;  ///< pick() returned credits, and the producer has not been notified
  std::size_t credits;

  queue(channel& p, std::size_t first, std::size_t most, bool in_order)
      : of(p), ordered(in_order), messages(most), ring(most, nullptr), credits(first) {
    for (auto& m : messages) free.push_back(&m);
    ready.reserve(most);
  }
  void passed(const message& m) const {
    if (m.parts != nullptr) of.marked_.store(false, std::memory_order_relaxed);
  }
  bool current(const message* m) const { return wanted.active && m->generation == wanted.generation; }
  void reclaim(message* m) {
    if (m->load != nullptr) m->load->recycle();
    passed(*m);
    *m = message{};
    free.push_back(m);
  }
  message* pick() {
    message* found = nullptr;
    const auto is_found = [&](message* m) {
      ++taken;
      if (current(m)) {
        found = m;
      } else {
        reclaim(m);
        freed = true;
      }
      return found != nullptr;
    };
    if (ordered) {
      while (auto*& slot = ring[taken % ring.size()])
        if (is_found(std::exchange(slot, nullptr))) break;
    } else {
      for (std::size_t i = 0; i < ready.size();) {
        auto* m = ready[i];
        // the message that ends the epoch comes last, unless it carries an error
        if (current(m) && m->last && m->error == nullptr && m->sequence != taken) {
          ++i;
          continue;
        }
        ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(i));
        if (is_found(m)) break;
        i = 0;
      }
    }
    if (found != nullptr) passed(*found);
    return found;
  }
  /// Takes the next message; null if there is none yet. The producer is notified without the lock, as it may send
  /// messages meanwhile.
  message* take(std::unique_lock<std::mutex>& lock) {
    for (;;) {
      auto* found = pick();
      if (!std::exchange(freed, false)) return found;
      lock.unlock();
      wake_producer();
      lock.lock();
      if (found != nullptr) return found;
    }
  }
  /// What the consumer waits for. close() may have been called while take() had no lock: then no thread was waiting,
  /// and the notification is lost.
  bool ended_or_taken(message*& found, std::unique_lock<std::mutex>& lock) {
    return closed || (found = take(lock)) != nullptr || closed;
  }
};

PLUMBLINE_INLINE channel::channel(std::size_t credits, std::size_t most, bool ordered, const run_flags* of)
    : adjustable(most != 0),
      run(of),
      queue_(std::make_unique<queue>(*this, credits, std::max(credits, most), ordered)) {}
PLUMBLINE_INLINE channel::~channel() = default;
PLUMBLINE_INLINE channel_load channel::load() const {
  auto& q = *queue_;
  const std::scoped_lock lock(q.mutex);
  channel_load now{.in_flight = q.messages.size() - q.free.size()};
  const auto count = [&](const message* m) {
    ++now.ready;
    now.elements += m->load == nullptr ? 0 : m->load->size();
  };
  for (const auto* m : q.ready) count(m);
  bool gap = false;
  for (std::size_t i = 0; i != q.ring.size(); ++i) {
    const auto* m = q.ring[(q.taken + i) % q.ring.size()];
    if (m != nullptr) count(m);
    if (m != nullptr && gap) ++now.early;
    gap = gap || m == nullptr;
  }
  return now;
}
PLUMBLINE_INLINE std::size_t channel::credits() const {
  const std::scoped_lock lock(queue_->mutex);
  return queue_->credits;
}
PLUMBLINE_INLINE std::size_t channel::most_credits() const { return queue_->messages.size(); }
PLUMBLINE_INLINE void channel::limit(std::size_t credits) {
  {
    const std::scoped_lock lock(queue_->mutex);
    queue_->credits = std::clamp<std::size_t>(credits, 1, queue_->messages.size());
  }
  queue_->wake_producer();
}
PLUMBLINE_INLINE void channel::on_credit(std::function<void()> wake_producer) {
  queue_->wake_producer = std::move(wake_producer);
}
PLUMBLINE_INLINE void channel::on_arrival(std::function<void()> wake_consumer) {
  queue_->wake_consumer = std::move(wake_consumer);
}
PLUMBLINE_INLINE void channel::drain() {
  for (auto& m : queue_->messages)
    if (m.load != nullptr) std::exchange(m.load, nullptr)->recycle();
}
PLUMBLINE_INLINE message* channel::take() {
  std::unique_lock lock(queue_->mutex);
  return queue_->take(lock);
}
PLUMBLINE_INLINE message* channel::take_waiting() {
  auto& q = *queue_;
  std::unique_lock lock(q.mutex);
  message* m = nullptr;
  q.arrived.wait(lock, [&] { return q.ended_or_taken(m, lock); });
  return m;
}
PLUMBLINE_INLINE message* channel::take_waiting(std::int64_t until) {
  auto& q = *queue_;
  std::unique_lock lock(q.mutex);
  message* m = nullptr;
  const std::chrono::steady_clock::time_point end{std::chrono::nanoseconds(until)};
  q.arrived.wait_until(lock, end, [&] { return q.ended_or_taken(m, lock); });
  return m;
}
PLUMBLINE_INLINE void channel::release(message* m) {
  {
    const std::scoped_lock lock(queue_->mutex);
    queue_->reclaim(m);
  }
  queue_->wake_producer();
}
PLUMBLINE_INLINE void channel::close() {
  {
    const std::scoped_lock lock(queue_->mutex);
    queue_->closed = true;
  }
  queue_->arrived.notify_all();
}
PLUMBLINE_INLINE channel::request channel::wanted() {
  const std::scoped_lock lock(queue_->mutex);
  return queue_->wanted;
}
PLUMBLINE_INLINE message* channel::acquire() {
  const std::scoped_lock lock(queue_->mutex);
  auto& free = queue_->free;
  if (free.size() + queue_->credits <= queue_->messages.size()) return nullptr;
  auto* m = free.back();
  free.pop_back();
  return m;
}
PLUMBLINE_INLINE void channel::put_back(message* m) {
  const std::scoped_lock lock(queue_->mutex);
  *m = message{};
  queue_->free.push_back(m);
}
PLUMBLINE_INLINE void channel::deposit(message* m) {
  auto& q = *queue_;
  {
    const std::scoped_lock lock(q.mutex);
    if (q.ordered)
      q.ring[m->sequence % q.ring.size()] = m;
    else
      q.ready.push_back(m);
  }
  q.arrived.notify_one();
  if (q.wake_consumer) q.wake_consumer();
}
PLUMBLINE_INLINE void channel::ask(bool active, std::uint64_t epoch, segment_mark from) {
  {
    const std::scoped_lock lock(queue_->mutex);
    auto& wanted = queue_->wanted;
    ++wanted.generation;
    wanted.active = active;
    wanted.epoch = epoch;
    wanted.from = std::move(from);
    current_.store(active ? wanted.generation : 0, std::memory_order_relaxed);
  }
  queue_->wake_producer();
}

}  // namespace plumbline::detail
