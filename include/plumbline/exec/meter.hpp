#pragma once
/// meter: one message of a stage, or one turn of a serial part, while it is traced. It counts, takes the part's time,
/// and times a sample: now and then some elements pass operator by operator instead of one after another, and the clock
/// is read where an operator begins and ends (`to`). Half a percent of the time goes into that.

#include <plumbline/core/read_watch.hpp>
#include <plumbline/core/rng.hpp>
#include <plumbline/exec/tracer.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace plumbline::detail {

/// One message or turn, on one thread: from its construction to its end.
class meter final : public read_watch {
 public:
  static constexpr std::size_t most_operators = 255;
  static constexpr std::size_t most_block = 512;  ///< elements that are timed together, at most

  explicit meter(account& a)
      : account_(a), shard_(*a.take()), outer_(here()), outer_watch_(read_watch::here()), resting_(a.all.resting()) {
    here() = this;
    if (resting_) return;
    if (a.part.blocks) read_watch::here() = this;
    auto& window = cpu_window::here();
    if (outer_ != nullptr) outer_window_ = window;
    begin_ = ticks_now();
    if (a.hands_over)
      if (const auto last = std::exchange(before(), {}); last.run == a.all.id && begin_ - last.at < most_handing()) {
        last.of->handing.add(std::max<std::int64_t>(begin_ - last.at, 0));
        last.of->handings.add(1);
      }
    exact_ = outer_ != nullptr || (a.part.blocks && !a.part.serial) || shard_.usual > a.unchecked;
    if (exact_ || begin_ - window.since > a.unchecked) {
      window.open(begin_);
      begin_ = ticks_now();
    }
  }
  meter(const meter&) = delete;
  ~meter() override {
    close();
    account_.put_back(&shard_);
  }
  /// Writes it into the account.
  void close() {
    if (std::exchange(closed_, true)) return;
    here() = outer_;
    if (resting_) return;
    const auto now = ticks_now();
    read_watch::here() = outer_watch_;
    auto& window = cpu_window::here();
    const auto spent = now - begin_ - own_;
    shard_.usual = spent;
    shard_.allowance = std::min<std::int64_t>(shard_.allowance + spent / 200, 2'000'000);
    if (passed_ != 0) {
      const auto each = static_cast<double>(now - begin_ - timed_) / static_cast<double>(passed_);
      shard_.element = shard_.element == 0 ? each : shard_.element + (each - shard_.element) / 4;
    }
    window.charged += now - begin_;
    std::int64_t blocked = 0;
    left_ = now;
    if (exact_ || now - window.since > account_.unchecked) {
      blocked = window.close(now);
      left_ = ticks_now();  // the clock's own reading is nobody's
    }
    if (outer_ != nullptr) window = outer_window_;
    shard_.wall.add(spent);
    shard_.cpu.add(spent - blocked);
    if (!account_.hands_over) return;
    shard_.turns.add(1);
    before() = {&shard_, account_.all.id, left_};
  }

  static meter*& here() {
    thread_local meter* m = nullptr;
    return m;
  }

  /// So many elements of `each` bytes.
  void add(std::uint32_t op, std::uint64_t count, std::uint64_t each) {
    if (resting_ || count == 0) return;
    cell(op).count.add(count);
    cell(op).each.set(each);
  }
  /// `squares`: sum of the squares of each element's bytes.
  void add(std::uint32_t op, std::uint64_t count, std::uint64_t bytes, double squares) {
    if (resting_ || count == 0) return;
    cell(op).count.add(count);
    cell(op).bytes.add(bytes);
    cell(op).squares.add(squares);
  }
  /// The message is made; what follows is not recorded. Returns when (ticks), 0: nobody wants to know.
  std::int64_t made() {
    if (!resting_) shard_.messages.add(1);
    close();
    return left_;
  }
  /// A message that was sent on at `since` is taken up by this part now, or was when the part began.
  void queued(std::int64_t since, std::int64_t now) {
    if (since != 0 && !resting_) shard_.queued.add(std::max<std::int64_t>(now - since, 0));
  }
  void queued(std::int64_t since) { queued(since, begin_); }
  static void taken(std::int64_t since) {
    if (auto* m = here()) m->queued(since, ticks_now());
  }

