#pragma once
/// How a run records itself. `tracing::off` is no code in the loops. Otherwise each part of the graph has an account,
/// and every message of a stage and every turn of a serial part is entered there by a meter (meter.hpp). The tracer
/// holds the accounts and makes a `trace` of them.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/model/trace.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

/// How much a run records of itself: run<tracing::counters>(p).
namespace tracing {
struct off {
  static constexpr bool on = false, samples = false;
};
/// What each operator and part did in all.
struct counters {
  static constexpr bool on = true, samples = false;
};
/// The same, and how it came together: a sample about every 10 ms, for confidence intervals.
struct full {
  static constexpr bool on = true, samples = true;
};
}  // namespace tracing

namespace detail {

/// The account of one part, over the whole run; meters write into it.
struct account {
  struct cell {
    std::atomic<std::uint64_t> count{0}, bytes{0}, read{0}, timed{0};
    std::atomic<double> squares{0};
    std::atomic<std::int64_t> wall_share{0}, cpu_share{0};
  };
  explicit account(std::size_t operators_in_all) : cells(operators_in_all + 1) {}

  std::vector<std::uint32_t> operators;
  bool serial = false, blocks = false;
  bool hands_over = false;  ///< to other threads
  std::vector<cell> cells;  ///< by operator number; 0 is the executor itself
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::int64_t> cpu{0}, wall{0}, queued{0};
  /// Messages and turns; of those that the thread went on from at once, how many and how long until then: what it took
  /// to hand over and to take up the next.
  std::atomic<std::uint64_t> turns{0}, handings{0};
  std::atomic<std::int64_t> handing{0};
  std::atomic<std::int64_t> allowance{200'000};  ///< ns that may yet go into timing single elements
  std::atomic<double> element_ns{0};             ///< what an element lately cost
};

/// All accounts of a run, and the files it read.
class tracer {
 public:
  explicit tracer(std::vector<layout_row> rows) : rows_(std::move(rows)) {}

  account* open(std::vector<std::uint32_t> operators, bool serial, bool blocks, bool hands_over) {
    std::sort(operators.begin(), operators.end());  // one that works at several places is told of at each
    operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
    const std::scoped_lock lock(mutex_);
    accounts_.push_back(std::make_unique<account>(rows_.size()));
    auto& a = *accounts_.back();
    a.operators = std::move(operators);
    a.serial = serial;
    a.blocks = blocks;
    a.hands_over = hands_over;
    return &a;
  }
  std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> all;
    for (const auto& row : rows_) all.push_back(row.number);
    return all;
  }
  /// From any thread: is nothing to be recorded?
  bool resting() const { return resting_.load(std::memory_order_relaxed); }
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
    running_ = true;
    if (asked_since_ == 0 && !resting()) asked_since_ = wall_now();
  }
  void ended() {
    running_ = false;
    if (asked_since_ != 0) elapsed_ += wall_now() - std::exchange(asked_since_, 0);
  }
  /// Messages that are begun from here on are recorded, or are not.
  void record(bool wanted) {
    resting_.store(!wanted, std::memory_order_relaxed);
    if (!wanted && asked_since_ != 0) elapsed_ += wall_now() - std::exchange(asked_since_, 0);
    if (wanted && running_ && asked_since_ == 0) asked_since_ = wall_now();
  }
  void waited(std::int64_t ns) { consumer_waited_ += ns; }
  /// Takes a sample if it is time for one. There are never more than so many: then every other one goes, and the
  /// distance between them doubles.
  void sample() {
    const auto now = wall_now();
    if (now < sample_due_ || resting()) return;
    sample_due_ = now + sample_every_;
    const auto t = so_far();
    trace_sample s{t.wall_seconds, t.counters.back().completions, {}};
    for (const auto& c : t.counters) s.cpu_seconds.push_back(c.cpu_seconds);
    samples_.push_back(std::move(s));
    if (samples_.size() < most_samples) return;
    for (std::size_t i = 0; 2 * i + 1 < samples_.size(); ++i) samples_[i] = std::move(samples_[2 * i + 1]);
    samples_.resize(samples_.size() / 2);
    sample_every_ *= 2;
  }

  /// While the run goes on: figures of one message may be missing in one place and there in another.
  trace snapshot(std::size_t threads) const {
    auto t = so_far();
    t.threads = threads;
    t.samples = samples_;
    return t;
  }

 private:
  trace so_far() const {
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
      if (const auto n = a.handings.load(); n != 0) {
        const double all = static_cast<double>(a.turns.load()) / static_cast<double>(n) *
                           seconds(static_cast<double>(a.handing.load()));
        part.overhead_seconds += all;
        part.cpu_seconds += all;
        part.wall_seconds += all;
      }
      for (const auto number : a.operators) {
        const auto& c = a.cells[number];
        auto& o = t.counters[number - 1];
        o.completions += c.count.load();
        o.bytes += c.bytes.load();
        o.bytes_read += c.read.load();
        o.bytes_squared += c.squares.load();
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
      t.counters[i].bytes_squared = from.bytes_squared;
    }
    t.files = {files_.begin(), files_.end()};
    t.wall_seconds = seconds(static_cast<double>(elapsed_ + (asked_since_ == 0 ? 0 : wall_now() - asked_since_)));
    t.consumer_wait_seconds = seconds(static_cast<double>(consumer_waited_));
    t.epochs = epochs_;
    return t;
  }

  std::vector<layout_row> rows_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<account>> accounts_;
  std::map<std::string, file_read, std::less<>> files_;
  std::atomic<bool> resting_{false};
  bool running_ = false;
  std::int64_t asked_since_ = 0, elapsed_ = 0, consumer_waited_ = 0;
  std::uint64_t epochs_ = 0;
  static constexpr std::size_t most_samples = 2048;
  std::vector<trace_sample> samples_;
  std::int64_t sample_due_ = 0, sample_every_ = 10'000'000;  // ns
};

}  // namespace detail
}  // namespace plumbline
