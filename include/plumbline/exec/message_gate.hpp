#pragma once
/// message_gate: limits how many messages of a stage are processed at once, in a run whose limits may change. Those
/// beyond the limit wait here, in order.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>

namespace plumbline::detail {

struct message;

class message_gate {
 public:
  explicit message_gate(std::size_t limit) : limit_(limit) {}

  /// At least 1. If messages are waiting and it was raised, enter(nullptr) begins with them.
  void limit(std::size_t n) { limit_.store(std::max<std::size_t>(n, 1), std::memory_order_relaxed); }
  std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  /// A message has arrived; or null: the limit was raised. Returns the message to process now, the first that waits;
  /// null if as many as allowed are being processed.
  message* enter(message* m) {
    const std::scoped_lock lock(mutex_);
    if (m != nullptr) waiting_.push_back(m);
    if (waiting_.empty() || at_work_ >= limit()) return nullptr;
    ++at_work_;
    return first();
  }
  /// The message that enter() returned has been processed. True if another one waits that may begin: enter(nullptr)
  /// returns it.
  bool leave() {
    const std::scoped_lock lock(mutex_);
    return --at_work_ < limit() && !waiting_.empty();
  }
  /// The same for a thread that goes on with the next one itself, which is returned; null: none waits, or fewer are
  /// allowed now.
  message* next() {
    const std::scoped_lock lock(mutex_);
    if (!waiting_.empty() && at_work_ <= limit()) return first();
    --at_work_;
    return nullptr;
  }

 private:
  message* first() {
    auto* m = waiting_.front();
    waiting_.pop_front();
    return m;
  }
  std::atomic<std::size_t> limit_;
  std::mutex mutex_;
  std::size_t at_work_ = 0;
  std::deque<message*> waiting_;
};

}  // namespace plumbline::detail
