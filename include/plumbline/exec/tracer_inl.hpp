#pragma once
/// Definitions of exec/tracer.hpp: opens part_stats, and makes a trace from them.

#include <plumbline/exec/tracer.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

/// The sum over a part's threads.
struct tracer::sum {
  struct cell {
    double wall = 0, cpu = 0, visits = 0;
    std::uint64_t count = 0, timed = 0;
  };
  std::vector<cell> cells;
  std::uint64_t messages = 0, turns = 0, handings = 0;
  double cpu = 0, wall = 0, queued = 0, handing = 0;
};
PLUMBLINE_INLINE tracer::sum tracer::sum_of(const part_stats& a, trace& t) {
  sum s;
  a.each_thread([&](const thread_stats& from) {
    s.cells.resize(from.cells.size());
    s.messages += from.messages.get();
    s.turns += from.turns.get();
    s.handings += from.handings.get();
    s.handing += static_cast<double>(from.handing.get());
    s.cpu += static_cast<double>(from.cpu.get());
    s.wall += static_cast<double>(from.wall.get());
    s.queued += static_cast<double>(from.queued.get());
    for (std::size_t i = 0; i != from.cells.size(); ++i) {
      const auto& c = from.cells[i];
      auto& to = s.cells[i];
      to.wall += c.wall.get(), to.cpu += c.cpu.get();
      to.visits += c.visits.get(), to.count += c.count.get(), to.timed += c.timed.get();
    }
    for (const auto number : a.part.operators) {
      const auto& c = from.cells[a.cell_index(number)];
      auto& o = t.counters[number - 1];
      const auto count = c.count.get(), each = c.each.get();
      o.completions += count;
      o.bytes += c.bytes.get() + count * each;
      o.bytes_squared +=
          c.squares.get() + static_cast<double>(count) * static_cast<double>(each) * static_cast<double>(each);
      o.bytes_read += c.read.get();
      o.unrecorded += c.unrecorded.get();
      o.unrecorded_bytes += c.unrecorded_bytes.get();
      o.timed += c.timed.get();
    }
  });
  return s;
}
/// Divides the part's time among its operators according to the sample, corrected by how many elements really reached
/// each operator (some do so rarely).
PLUMBLINE_INLINE void tracer::share_out(const part_stats& a, sum& s, double seconds_a_tick, trace& t) const {
  const auto& operators = a.part.operators;
  const auto truth = [](const sum::cell& c) { return c.visits > 0 ? static_cast<double>(c.count) / c.visits : 0; };
  double usual = 1;
  std::uint64_t most = 0;
  for (const auto& c : s.cells)
    if (c.timed > most) most = c.timed, usual = truth(c);
  double all_cpu = 0, all_wall = 0;
  const auto scale = [&](sum::cell& c, double by) {
    all_cpu += c.cpu *= by;
    all_wall += c.wall *= by;
  };
  if (!s.cells.empty()) scale(s.cells.front(), usual);
  for (const auto number : operators) {
    const auto& from = rows_[number - 1].inputs;
    double by = 0;
    if (from.size() == 1 && std::binary_search(operators.begin(), operators.end(), from.front()))
      by = truth(s.cells[a.cell_index(from.front())]);
    scale(s.cells[a.cell_index(number)], by > 0 ? std::clamp(by, usual / 4, usual * 4) : usual);
  }
  const double cpu = std::max(s.cpu, 0.0) * seconds_a_tick, wall = s.wall * seconds_a_tick;
  part_counters part{
      a.part.number, operators, a.part.serial, a.part.blocks, s.messages, cpu, wall, 0, s.queued * seconds_a_tick};
  // without a sample the operators get equal shares
  const auto share = [&](double x, double all) {
    return all > 0 ? x / all : 1.0 / static_cast<double>(std::max<std::size_t>(operators.size(), 1));
  };
  if (all_cpu > 0) part.overhead_seconds = cpu * share(s.cells.front().cpu, all_cpu);
  if (s.handings != 0) {
    const double all = static_cast<double>(s.turns) / static_cast<double>(s.handings) * s.handing * seconds_a_tick;
    part.overhead_seconds += all;
    part.cpu_seconds += all;
    part.wall_seconds += all;
  }
  for (const auto number : operators) {
    t.counters[number - 1].cpu_seconds += cpu * share(s.cells[a.cell_index(number)].cpu, all_cpu);
    t.counters[number - 1].wall_seconds += wall * share(s.cells[a.cell_index(number)].wall, all_wall);
  }
  t.parts.push_back(std::move(part));
}
PLUMBLINE_INLINE trace tracer::so_far() const {
  trace t;
  t.operators = rows_;
  t.counters.resize(rows_.size());
  const std::scoped_lock lock(mutex_);
  std::vector<sum> sums;
  for (const auto& a : stats_) sums.push_back(sum_of(*a, t));
  const double ns = 1e-9 / clock_costs::known().ticks_a_ns;
  for (std::size_t i = 0; i != stats_.size(); ++i) share_out(*stats_[i], sums[i], ns, t);
  // an operator that only renumbers or buffers has no count of its own: it yields as many as its upstream made
  for (std::size_t i = 0; i != rows_.size(); ++i) {
    const auto& row = rows_[i];
    if (row.how != form::renumber && row.how != form::async_boundary) continue;
    const auto& from = t.counters[row.inputs.front() - 1];
    t.counters[i].completions = from.completions;
    t.counters[i].bytes = from.bytes;
    t.counters[i].bytes_squared = from.bytes_squared;
    t.counters[i].unrecorded = from.unrecorded;
    t.counters[i].unrecorded_bytes = from.unrecorded_bytes;
  }
  t.wall_seconds = 1e-9 * static_cast<double>(elapsed_.total(wall_now));
  t.consumer_wait_seconds = 1e-9 * static_cast<double>(consumer_waited_.get());
  t.epochs = epochs_.get();
  return t;
}
PLUMBLINE_INLINE part_stats* tracer::open(const built_part& of, bool hands_over, std::size_t most) {
  const std::scoped_lock lock(mutex_);
  auto& alike = alike_[of.number];
  if (most != 0 && alike.size() >= most) return alike[shared_++ % most];
  // a timeline should show what is slow from the beginning on
  const std::int64_t allowance = events_ != nullptr ? clock_costs::known().of_ns(50'000) : 0;
  stats_.push_back(std::make_unique<part_stats>(*this, of.blocks ? io_delay_ : delay_, of, hands_over, allowance));
  auto* made = stats_.back().get();
  alike.push_back(made);
  // what is read while no operator is timed: by the one that reads or, if none does, by the one whose streams do
  bool reads = false;
  for (const auto number : of.operators) {
    const auto& row = rows_[number - 1];
    if (row.blocking || (!reads && row.how == form::nest && row.facts.blocking)) made->reader = number;
    reads = reads || row.blocking;
  }
  return made;
}
PLUMBLINE_INLINE void tracer::has_read(std::string_view path, std::uint64_t bytes, std::uint64_t size) {
  const std::scoped_lock lock(mutex_);
  auto it = files_.find(path);
  if (it == files_.end()) it = files_.emplace(std::string(path), file_read{}).first;
  it->second.bytes += bytes;
  it->second.size = size;
}
PLUMBLINE_INLINE void tracer::record(bool wanted) {
  paused_.store(!wanted, std::memory_order_relaxed);
  delay_.pause(!wanted);
  io_delay_.pause(!wanted);
  if (!wanted && calls_ != nullptr) calls_->forget();
  if (!wanted) elapsed_.stop(wall_now());
  if (wanted && running_) elapsed_.start(wall_now());
}
PLUMBLINE_INLINE tracer::tracer(std::vector<layout_row> rows, bool samples)
    : rows_(std::move(rows)), takes_samples_(samples) {}
PLUMBLINE_INLINE tracer::~tracer() = default;
PLUMBLINE_INLINE void tracer::begun() {
  epochs_.add(1);
  running_ = true;
  if (!paused()) elapsed_.start(wall_now());
}
PLUMBLINE_INLINE void tracer::ended() {
  running_ = false;
  elapsed_.stop(wall_now());
}
PLUMBLINE_INLINE void tracer::waited(std::int64_t ns) {
  if (!paused()) consumer_waited_.add(ns);
}
PLUMBLINE_INLINE void tracer::watch(taking& calls) {
  calls_ = &calls;
  if (events_ != nullptr) calls.each = this;
}
PLUMBLINE_INLINE bool tracer::counts() const { return true; }
PLUMBLINE_INLINE void tracer::entered() {
  if (!paused()) calls_->entered();
}
PLUMBLINE_INLINE void tracer::left(std::size_t elements) {
  if (!paused()) calls_->left(elements);
}
PLUMBLINE_INLINE void tracer::fetched() {
  if (!takes_samples_) return;
  const auto now = wall_now();
  if (now < sample_due_ || paused()) return;
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
PLUMBLINE_INLINE trace tracer::counted(std::size_t threads) const {
  auto t = so_far();
  t.threads = threads;
  t.run_delay_seconds = 1e-9 * static_cast<double>(delay_.ns());
  t.io_run_delay_seconds = 1e-9 * static_cast<double>(io_delay_.ns());
  return t;
}
PLUMBLINE_INLINE trace tracer::snapshot(std::size_t threads) const {
  auto t = counted(threads);
  t.samples = samples_;
  if (calls_ != nullptr) t.consumer_seconds = calls_->seconds();
  const std::scoped_lock lock(mutex_);
  t.files = {files_.begin(), files_.end()};
  return t;
}

}  // namespace plumbline::detail
