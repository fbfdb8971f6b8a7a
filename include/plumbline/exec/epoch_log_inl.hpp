#pragma once
/// Definitions of exec/epoch_log.hpp.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/epoch_log.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE void epoch_log::begin(const run_totals& now, std::uint64_t epoch, std::uint64_t taken) {
  const std::scoped_lock lock(mutex_);
  running_ = epoch;
  taken_ = taken;
  before_ = now;
  begun_ = wall_now();
}
PLUMBLINE_INLINE void epoch_log::end(const run_totals& now, std::uint64_t taken, bool whole) {
  const std::scoped_lock lock(mutex_);
  if (!running_) return;
  past_.push_back(stalls(now, taken, whole));
  add(all_, past_.back());
  if (past_.size() > most_epochs) past_.pop_front();
  running_.reset();
}
PLUMBLINE_INLINE std::vector<epoch_stalls> epoch_log::epochs(const run_totals& now, std::uint64_t taken,
                                                             bool whole) const {
  const std::scoped_lock lock(mutex_);
  std::vector<epoch_stalls> all(past_.begin(), past_.end());
  if (running_) all.push_back(stalls(now, taken, whole));
  return all;
}
PLUMBLINE_INLINE void epoch_log::failed(std::string what) {
  const std::scoped_lock lock(mutex_);
  ++all_.failures;
  all_.last_failure = std::move(what);
}
PLUMBLINE_INLINE void epoch_log::add(sums& to, const epoch_stalls& e) {
  to.elements += e.elements;
  to.seconds += e.seconds;
  to.waited += e.prep_seconds + e.io_seconds;
  to.latest = e;
  to.begun = true;
}
PLUMBLINE_INLINE epoch_log::sums epoch_log::so_far(const run_totals& now, std::uint64_t taken) const {
  const std::scoped_lock lock(mutex_);
  auto all = all_;
  if (running_) add(all, stalls(now, std::max(taken, taken_), false));
  return all;
}
PLUMBLINE_INLINE epoch_stalls epoch_log::stalls(const run_totals& now, std::uint64_t taken, bool whole) const {
  const double seconds = 1e-9 * static_cast<double>(wall_now() - begun_);
  epoch_stalls out{.epoch = *running_, .whole = whole, .elements = taken - taken_, .seconds = seconds};
  const double waited = std::clamp(now.waited - before_.waited, 0.0, seconds),
               reading = now.all_reading - before_.all_reading;
  if (reading > 0) {
    double busy = 0, busiest = 0;
    for (std::size_t i = 0; i != std::min(now.nodes.size(), before_.nodes.size()); ++i) {
      const double own = now.nodes[i].busy - before_.nodes[i].busy;
      busy += own / now.cores;
      busiest = std::max(busiest, own / now.nodes[i].cores);
    }
    const double idle = seconds - std::max(busy, busiest);
    const double blocked = 1 - (now.io_computed - before_.io_computed) / reading;
    out.io_seconds = std::clamp(std::min(idle, (now.any_reading - before_.any_reading) * blocked), 0.0, waited);
  }
  out.prep_seconds = waited - out.io_seconds;
  return out;
}

}  // namespace plumbline::detail
