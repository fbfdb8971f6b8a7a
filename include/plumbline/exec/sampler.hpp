#pragma once
/// sampler: times some of a part's elements by operator. Now and then a block of them passes operator by operator
/// instead of one after another, and the clock is read where an operator begins and ends (`to`). About half a percent
/// of the part's time goes into that.

#include <plumbline/core/rng.hpp>
#include <plumbline/exec/account.hpp>
#include <plumbline/exec/clocks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

/// The sample of one message or turn.
class sampler {
 public:
  static constexpr std::size_t most_block = 512;  ///< elements that are timed together, at most

  /// How many of the next `n` elements pass before some are to be timed. How many that are, and when, is at random and
  /// of no message, so that nothing periodic escapes it.
  std::uint64_t untimed(std::uint64_t n) {
    if (paused_ || (shard_.block == 0 && !plan_block())) return n;
    const auto next = std::min(shard_.ahead, n);
    shard_.ahead -= next;
    return next;
  }
  /// So many passed without being timed.
  void passed(std::uint64_t n) {
    if (paused_) return;
    shard_.stretch += n;
    passed_ += n;
  }
  /// Times up to `most` elements; what a message cuts off goes on in the next. `some(k)` makes k elements, operator by
  /// operator; false: that was all. Of several the first does not count: it finds code and data out of the caches.
  template <class F> std::uint64_t time(std::uint64_t most, F&& some) {
    const auto n = std::min(shard_.block, most);
    shard_.block -= n;
    timed_block block(*this, n);
    if (n > 1) {
      if (!some(std::uint64_t{1})) return n;
      block.warm();
    }
    some(block.n);
    return n;
  }
  /// Is this the time of an element of the sample?
  bool timing() const { return timing_; }
  /// What comes is the work of operator `op`; 0: the executor's.
  void to(std::uint32_t op) { to_place(place(op)); }
  std::uint32_t current() const { return current_ == 0 ? 0 : current_ + before_; }
  /// It made so many elements of the sample.
  void was_timed(std::uint32_t op, std::uint64_t n = 1) { cell(op).seen += static_cast<std::int64_t>(n); }

 protected:
  /// `before`: number of the operator before the part's first. `paused`: nothing is recorded.
  sampler(shard& s, std::uint32_t before, bool paused) : shard_(s), before_(before), paused_(paused) {}
  ~sampler() = default;
  std::uint32_t place(std::uint32_t op) const { return op == 0 ? 0 : op - before_; }
  shard::cell& cell(std::uint32_t op) { return cells_[place(op)]; }
  /// The message or turn took `all` ticks, and without what timing cost, `spent`.
  void account_for(std::int64_t all, std::int64_t spent) {
    shard_.allowance = std::min<std::int64_t>(shard_.allowance + spent / 200, 2'000'000);
    if (passed_ == 0) return;
    const auto each = static_cast<double>(all - timed_) / static_cast<double>(passed_);
    shard_.fused_each = shard_.fused_each == 0 ? each : shard_.fused_each + (each - shard_.fused_each) / 4;
  }

  shard& shard_;
  shard::cell* const cells_ = shard_.cells.data();
  const std::uint32_t before_;
  const bool paused_;
  bool timing_ = false;
  std::uint32_t current_ = 0;  ///< the place of the operator that is being timed
  std::int64_t own_ = 0;       ///< ticks that timing cost

