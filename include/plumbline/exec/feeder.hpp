#pragma once
/// Feeders: the serial part at the beginning of a line, as an actor. It wakes when there is a credit, an arrival or a
/// new epoch, and fills messages until one of the three is missing.

#include <plumbline/data/nbytes.hpp>
#include <plumbline/exec/cursor.hpp>
#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/marker.hpp>
#include <plumbline/exec/record.hpp>

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
  indexed_feeder(std::shared_ptr<const Head> head, port* out, pace* cost, message_limits limits,
                 const std::atomic<bool>* stop)
      : head_(std::move(head)), out_(out), cost_(cost), limits_(limits), stop_(stop) {
    out->by_number = true;
  }

  void run(const std::function<void(message*)>& send) override {
    while (!stop_->load(std::memory_order_relaxed)) {
      const auto want = out_->wanted();
      if (want.generation != generation_) {
        generation_ = want.generation;
        running_ = want.active;
        next_ = want.from.first;
        counted_ = false;
      }
      if (!running_) return;
      auto* m = out_->acquire();
      if (m == nullptr) return;
      m->generation = generation_;
      m->epoch = want.epoch;
      m->first = next_;
      if (!std::exchange(counted_, true)) {
        count_ = 0;
        try {
          count_ = head_->size();
        } catch (...) {
          m->error = std::current_exception();  // an endless repeat of nothing
        }
      }
      next_ = std::min(next_, count_);
      m->count = std::min<std::uint64_t>(cost_->elements(limits_.elements), count_ - next_);
      next_ += m->count;
      m->last = next_ == count_;
      if (m->last) running_ = false;
      m->sequence = out_->next_sequence();
      send(m);
    }
  }

 private:
  std::shared_ptr<const Head> head_;
  port* out_;
  pace* cost_;
  message_limits limits_;
  const std::atomic<bool>* stop_;
  std::uint64_t generation_ = 0, next_ = 0, count_ = 0;
  bool running_ = false, counted_ = false;
};

/// Pumps a cursor into chunks.
template <class Trace, class Cursor, bool KeepLineage> class cursor_feeder final : public feeder_base {
 public:
  using element = typename Cursor::element;

  cursor_feeder(Cursor cursor, port* out, pace* cost, message_limits limits, const std::atomic<bool>* stop,
                probe<Trace> p)
      : cursor_(std::move(cursor)),
        out_(out),
        cost_(cost),
        limits_(limits),
        stop_(stop),
        probe_(p),
        marks_(out->wants_marks) {}

  void run(const std::function<void(message*)>& send) override {
    while (!stop_->load(std::memory_order_relaxed)) {
      const auto want = out_->wanted();
      const bool fresh = want.generation != generation_;
      if (fresh) {
        if (running_) cursor_.leave();
        generation_ = want.generation;
        running_ = want.active;
        position_ = want.from.first;
        here_ = next_ = nullptr;
        marks_.give_up();
      }
      if (!running_) return;
      auto* m = out_->acquire();
      if (m == nullptr) {
        begin_pending_ = begin_pending_ || fresh;
        return;
      }
      chunk<element>* c = nullptr;
      auto watch = probe_.open();
      const auto since = std::chrono::steady_clock::now();
      auto p = pulse::ended;
      try {
        c = pool_.get();
        if (fresh || std::exchange(begin_pending_, false)) {
          begin_pending_ = false;
          if (want.from.parts == nullptr)
            cursor_.begin(want.epoch);
          else
            loading (*want.from.parts)(cursor_);
        } else if (here_ == nullptr && !out_->marked() && marks_.due()) {
          here_ = marks_.take(cursor_);
        }
        p = fill(*c, watch.get());
      } catch (...) {
        m->error = std::current_exception();
        try {
          cursor_.leave();
        } catch (...) {
        }
      }
      const std::size_t count = c == nullptr ? 0 : c->size();
      cost_->measured(std::chrono::steady_clock::now() - since, count);
      const bool changed = out_->stale(generation_);
      if (changed || (p == pulse::pending && count == 0)) {
        if (c != nullptr) c->recycle();
        out_->put_back(m);
        if (changed) continue;
        return;
      }
      m->generation = generation_;
      m->epoch = want.epoch;
      m->first = position_;
      m->load = c;
      position_ += count;
      m->last = p == pulse::ended;
      if (m->last) running_ = false;
      if (here_ != nullptr) out_->mark(*m, std::move(here_));
      here_ = std::exchange(next_, nullptr);
      m->sequence = out_->next_sequence();
      watch.sent(*m);
      send(m);
      if (p == pulse::pending) return;
    }
  }

 private:
  pulse fill(chunk<element>& c, [[maybe_unused]] meter* watch) {
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
      const auto p = pump_timed<Trace>(cursor_, sink, some, watch);
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
  [[no_unique_address]] probe<Trace> probe_;
  chunk_pool<element> pool_;
  marker marks_;
  std::shared_ptr<const saved> here_, next_;  ///< marks for this message and the one after it
  std::uint64_t generation_ = 0, position_ = 0;
  bool running_ = false, begin_pending_ = false;
};

}  // namespace plumbline::detail
