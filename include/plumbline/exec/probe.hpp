#pragma once
/// Probes: how a run records itself. `tracing::off` is no code at all. Otherwise every message of a stage and every
/// turn of a serial part is one account: its thread's CPU clock and the wall clock are read at both ends, so a part's
/// time is exact and blocked time is left out; elements and bytes are counted at each operator. Which of the fused
/// operators the time went to is told by a sample of elements, timed at each operator's border; the sample is as large
/// as one percent of the time allows.

#include <plumbline/core/read_watch.hpp>
#include <plumbline/data/nbytes.hpp>
#include <plumbline/model/trace.hpp>

#include <time.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <type_traits>

namespace plumbline {

/// How much a run records of itself: run<tracing::counters>(p).
namespace tracing {
struct off {
  static constexpr bool on = false;
};
struct counters {
  static constexpr bool on = true;
};
}  // namespace tracing

namespace detail {

inline std::int64_t cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}
inline std::int64_t wall_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
/// The cheapest clock there is, in units of its own.
inline std::int64_t ticks_now() {
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
  return wall_now();
#endif
}
/// What reading a clock costs, in ns and in its own units: the least of many.
struct clock_costs {
  std::int64_t border_ns, border_ticks, cpu_clock_ns;
  static const clock_costs& known() {
    static const clock_costs c = [] {
      clock_costs best{1 << 30, 1 << 30, 1 << 30};
      for (int i = 0; i != 64; ++i) {
        const auto a = wall_now();
        const auto t = ticks_now();
        for (int k = 0; k != 15; ++k) (void)ticks_now();
        const auto u = ticks_now();
        const auto b = wall_now();
        best.border_ticks = std::min(best.border_ticks, (u - t) / 16);
        best.border_ns = std::min(best.border_ns, std::max<std::int64_t>((b - a) / 16, 1));
        const auto c0 = wall_now();
        (void)cpu_now();
        best.cpu_clock_ns = std::min(best.cpu_clock_ns, std::max<std::int64_t>(wall_now() - c0, 1));
      }
      return best;
    }();
    return c;
  }
};

/// The account of one part, over the whole run. `border`: see meter.
struct account {
  struct cell {
    std::atomic<std::uint64_t> count{0}, bytes{0}, read{0}, timed{0};
    std::atomic<std::int64_t> wall_share{0}, cpu_share{0};
  };
  explicit account(std::size_t operators_in_all) : cells(operators_in_all + 1) {}

  std::vector<std::uint32_t> operators;
  bool serial = false, blocks = false;
  std::vector<cell> cells;  ///< by operator number; 0 is the executor itself
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::int64_t> cpu{0}, wall{0}, queued{0};
  std::atomic<std::int64_t> allowance{200'000};  ///< ns that may yet go into timing single elements
  std::atomic<double> element_ns{0};             ///< what an element lately cost
};

/// All accounts of a run, and the files it read.
class tracer {
 public:
  explicit tracer(std::vector<layout_row> rows) : rows_(std::move(rows)) {}

  account* open(std::vector<std::uint32_t> operators, bool serial, bool blocks) {
    const std::scoped_lock lock(mutex_);
    accounts_.push_back(std::make_unique<account>(rows_.size()));
    auto& a = *accounts_.back();
    a.operators = std::move(operators);
    a.serial = serial;
    a.blocks = blocks;
    return &a;
  }
  std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> all;
    for (const auto& row : rows_) all.push_back(row.number);
    return all;
  }
  void has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) {
    const std::scoped_lock lock(mutex_);
    auto it = files_.find(path);
    if (it == files_.end()) it = files_.emplace(std::string(path), file_read{}).first;
    it->second.bytes += bytes;
    it->second.size = size;
  }
  /// The consumer's side: one caller at a time.
  void begun() {
    ++epochs_;
    if (asked_since_ == 0) asked_since_ = wall_now();
  }
  void ended() {
    if (asked_since_ != 0) elapsed_ += wall_now() - std::exchange(asked_since_, 0);
  }
  void waited(std::int64_t ns) { consumer_waited_ += ns; }

  /// While the run goes on: figures of one message may be missing in one place and there in another.
  trace snapshot(std::size_t threads) const {
    trace t;
    t.operators = rows_;
    t.counters.resize(rows_.size());
    const auto seconds = [](double ns) { return ns * 1e-9; };
    const std::scoped_lock lock(mutex_);
    for (const auto& held : accounts_) {
      const auto& a = *held;
      double all_cpu = 0, all_wall = 0;
      const auto positive = [](const std::atomic<std::int64_t>& x) {
        return static_cast<double>(std::max<std::int64_t>(x.load(), 0));
      };
      for (const auto& c : a.cells) {
        all_cpu += positive(c.cpu_share);
        all_wall += positive(c.wall_share);
      }
      const double cpu = seconds(static_cast<double>(a.cpu.load())), wall = seconds(static_cast<double>(a.wall.load()));
      part_counters part{a.operators, a.serial, a.blocks, a.messages.load(),
                         cpu,         wall,     0,        seconds(static_cast<double>(a.queued.load()))};
      // without a sample the operators share alike
      const auto share = [&](const std::atomic<std::int64_t>& x, double all) {
        return all > 0 ? positive(x) / all : 1.0 / static_cast<double>(std::max<std::size_t>(a.operators.size(), 1));
      };
      if (all_cpu > 0) part.overhead_seconds = cpu * share(a.cells[0].cpu_share, all_cpu);
      for (const auto number : a.operators) {
        const auto& c = a.cells[number];
        auto& o = t.counters[number - 1];
        o.completions += c.count.load();
        o.bytes += c.bytes.load();
        o.bytes_read += c.read.load();
        o.timed += c.timed.load();
        o.cpu_seconds += cpu * share(c.cpu_share, all_cpu);
        o.wall_seconds += wall * share(c.wall_share, all_wall);
      }
      t.parts.push_back(std::move(part));
    }
    // what only changes numbers, or only holds elements, yields what passes: as many as whoever asks for them gets made
    for (std::size_t i = 0; i != rows_.size(); ++i) {
      const auto& row = rows_[i];
      if (row.how != form::renumber && row.how != form::decouple) continue;
      const auto& from = t.counters[row.inputs.front() - 1];
      t.counters[i].completions = from.completions;
      t.counters[i].bytes = from.bytes;
    }
    t.files = {files_.begin(), files_.end()};
    t.wall_seconds = seconds(static_cast<double>(elapsed_ + (asked_since_ == 0 ? 0 : wall_now() - asked_since_)));
    t.consumer_wait_seconds = seconds(static_cast<double>(consumer_waited_));
    t.threads = threads;
    t.epochs = epochs_;
    return t;
  }

