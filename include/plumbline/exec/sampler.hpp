#pragma once
/// sampler: times a sample of a part's elements by operator. From time to time a block of elements passes operator by
/// operator instead of element by element, and the clock is read where an operator begins and ends (`to`). This costs
/// about half a percent of the part's time. For a timeline, the elements between these blocks are watched where that
/// costs no more than one percent: each passes operator by operator, and only a slow one is recorded.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/lineage.hpp>
#include <plumbline/core/rng.hpp>
#include <plumbline/exec/chunk.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/part_stats.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

class event_ring;

/// A chunk that is being filled.
struct filling_chunk {
  const void* chunk;
  explicit filling_chunk(const void* c) : chunk(c) {}
  filling_chunk(const filling_chunk&) = delete;
  virtual std::size_t size() const = 0;

 protected:
  ~filling_chunk() = default;
};

/// The sample of one message or turn.
class sampler {
 public:
  static constexpr std::size_t most_block = 512;  ///< the most elements timed together

  /// Returns how many of the next `n` elements pass before the next timed block. When a block begins is random and
  /// independent of messages, so that nothing periodic escapes it.
  std::uint64_t untimed(std::uint64_t n) {
    if (paused_ || (thread_.block == 0 && !plan_block())) return n;
    const auto next = std::min(thread_.ahead, n);
    thread_.ahead -= next;
    return next;
  }
  /// `n` elements passed without being timed or watched.
  void passed(std::uint64_t n) {
    if (paused_) return;
    thread_.stretch += n;
    thread_.unseen += n;
    passed_ += n;
  }
  /// How many of the next `n` untimed elements are watched, each within a watched_one, before the others pass.
  std::uint64_t watches(std::uint64_t n) const {
    if (ring_ == nullptr || thread_.watching <= 0) return 0;
    return std::min(n, static_cast<std::uint64_t>(thread_.watching / watch_cost()));
  }
  /// One untimed element that passes operator by operator. It is recorded if it is slow.
  class watched_one {
   public:
    explicit watched_one(sampler& of) : m_(of) { m_.begin_watch(); }
    watched_one(const watched_one&) = delete;
    ~watched_one() { m_.end_watch(made_); }
    /// There was no element, or it was refused.
    void not_made() { made_ = false; }

   private:
    sampler& m_;
    bool made_ = true;
  };
  /// Times up to `most` elements; a block cut off by the end of a message continues in the next one. `some(k)` makes k
  /// elements, operator by operator, and returns false if there are no more. The first of several does not count, as
  /// its code and data are not in the caches.
  template <class F> std::uint64_t time(std::uint64_t most, F&& some) {
    const auto n = std::min(thread_.block, most);
    thread_.block -= n;
    timed_block block(*this, n);
    if (n > 1) {
      if (!some(std::uint64_t{1})) return n;
      block.warm();
    }
    some(block.n);
    return n;
  }
  /// True while elements of the sample are being timed.
  bool timing() const { return timing_; }
  /// From now on time is charged to operator `op`; 0: to the executor.
  void to(std::uint32_t op) { to_cell(cell_index(op)); }
  std::uint32_t current() const { return current_ == 0 ? 0 : current_ + before_; }
  /// Operator `op` made `n` elements of the sample.
  /// For a timeline: the lineage of the elements that are timed now (of the first), and where their results go.
  void element(const lineage& at) {
    if (!named_) at_ = at, named_ = true;
  }
  void fills(const filling_chunk* to) { to_ = to; }
  const filling_chunk* filled() const { return to_; }
  /// The same for a block of several, of which the slowest is known: an element passed operator `op`, whose result is
  /// (or would be) number `i` of the chunk `to`.
  void passed_one(std::uint32_t op, const lineage* at, const void* to, std::size_t i) {
    const auto now = ticks_now();
    if (const auto took = now - one_; took > slowest_.ticks)
      slowest_ = {took, op, at == nullptr ? lineage{} : *at, at != nullptr, to, i};
    one_ = now;
    ++laps_;
  }
  /// Element `i` of `from` goes on, to be number `n` of `to`; without `to`, to be next in the chunk that is filled.
  void moves(const void* from, std::size_t i, const void* to, std::size_t n) {
    if (slowest_.in == from && slowest_.i == i) slowest_.in = to, slowest_.i = n;
  }
  void moves(const void* from, std::size_t i) {
    if (ring_ != nullptr && to_ != nullptr) moves(from, i, to_->chunk, to_->size());
  }
  /// Which of n elements of `from` is the slowest one; n: none.
  std::size_t slowest_in(const void* from, std::size_t n) const {
    return slowest_.in == from ? std::min(slowest_.i, n) : n;
  }
  /// The elements of `from` are at `to` from now on.
  void moves_all(const void* from, const void* to) {
    if (slowest_.in == from) slowest_.in = to;
  }
  void begin_ones() { one_ = ticks_now(); }
  /// Whether the elements of the block pass one by one, so that the slowest is found. After a filter it may be alone.
  bool seeks_slowest() const { return ring_ != nullptr && several_; }
  bool keeps_events() const { return ring_ != nullptr; }
  void was_timed(std::uint32_t op, std::uint64_t n = 1) { cell(op).seen += static_cast<std::int64_t>(n); }