 private:
  struct timed_block {
    timed_block(sampler& of, std::uint64_t most) : m(of), n(most) {
      m.timing_ = true;
      m.slow_ = m.shard_.timed_each > static_cast<double>(clock_costs::known().of_ns(20'000));
      began = ticks_now();
      m.begin_laps();
    }
    timed_block(const timed_block&) = delete;
    ~timed_block() { m.end_timing(*this); }
    void warm() {
      --n;
      for (auto& c : m.shard_.cells) c.wall_lap = c.cpu_lap = c.seen = 0;
      m.begin_laps();
    }
    sampler& m;
    std::uint64_t n;
    std::int64_t began;
  };
  void begin_laps() {
    laps_ = 0;
    block_cpu_ = last_cpu_ = cpu_now();
    current_ = 0;
    block_ = last_ = ticks_now();
  }
  void to_place(std::uint32_t next) {
    const auto& costs = clock_costs::known();
    const auto now = ticks_now();
    auto& c = cells_[current_];
    c.wall_lap += std::max<std::int64_t>(now - last_ - costs.tick, 0);
    ++laps_;
    last_ = now;
    if (slow_) {  // beside such elements reading the processor's clock costs nothing
      const auto cpu = cpu_now();
      c.cpu_lap += std::max<std::int64_t>(costs.of_ns(cpu - last_cpu_) - costs.cpu_clock, 0);
      last_cpu_ = cpu;
      last_ = ticks_now();
    }
    current_ = next;
  }
  void end_timing(const timed_block& block) {
    to_place(0);
    timing_ = false;
    const auto& costs = clock_costs::known();
    const auto now = ticks_now(), took = now - block_;
    auto* longest = &shard_.cells.front();
    for (auto& c : shard_.cells) {
      if (!slow_) c.cpu_lap = c.wall_lap;
      if (c.wall_lap > longest->wall_lap) longest = &c;
    }
    // a thread that lost its processor meanwhile lost it in one of the operators
    if (!slow_ && took > 20 * costs.cpu_clock) {
      const auto blocked = took - costs.of_ns(cpu_now() - block_cpu_);
      if (blocked > 4 * costs.cpu_clock) longest->cpu_lap = std::max<std::int64_t>(longest->cpu_lap - blocked, 0);
    }
    const auto n = static_cast<double>(block.n);
    for (auto& c : shard_.cells) {
      c.wall.add(shard_.weight * static_cast<double>(c.wall_lap));
      c.cpu.add(shard_.weight * static_cast<double>(c.cpu_lap));
      c.visits.add(shard_.weight * static_cast<double>(c.seen));
      c.timed.add(static_cast<std::uint64_t>(c.seen));
      c.wall_lap = c.cpu_lap = c.seen = 0;
    }
    shard_.timed_each = static_cast<double>(took) / n;
    shard_.stretch = 0;
    // What timing cost is what these elements took longer than they usually do, within limits: they are not all alike.
    const auto all = now - block.began;
    timed_ += all;
    const auto clocks = laps_ * (costs.tick + (slow_ ? 2 * costs.cpu_clock : 0)) + 2 * costs.cpu_clock;
    const auto most = 2 * clocks + static_cast<std::int64_t>(n * 32 * static_cast<double>(shard_.cells.size()));
    const auto usual = static_cast<std::int64_t>(n * shard_.fused_each);
    shard_.cost = shard_.fused_each == 0 ? clocks : std::clamp(all - usual, std::min(clocks, most), most);
    own_ += shard_.cost;
    shard_.allowance -= shard_.cost;
  }
  /// Decides on the next block, if the allowance pays for one.
  bool plan_block() {
    if (shard_.allowance < shard_.cost) return false;
    const auto each = shard_.fused_each != 0 ? shard_.fused_each : shard_.timed_each;
    const auto fit = static_cast<double>(clock_costs::known().of_ns(64'000)) / std::max(each, 1.0);
    shard_.block = each == 0 ? 1 : static_cast<std::uint64_t>(std::clamp(fit, 1.0, double{most_block}));
    shard_.ahead = mix(++shard_.random, 0) % (shard_.stretch + 1);
    const auto block = static_cast<double>(shard_.block);
    shard_.weight = (static_cast<double>(shard_.stretch + shard_.ahead) + block) / block;
    return true;
  }

  bool slow_ = false;
  std::uint64_t passed_ = 0;                   ///< elements, not timed
  std::int64_t timed_ = 0;                     ///< ticks of timed blocks
  std::int64_t block_ = 0, last_ = 0;          ///< ticks
  std::int64_t block_cpu_ = 0, last_cpu_ = 0;  ///< ns
  std::int64_t laps_ = 0;
};

}  // namespace plumbline::detail