  /// How many of the next `n` elements pass before some are to be timed. How many that are, and when, is at random and
  /// of no message, so that nothing periodic escapes it.
  std::uint64_t untimed(std::uint64_t n) {
    if (resting_ || (shard_.block == 0 && !plan_block())) return n;
    const auto next = std::min(shard_.ahead, n);
    shard_.ahead -= next;
    return next;
  }
  /// So many passed without being timed.
  void passed(std::uint64_t n) {
    if (resting_) return;
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

  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) override {
    cell(timing_ && current_ != 0 ? current() : account_.reader).read.add(bytes);
    account_.all.has_read(path, bytes, size);
  }

 private:
  /// What this thread did last, and until when. From there to the next message it hands over and takes up; if that
  /// takes longer than `most_handing`, it had nothing to do, or lost its processor.
  struct turn {
    shard* of = nullptr;
    std::uint64_t run = 0;
    std::int64_t at = 0;  ///< ticks
  };
  static std::int64_t most_handing() { return clock_costs::known().of_ns(10'000); }
  static turn& before() {
    thread_local turn t;
    return t;
  }

  struct timed_block {
    timed_block(meter& of, std::uint64_t most) : m(of), n(most) {
      m.timing_ = true;
      m.slow_ = m.shard_.apart > static_cast<double>(clock_costs::known().of_ns(20'000));
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
    meter& m;
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
    shard_.apart = static_cast<double>(took) / n;
    shard_.stretch = 0;
    // What timing cost is what these elements took longer than they usually do, within limits: they are not all alike.
    const auto all = now - block.began;
    timed_ += all;
    const auto clocks = laps_ * (costs.tick + (slow_ ? 2 * costs.cpu_clock : 0)) + 2 * costs.cpu_clock;
    const auto most = 2 * clocks + static_cast<std::int64_t>(n * 32 * static_cast<double>(shard_.cells.size()));
    const auto usual = static_cast<std::int64_t>(n * shard_.element);
    shard_.cost = shard_.element == 0 ? clocks : std::clamp(all - usual, std::min(clocks, most), most);
    own_ += shard_.cost;
    shard_.allowance -= shard_.cost;
  }
  /// Decides on the next block, if the allowance pays for one.
  bool plan_block() {
    if (shard_.allowance < shard_.cost) return false;
    const auto each = shard_.element != 0 ? shard_.element : shard_.apart;
    const auto fit = static_cast<double>(clock_costs::known().of_ns(64'000)) / std::max(each, 1.0);
    shard_.block = each == 0 ? 1 : static_cast<std::uint64_t>(std::clamp(fit, 1.0, double{most_block}));
    shard_.ahead = mix(++shard_.random, 0) % (shard_.stretch + 1);
    const auto block = static_cast<double>(shard_.block);
    shard_.weight = (static_cast<double>(shard_.stretch + shard_.ahead) + block) / block;
    return true;
  }
  std::uint32_t place(std::uint32_t op) const { return op == 0 ? 0 : op - before_; }
  shard::cell& cell(std::uint32_t op) { return cells_[place(op)]; }

  account& account_;
  shard& shard_;
  shard::cell* const cells_ = shard_.cells.data();
  const std::uint32_t before_ = account_.before;
  meter* outer_;
  read_watch* outer_watch_;
  cpu_window outer_window_{};
  const bool resting_;  ///< nobody wants to know
  bool exact_ = false, timing_ = false, slow_ = false, closed_ = false;
  std::uint32_t current_ = 0;                  ///< the place of the operator that is being timed
  std::uint64_t passed_ = 0;                   ///< elements, not timed
  std::int64_t begin_ = 0, left_ = 0;          ///< ticks
  std::int64_t block_ = 0, last_ = 0;          ///< ticks
  std::int64_t block_cpu_ = 0, last_cpu_ = 0;  ///< ns
  std::int64_t laps_ = 0;
  std::int64_t timed_ = 0, own_ = 0;  ///< ticks of timed blocks, and of these what timing cost
};

}  // namespace plumbline::detail
