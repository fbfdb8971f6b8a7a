#pragma once
/// sampler: times a sample of a part's elements by operator. From time to time a block of elements passes operator by
/// operator instead of element by element, and the clock is read where an operator begins and ends (`to`). This costs
/// about half a percent of the part's time.

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
  /// `n` elements passed without being timed.
  void passed(std::uint64_t n) {
    if (paused_) return;
    thread_.stretch += n;
    passed_ += n;
  }
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
  void fills(const payload& to) { to_ = &to; }
  /// The same for a block of several: called after each element of operator `op`, so that the slowest is known.
  void passed_one(std::uint32_t op, const lineage* at, std::size_t place) {
    const auto now = ticks_now();
    if (const auto took = now - one_; took > slowest_.ticks)
      slowest_ = {took, one_, op, at == nullptr ? lineage{} : *at, place, at != nullptr};
    one_ = now;
    ++laps_;
  }
  void begin_ones() { one_ = ticks_now(); }
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

  bool serial_ = false;         ///< of a serial part
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
      m.begin_block();
      m.slow_ = m.thread_.timed_each > static_cast<double>(clock_costs::known().of_ns(20'000));
      began = ticks_now();
      m.begin_laps();
    }
    timed_block(const timed_block&) = delete;
    ~timed_block() { m.end_timing(*this); }
    void warm() {
      --n;
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
    slowest_.ticks = 0;
    place_ = to_ == nullptr ? 0 : to_->size();
  }
  void keep_block(std::uint64_t n) const;
  void begin_laps();
  void to_cell(std::uint32_t next);
  void end_timing(const timed_block& block);
  /// Plans the next block; false if the allowance does not cover it.
  bool plan_block();

  const payload* to_ = nullptr;
  lineage at_{};
  bool named_ = false;
  std::size_t place_ = 0;
  struct slow_one {
    std::int64_t ticks, begun;
    std::uint32_t op;
    lineage at;
    std::size_t place;  ///< among the results, counted from those of before the block
    bool known;
  };
  slow_one slowest_{};  ///< of the block
  std::int64_t one_ = 0;
  bool slow_ = false;
  std::uint64_t passed_ = 0;                   ///< elements passed without being timed
  std::int64_t timed_ = 0;                     ///< ticks of timed blocks
  std::int64_t block_ = 0, last_ = 0;          ///< ticks
  std::int64_t block_cpu_ = 0, last_cpu_ = 0;  ///< ns
  std::int64_t laps_ = 0;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/sampler_inl.hpp>
#endif
