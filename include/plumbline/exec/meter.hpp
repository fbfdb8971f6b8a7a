#pragma once
/// meter: one message of a stage, or one turn of a serial part, while it is traced. The thread's CPU clock and the wall
/// clock are read at both ends, so a part's time is exact and blocked time is left out; elements and bytes are counted
/// at each operator. Which of the fused operators the time went to is told by a sample of elements, timed at each
/// operator's border; the sample is as large as one percent of the time allows.

#include <plumbline/core/read_watch.hpp>
#include <plumbline/exec/tracer.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace plumbline::detail {

/// One message or turn, on one thread: from its construction to its end.
class meter final : public read_watch {
 public:
  static constexpr std::size_t most_operators = 255;

  meter(tracer& t, account& a)
      : tracer_(t), account_(a), outer_(here()), outer_watch_(read_watch::here()), resting_(t.resting()) {
    here() = this;
    if (resting_) return;
    cells_[0] = {};
    for (const auto number : a.operators) cells_[number] = {};
    if (a.blocks) read_watch::here() = this;
    wall_ = wall_now();
    if (const auto [of, at] = std::exchange(before(), {}); of != nullptr && wall_ - at < most_handing) {
      of->handing.fetch_add(wall_ - at, std::memory_order_relaxed);
      of->handings.fetch_add(1, std::memory_order_relaxed);
    }
    cpu_ = cpu_now();
  }
  meter(const meter&) = delete;
  ~meter() override { close(); }
  /// Writes it into the account.
  void close() {
    if (std::exchange(closed_, true)) return;
    here() = outer_;
    if (resting_) return;
    const auto cpu = cpu_now() - cpu_, wall = wall_now() - wall_;
    read_watch::here() = outer_watch_;
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto flush = [&](std::uint32_t number) {
      const auto& from = cells_[number];
      auto& to = account_.cells[number];
      if (from.count != 0) to.count.fetch_add(from.count, relaxed);
      if (from.bytes != 0) to.bytes.fetch_add(from.bytes, relaxed);
      if (from.squares != 0) to.squares.fetch_add(from.squares, relaxed);
      if (from.read != 0) to.read.fetch_add(from.read, relaxed);
      if (from.timed != 0) to.timed.fetch_add(from.timed, relaxed);
      if (from.wall != 0) to.wall_share.fetch_add(from.wall, relaxed);
      if (from.cpu != 0) to.cpu_share.fetch_add(from.cpu, relaxed);
    };
    flush(0);
    for (const auto number : account_.operators) flush(number);
    account_.cpu.fetch_add(cpu, relaxed);
    account_.wall.fetch_add(wall, relaxed);
    // one percent of what has passed, at most a millisecond saved up
    if (account_.allowance.load(relaxed) < 1'000'000) account_.allowance.fetch_add(wall / 100, relaxed);
    if (!account_.hands_over) return;
    account_.turns.fetch_add(1, relaxed);
    before() = {&account_, wall_now()};
  }

  static meter*& here() {
    thread_local meter* m = nullptr;
    return m;
  }

  /// `squares`: sum of the squares of each element's bytes.
  void add(std::uint32_t op, std::uint64_t count, std::uint64_t bytes, double squares) {
    if (resting_) return;
    cells_[op].count += count;
    cells_[op].bytes += bytes;
    cells_[op].squares += squares;
  }
  /// The message is made: what it cost an element (of the operator that has most), for what is timed next.
  void made() {
    if (resting_) return;
    account_.messages.fetch_add(1, std::memory_order_relaxed);
    std::uint64_t most = 0;
    for (const auto number : account_.operators) most = std::max(most, cells_[number].count);
    if (most != 0)
      account_.element_ns.store(static_cast<double>(wall_now() - wall_) / static_cast<double>(most),
                                std::memory_order_relaxed);
  }
  /// A message that was sent on at `since` is taken up by this part.
  void queued(std::int64_t since) {
    if (since != 0 && !resting_)
      account_.queued.fetch_add(std::max<std::int64_t>(wall_now() - since, 0), std::memory_order_relaxed);
  }
  static void taken(std::int64_t since) {
    if (auto* m = here()) m->queued(since);
  }

  /// How many of `n` elements may be timed, with so many borders each; at least `least`, or none. What it grants is
  /// taken from the allowance.
  std::uint64_t grant(std::uint64_t n, std::uint64_t least, std::size_t borders) {
    if (resting_) return 0;
    slow_ = account_.element_ns.load(std::memory_order_relaxed) > 20'000;  // reading the CPU clock then costs nothing
    const auto& costs = clock_costs::known();
    const auto each = static_cast<std::int64_t>(borders) * (costs.border_ns + (slow_ ? costs.cpu_clock_ns : 0));
    const auto have = std::max<std::int64_t>(account_.allowance.load(std::memory_order_relaxed), 0);
    const auto some = std::min<std::uint64_t>(n, static_cast<std::uint64_t>(have / each));
    if (some < least) return 0;
    account_.allowance.fetch_sub(static_cast<std::int64_t>(some) * each, std::memory_order_relaxed);
    return some;
  }
  /// Between begin_timing and end_timing, `to` says whose time it is from here on; 0: the executor's.
  void begin_timing() {
    timing_ = true;
    current_ = 0;
    if (slow_) last_cpu_ = cpu_now();
    last_ = ticks_now();
  }
  bool timing() const { return timing_; }
  bool resting() const { return resting_; }
  std::uint32_t current() const { return current_; }
  void to(std::uint32_t op) {
    const auto now = ticks_now();
    auto& c = cells_[current_];
    const auto spent = now - last_ - clock_costs::known().border_ticks;
    c.wall += spent;
    if (slow_) {
      const auto cpu = cpu_now();
      c.cpu += cpu - last_cpu_ - clock_costs::known().cpu_clock_ns;
      last_cpu_ = cpu;
      last_ = ticks_now();
    } else {
      c.cpu += spent;
      last_ = now;
    }
    current_ = op;
  }
  void was_timed(std::uint32_t op) { ++cells_[op].timed; }
  void end_timing() {
    to(0);
    timing_ = false;
  }

  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) override {
    // of the operators of one part, one reads
    cells_[timing_ && current_ != 0 ? current_ : account_.operators.front()].read += bytes;
    tracer_.has_read(path, bytes, size);
  }

 private:
  struct cell {
    std::uint64_t count = 0, bytes = 0, read = 0, timed = 0;
    double squares = 0;
    std::int64_t wall = 0, cpu = 0;
  };
  /// What this thread did last, and until when. From there to the next message it hands over and takes up; if that
  /// takes longer than `most_handing`, it had nothing to do, or lost its processor.
  struct turn {
    account* of = nullptr;
    std::int64_t at = 0;
  };
  static constexpr std::int64_t most_handing = 10'000;  // ns
  static turn& before() {
    thread_local turn t;
    return t;
  }
  tracer& tracer_;
  account& account_;
  meter* outer_;
  read_watch* outer_watch_;
  const bool resting_;  ///< nobody wants to know
  std::int64_t wall_ = 0, cpu_ = 0, last_ = 0, last_cpu_ = 0;
  std::uint32_t current_ = 0;
  bool timing_ = false, slow_ = false, closed_ = false;
  std::array<cell, most_operators + 1> cells_;  // only those of the account's operators are ever set
};

}  // namespace plumbline::detail
