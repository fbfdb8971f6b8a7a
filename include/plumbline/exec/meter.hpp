#pragma once
/// meter: one message of a stage, or one turn of a serial part, while it is traced. It counts, takes the part's time,
/// and times a sample of elements at each operator's border, as large as about half a percent of the time pays for.

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

  meter(tracer& t, account& a)
      : tracer_(t),
        account_(a),
        shard_(*a.take()),
        outer_(here()),
        outer_watch_(read_watch::here()),
        resting_(t.resting()) {
    here() = this;
    if (resting_) return;
    if (a.blocks) read_watch::here() = this;
    auto& window = cpu_window::here();
    if (outer_ != nullptr) outer_window_ = window;
    begin_ = ticks_now();
    if (a.hands_over)
      if (const auto last = std::exchange(before(), {}); last.run == t.id && begin_ - last.at < most_handing()) {
        last.of->handing.add(std::max<std::int64_t>(begin_ - last.at, 0));
        last.of->handings.add(1);
      }
    exact_ = outer_ != nullptr || (a.blocks && !a.serial) || shard_.usual > a.unchecked;
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
    shard_.allowance = std::min<std::int64_t>(shard_.allowance + spent / 200, most_saved);
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
    before() = {&shard_, tracer_.id, left_};
  }

  static meter*& here() {
    thread_local meter* m = nullptr;
    return m;
  }

  /// So many elements of `each` bytes.
  void add(std::uint32_t op, std::uint64_t count, std::uint64_t each) {
    if (resting_) return;
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
  /// The message is made.
  void made() {
    if (!resting_) shard_.messages.add(1);
  }
  /// A message that was sent on at `since` is taken up by this part now, or was when the part began.
  void queued(std::int64_t since, std::int64_t now) {
    if (since != 0 && !resting_) shard_.queued.add(std::max<std::int64_t>(now - since, 0));
  }
  static void taken(std::int64_t since) {
    if (auto* m = here()) m->queued(since, ticks_now());
  }
  std::int64_t entered() const { return begin_; }  ///< ticks
  std::int64_t left() const { return left_; }      ///< the same, once it is closed; 0: nobody wants to know

  /// How many of the next `n` elements pass before some are to be timed, with about so many borders each. How many that
  /// are, and when, is at random and of no message, so that nothing periodic escapes it.
  std::uint64_t untimed(std::uint64_t n, std::size_t borders) {
    if (resting_ || (shard_.block == 0 && !plan_block(n, borders))) return n;
    const auto next = std::min(shard_.ahead, n);
    shard_.ahead -= next;
    return next;
  }
  /// One of 0 to n - 1.
  std::uint64_t below(std::uint64_t n) { return mix(++shard_.random, 0) % n; }
  /// So many passed without being timed, in so many ticks.
  void passed(std::uint64_t n) {
    if (!resting_) shard_.stretch += n;
  }

  /// Between begin_timing and end_timing, `to` says whose time it is from here on; 0: the executor's. Returns how many
  /// elements, at most `most`: what a message cuts off goes on in the next.
  std::uint64_t begin_timing(std::uint64_t most) {
    shard_.stretch = 0;
    const auto n = std::min(shard_.block, most);
    shard_.block -= n;
    const auto& costs = clock_costs::known();
    clock_.ticks_a_ns = slow() ? costs.ticks_a_ns : 0;
    timing_ = true;
    began_ = block_ = ticks_now();
    clock_.begin();
    return n;
  }
  bool timing() const { return timing_; }
  bool resting() const { return resting_; }
  std::uint32_t current() const { return clock_.current == 0 ? 0 : clock_.current + before_; }
  void to(std::uint32_t op) { clock_.to(place(op)); }
  void was_timed(std::uint32_t op) { ++clock_.laps[place(op)].seen; }
  /// The first element has been timed: it found code and data out of the caches, as no other does, and is left out.
  void warm() {
    std::fill(shard_.laps.begin(), shard_.laps.end(), lap_clock::operator_laps{});
    block_ = ticks_now();
    clock_.begin();
  }
  /// The block had n elements, of which so many do not count.
  void end_timing(std::uint64_t n, std::uint64_t left_out) {
    clock_.to(0);
    timing_ = false;
    const auto took = ticks_now() - block_;
    const auto& costs = clock_costs::known();
    const bool by_clock = clock_.ticks_a_ns != 0;
    std::int64_t sum = 0;
    auto* longest = &shard_.laps.front();
    for (auto& l : shard_.laps) {
      sum += l.wall - l.borders * costs.border;
      if (!by_clock) l.cpu = l.wall;
      if (l.wall > longest->wall) longest = &l;
    }
    // a thread that lost its processor meanwhile lost it in one of the operators
    if (!by_clock && took > 20 * costs.cpu_clock) {
      const auto had = static_cast<double>(cpu_now() - clock_.last_cpu) * costs.ticks_a_ns;
      const auto blocked = ticks_now() - block_ - static_cast<std::int64_t>(had);
      if (blocked > 4 * costs.cpu_clock) longest->cpu = std::max<std::int64_t>(longest->cpu - blocked, 0);
    }
    const auto weight = shard_.weight * static_cast<double>(n) / static_cast<double>(n - left_out);
    for (std::size_t i = 0; i != shard_.laps.size(); ++i) {
      auto& l = shard_.laps[i];
      auto& c = cells_[i];
      c.wall.add(weight * static_cast<double>(l.wall));
      c.cpu.add(weight * static_cast<double>(l.cpu));
      c.borders.add(weight * static_cast<double>(l.borders));
      c.timed.add(l.seen);
      c.visits.add(weight * static_cast<double>(l.seen));
      l = {};
    }
    shard_.element_ticks = static_cast<double>(sum) / static_cast<double>(n - left_out);
    // what is far more has lost the processor: that is deducted elsewhere, and must not end the sample
    const auto elements = static_cast<std::int64_t>(n);
    // of warming up, what the element itself took is not the clock's
    const auto warming = std::max<std::int64_t>(block_ - began_ - static_cast<std::int64_t>(shard_.element_ticks), 0);
    const auto cost = std::clamp<std::int64_t>(took - sum + (left_out == 0 ? 0 : warming), 1,
                                               4 * elements * shard_.each_ticks + 8 * costs.cpu_clock);
    own_ += cost;
    shard_.allowance = std::max<std::int64_t>(shard_.allowance - cost, 0);
    if (!by_clock)
      shard_.each_ticks = std::max<std::int64_t>(shard_.each_ticks + (cost / elements - shard_.each_ticks) / 4, 1);
  }

  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) override {
    cell(timing_ && clock_.current != 0 ? current() : account_.reader).read.add(bytes);
    tracer_.has_read(path, bytes, size);
  }

 private:
  /// What this thread did last, and until when. From there to the next message it hands over and takes up; if that
  /// takes longer than `most_handing`, it had nothing to do, or lost its processor.
  struct turn {
    shard* of = nullptr;
    std::uint64_t run = 0;
    std::int64_t at = 0;  ///< ticks
  };
  static std::int64_t most_handing() { return static_cast<std::int64_t>(10'000 * clock_costs::known().ticks_a_ns); }
  static turn& before() {
    thread_local turn t;
    return t;
  }
  /// Are the elements so slow that reading the CPU clock at each border costs nothing?
  bool slow() const { return shard_.element_ticks > 20'000 * clock_costs::known().ticks_a_ns; }
  /// Decides on the next block, if the allowance pays for one.
  bool plan_block(std::uint64_t n, std::size_t borders) {
    if (shard_.allowance < shard_.enough) return false;
    const auto& costs = clock_costs::known();
    const auto some = static_cast<std::int64_t>(borders);
    if (shard_.each_ticks == 0) shard_.each_ticks = some * costs.border;
    const auto each = shard_.each_ticks + (slow() ? some * costs.cpu_clock : 0);
    const auto least = static_cast<std::int64_t>(std::min(n, shard_.due)) * each;
    if (shard_.allowance < least) {
      shard_.enough = std::min(least, most_saved / 2);
      return false;
    }
    shard_.enough = 0;
    shard_.due = 32 + below(64);
    shard_.block = std::max<std::uint64_t>(static_cast<std::uint64_t>(shard_.allowance / each), 1);
    shard_.ahead = below(shard_.stretch + 1);
    const auto block = static_cast<double>(shard_.block);
    shard_.weight = (static_cast<double>(shard_.stretch + shard_.ahead) + block) / block;
    return true;
  }
  std::uint32_t place(std::uint32_t op) const { return op == 0 ? 0 : op - before_; }
  shard::cell& cell(std::uint32_t op) { return cells_[place(op)]; }

  static constexpr std::int64_t most_saved = 2'000'000;
  tracer& tracer_;
  account& account_;
  shard& shard_;
  shard::cell* const cells_ = shard_.cells.data();
  const std::uint32_t before_ =
      account_.operators.empty() ? 0 : account_.operators.front() - 1;  ///< operators in the streams before
  meter* outer_;
  read_watch* outer_watch_;
  cpu_window outer_window_{};
  const bool resting_;  ///< nobody wants to know
  bool exact_ = false, timing_ = false, closed_ = false;
  std::int64_t begin_ = 0, left_ = 0, began_ = 0, block_ = 0;
  std::int64_t own_ = 0;  ///< ticks that timing took
  lap_clock clock_{shard_.laps.data(), 0, clock_costs::known().cpu_clock};
};

}  // namespace plumbline::detail