 private:
  std::vector<layout_row> rows_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<account>> accounts_;
  std::map<std::string, file_read, std::less<>> files_;
  std::int64_t asked_since_ = 0, elapsed_ = 0, consumer_waited_ = 0;
  std::uint64_t epochs_ = 0;
};

/// One message or turn, on one thread: from its construction to its end.
class meter final : public read_watch {
 public:
  static constexpr std::size_t most_operators = 255;

  meter(tracer& t, account& a) : tracer_(t), account_(a), outer_(here()), outer_watch_(read_watch::here()) {
    cells_[0] = {};
    for (const auto number : a.operators) cells_[number] = {};
    here() = this;
    if (a.blocks) read_watch::here() = this;
    wall_ = wall_now();
    cpu_ = cpu_now();
  }
  meter(const meter&) = delete;
  ~meter() override { close(); }
  /// Writes it into the account.
  void close() {
    if (std::exchange(closed_, true)) return;
    const auto cpu = cpu_now() - cpu_, wall = wall_now() - wall_;
    here() = outer_;
    read_watch::here() = outer_watch_;
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto flush = [&](std::uint32_t number) {
      const auto& from = cells_[number];
      auto& to = account_.cells[number];
      if (from.count != 0) to.count.fetch_add(from.count, relaxed);
      if (from.bytes != 0) to.bytes.fetch_add(from.bytes, relaxed);
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
  }

  static meter*& here() {
    thread_local meter* m = nullptr;
    return m;
  }

  void add(std::uint32_t op, std::uint64_t count, std::uint64_t bytes) {
    cells_[op].count += count;
    cells_[op].bytes += bytes;
  }
  /// The message is made: what it cost an element (of the operator that has most), for what is timed next.
  void made() {
    account_.messages.fetch_add(1, std::memory_order_relaxed);
    std::uint64_t most = 0;
    for (const auto number : account_.operators) most = std::max(most, cells_[number].count);
    if (most != 0)
      account_.element_ns.store(static_cast<double>(wall_now() - wall_) / static_cast<double>(most),
                                std::memory_order_relaxed);
  }
  /// A message that was sent on at `since` is taken up by this part.
  void queued(std::int64_t since) {
    if (since != 0) account_.queued.fetch_add(std::max<std::int64_t>(wall_now() - since, 0), std::memory_order_relaxed);
  }
  static void taken(std::int64_t since) {
    if (auto* m = here()) m->queued(since);
  }

  /// How many of `n` elements may be timed, with so many borders each. Takes what it grants from the allowance.
  std::uint64_t grant(std::uint64_t n, std::size_t borders) {
    const auto& costs = clock_costs::known();
    slow_ = account_.element_ns.load(std::memory_order_relaxed) > 20'000;  // a syscall a border then costs nothing
    const auto each = static_cast<std::int64_t>(borders) * (costs.border_ns + (slow_ ? costs.cpu_clock_ns : 0));
    const auto have = account_.allowance.load(std::memory_order_relaxed);
    if (have < each) return 0;
    const auto some = std::min<std::uint64_t>(n, static_cast<std::uint64_t>(have / each));
    account_.allowance.fetch_sub(static_cast<std::int64_t>(some) * each, std::memory_order_relaxed);
    return some;
  }
  /// All n of them, or none.
  bool grant_all(std::uint64_t n, std::size_t borders) {
    const auto& costs = clock_costs::known();
    slow_ = account_.element_ns.load(std::memory_order_relaxed) > 20'000;
    const auto all = static_cast<std::int64_t>(n * borders) * (costs.border_ns + (slow_ ? costs.cpu_clock_ns : 0));
    if (account_.allowance.load(std::memory_order_relaxed) < all) return false;
    account_.allowance.fetch_sub(all, std::memory_order_relaxed);
    return true;
  }
  /// Between begin_timing and end_timing, `to` says whose time it is from here on; 0: the executor's.
  void begin_timing() {
    timing_ = true;
    current_ = 0;
    if (slow_) last_cpu_ = cpu_now();
    last_ = ticks_now();
  }
  bool timing() const { return timing_; }
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
    std::int64_t wall = 0, cpu = 0;
  };
  tracer& tracer_;
  account& account_;
  meter* outer_;
  read_watch* outer_watch_;
  std::int64_t wall_, cpu_, last_ = 0, last_cpu_ = 0;
  std::uint32_t current_ = 0;
  bool timing_ = false, slow_ = false, closed_ = false;
  std::array<cell, most_operators + 1> cells_;  // only those of the account's operators are ever set
};

}  // namespace detail
}  // namespace plumbline
