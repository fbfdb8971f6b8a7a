#pragma once
/// Feeders: the serial part at the beginning of a line, as an actor. It wakes when there is a credit, an arrival or a
/// new epoch, and fills messages until one of the three is missing.

#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/marker.hpp>
#include <plumbline/exec/unfused.hpp>

#include <memory>
#include <type_traits>

namespace plumbline::detail {

/// How much may go into one message.
struct message_limits {
  std::size_t elements;                      ///< at most
  std::size_t bytes = std::size_t{1} << 18;  ///< about, where elements own memory
};

/// Sends the numbers of an indexed head's elements; the first stage makes them.
template <class Head> class indexed_feeder final : public feeder_base {
 public:
  indexed_feeder(std::shared_ptr<const Head> head, port* out, pace* cost, message_limits limits)
      : head_(std::move(head)), out_(out), cost_(cost), limits_(limits) {
    out->by_number = true;
  }

  message* acquire() override {
    const auto want = out_->wanted();
    if (want.generation != generation_) {
      generation_ = want.generation;
      running_ = want.active;
      epoch_ = want.epoch;
      next_ = want.from.first;
      counted_ = false;
    }
    return running_ ? out_->acquire() : nullptr;
  }
  bool fill(message& m) override {
    m.generation = generation_;
    m.epoch = epoch_;
    m.first = next_;
    if (!std::exchange(counted_, true)) {
      count_ = 0;
      try {
        count_ = head_->size();
      } catch (...) {
        m.error = std::current_exception();  // an endless repeat of nothing
      }
    }
    next_ = std::min(next_, count_);
    m.count = std::min<std::uint64_t>(cost_->elements(limits_.elements), count_ - next_);
    next_ += m.count;
    m.last = next_ == count_;
    if (m.last) running_ = false;
    m.sequence = out_->next_sequence();
    return true;
  }

 private:
  std::shared_ptr<const Head> head_;
  port* out_;
  pace* cost_;
  message_limits limits_;
  std::uint64_t generation_ = 0, epoch_ = 0, next_ = 0, count_ = 0;
  bool running_ = false, counted_ = false;
};

/// Pumps a cursor into chunks.
template <class Trace, class Cursor, bool KeepLineage> class cursor_feeder final : public feeder_base {
 public:
  using element = typename Cursor::element;

  cursor_feeder(Cursor cursor, port* out, pace* cost, message_limits limits, const std::atomic<bool>* stop)
      : cursor_(std::move(cursor)), out_(out), cost_(cost), limits_(limits), stop_(stop), marks_(out->wants_marks) {}

  message* acquire() override {
    auto want = out_->wanted();
    if (want.generation != generation_) {
      if (running_) cursor_.leave();
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
  bool fill(message& m) override {
    chunk<element>* c = nullptr;
    const auto since = std::chrono::steady_clock::now();
    auto p = pulse::ended;
    try {
      c = pool_.get();
      if (std::exchange(begins_, false)) {
        if (want_.from.parts == nullptr)
          cursor_.begin(want_.epoch);
        else
          loading (*want_.from.parts)(cursor_);
      } else if (here_ == nullptr && !out_->marked() && marks_.due()) {
        here_ = marks_.take(cursor_);
      }
      p = fill(*c);
    } catch (...) {
      m.error = std::current_exception();
      try {
        cursor_.leave();
      } catch (...) {
      }
    }
    const std::size_t count = c == nullptr ? 0 : c->size();
    cost_->measured(std::chrono::steady_clock::now() - since, count);
    pending_ = p == pulse::pending;
    if (out_->stale(generation_) || (pending_ && count == 0)) {
      if (c != nullptr) c->recycle();
      out_->put_back(&m);
      return false;
    }
    m.generation = generation_;
    m.epoch = want_.epoch;
    m.first = position_;
    m.load = c;
    position_ += count;
    m.last = p == pulse::ended;
    if (m.last) running_ = false;
    if (here_ != nullptr) out_->mark(m, std::move(here_));
    here_ = std::exchange(next_, nullptr);
    m.sequence = out_->next_sequence();
    return true;
  }

 private:
  pulse fill(chunk<element>& c) {
    const std::size_t target = cost_->elements(limits_.elements);
    std::size_t bytes = 0;
    const auto sink = [&](auto&& x, const lineage& at) {
      if constexpr (!std::is_trivially_copyable_v<element>) bytes += nbytes(x);
      c.template add<KeepLineage>(std::forward<decltype(x)>(x), at);
    };
    // Budgets grow with what they turn out to cost, so that a new epoch or a stop is noticed soon.
    std::size_t budget = 1;
    const auto start = std::chrono::steady_clock::now();
    auto since = start;
    for (;;) {
      [[maybe_unused]] const auto left = target - c.size();
      const auto some = marks_.trying()          ? 1
                        : Cursor::traits.gathers ? budget
                                                 : std::min(budget, std::max<std::size_t>(left, budget / 4));
      const auto p = pump_timed<Trace>(cursor_, sink, some);
      if (p == pulse::more && marks_.trying() && (next_ = marks_.take(cursor_)) != nullptr) return p;
      if (p != pulse::more || c.size() >= target || bytes >= limits_.bytes) return p;
      if (stop_->load(std::memory_order_relaxed) || out_->stale(generation_)) return p;
      const auto now = std::chrono::steady_clock::now();
      // what is there does not wait for what is long in coming (a filter that lets little through)
      if (c.size() != 0 && now - start > std::chrono::milliseconds(1)) return p;
      if (now - since < std::chrono::microseconds(20) && budget < 1024) budget *= 4;
      since = now;
      if (bytes != 0) budget = std::min(budget, std::max<std::size_t>(1, (limits_.bytes - bytes) * c.size() / bytes));
    }
  }

  Cursor cursor_;
  port* out_;
  pace* cost_;
  message_limits limits_;
  const std::atomic<bool>* stop_;
  chunk_pool<element> pool_;
  marker marks_;
  std::shared_ptr<const saved> here_, next_;  ///< marks for this message and the one after it
  std::uint64_t generation_ = 0, position_ = 0;
  port::request want_{0, 0, false};
  bool running_ = false;
  bool begins_ = false;   ///< the cursor has not yet begun its epoch
  bool pending_ = false;  ///< it had no more to give
};

}  // namespace plumbline::detail