 protected:
  /// `before`: number of the operator before the part's first. `paused`: nothing is recorded.
  sampler(thread_stats& s, std::uint32_t before, bool paused) : thread_(s), before_(before), paused_(paused) {}
  ~sampler() = default;
  std::uint32_t cell_index(std::uint32_t op) const { return op == 0 ? 0 : op - before_; }
  thread_stats::cell& cell(std::uint32_t op) { return cells_[cell_index(op)]; }
  /// The message or turn took `all` ticks; without the cost of timing, `spent`.
  void account_for(std::int64_t all, std::int64_t spent);

  event_ring* ring_ = nullptr;  ///< where events go; null: nowhere
  std::uint16_t segment_ = 0;   ///< of the message, and its number
  std::uint64_t sequence_ = 0;
  thread_stats& thread_;
  thread_stats::cell* const cells_ = thread_.cells.data();
  const std::uint32_t before_;
  const bool paused_;
  bool timing_ = false;
  std::uint32_t current_ = 0;  ///< the cell of the operator that is being timed
  std::int64_t own_ = 0;       ///< ticks that timing cost

 private:
  struct timed_block {
    timed_block(sampler& of, std::uint64_t most) : m(of), n(most) {
      m.timing_ = true;
      m.several_ = false;
      m.begin_block();
      m.slow_ = m.thread_.timed_each > static_cast<double>(clock_costs::known().of_ns(20'000));
      began = ticks_now();
      m.begin_laps();
    }
    timed_block(const timed_block&) = delete;
    ~timed_block() { m.end_timing(*this); }
    void warm() {
      m.several_ = --n > 1;
      m.keep_if_slow();
      m.begin_block();
      for (auto& c : m.thread_.cells) c.wall_lap = c.cpu_lap = c.seen = 0;
      m.begin_laps();
    }
    sampler& m;
    std::uint64_t n;
    std::int64_t began;
  };
  void begin_block() {
    named_ = false;
    slowest_ = {};
    place_ = made();
  }
  std::size_t made() const { return to_ == nullptr ? 0 : to_->size(); }
  /// Adds a share of `spent` ticks to what timing may cost and, if `watching`, to what watching may cost.
  void allow_for(std::int64_t spent, bool watching);
  void keep_block(std::uint64_t n, double slow_weight) const;
  /// The least cost of watching an element, in ticks, if the clock is read so many times; and by all operators.
  static std::int64_t watch_cost(std::int64_t laps) { return laps * (clock_costs::known().tick + 32); }
  std::int64_t watch_cost() const { return watch_cost(static_cast<std::int64_t>(thread_.cells.size())); }
  void begin_watch();
  void end_watch(bool made);
  /// One element or block took `took` ticks; if they are many, the allowance grows at once.
  void allow_at_once(std::int64_t took);
  /// From how many ticks an element is slow.
  static std::int64_t slow() { return clock_costs::known().of_ns(1'000'000); }
  /// Writes events for the first element of a block, which does not count, if it is slow.
  void keep_if_slow();
  void begin_laps();
  void to_cell(std::uint32_t next);
  void end_timing(const timed_block& block);
  /// Plans the next block; false if the allowance does not cover it.
  bool plan_block();

  const filling_chunk* to_ = nullptr;
  lineage at_{};
  bool named_ = false;
  std::size_t place_ = 0;
  struct slow_one {
    std::int64_t ticks = 0;
    std::uint32_t op = 0;
    lineage at{};
    bool known = false;
    const void* in = nullptr;  ///< where it, or what became of it, is now, and its number there
    std::size_t i = 0;
  };
  slow_one slowest_{};  ///< of the block
  std::int64_t one_ = 0;
  bool slow_ = false;
  bool several_ = false;                       ///< elements in the block
  std::uint64_t passed_ = 0;                   ///< elements passed without being timed
  std::int64_t watched_ = 0;                   ///< ticks that watching cost
  std::int64_t timed_ = 0;                     ///< ticks of timed blocks
  std::int64_t allowed_for_ = 0;               ///< ticks of the message that the allowance has grown for
  std::int64_t block_ = 0, last_ = 0;          ///< ticks
  std::int64_t block_cpu_ = 0, last_cpu_ = 0;  ///< ns
  std::int64_t laps_ = 0;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/sampler_inl.hpp>
#endif
