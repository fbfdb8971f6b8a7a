#pragma once
/// Definitions of tune/live_run.hpp.

#include <plumbline/exec/clocks.hpp>
#include <plumbline/model/held.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/tune/live_run.hpp>
#include <plumbline/tune/stated_limits.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace plumbline::detail {

PLUMBLINE_INLINE live_run::live_run(std::unique_ptr<runtime> run, std::shared_ptr<live_record> record, live_setting how,
                                    std::optional<plan> begin, live_forms forms)
    : run_(std::move(run)),
      record_(std::move(record)),
      how_(std::move(how)),
      forms_(std::move(forms)),
      begun_(wall_now()),
      due_at_(how_.batches) {
  first_memory_ = machine::here().memory / 2;
  record_->update([&](live_report& r) {
    r.threads_stated = how_.threads_stated;
    if (how_.budget.io_stated) r.io_threads_stated = static_cast<std::size_t>(how_.budget.have.io_threads);
  });
  use(std::move(begin));
}
PLUMBLINE_INLINE live_run::~live_run() = default;
PLUMBLINE_INLINE double live_run::now() const { return 1e-9 * static_cast<double>(wall_now() - begun_); }

/// The run is new: takes it over.
PLUMBLINE_INLINE void live_run::use(std::optional<plan> begin) {
  run_->attend(*this);
  if (calls_ != nullptr) run_->watch(*calls_);
  if (marks_) run_->want_marks();
  if (shortens_) run_->shorten();
  auto limits = run_->limits();
  if (begin) {
    auto to = limits_of(*begin, run_->counted().operators, limits);
    const auto most = how_.budget.io_stated ? static_cast<std::size_t>(how_.budget.have.io_threads) : std::size_t(-1);
    to.io_threads = std::min(to.io_threads, most);
    for (std::size_t i = 0; i != to.parts.size(); ++i) {
      auto& p = to.parts[i];
      if (how_.budget.places_stated || most == 0) p.waits = limits.parts[i].waits;
      if (p.waits && p.movable) p.at_once = std::min(p.at_once, most);
    }
    run_->adjust(to);
    limits = run_->limits();
  }
  plan_ = std::move(begin);
  state_ = {};
  state_.limits = std::move(limits);
  state_.refused.resize(state_.limits.parts.size());
  quiet_ = 0;
  resting_ = false;
  ended_ = whole_ = true;
  held_most_ = 0;
  window_begins();
  record_->update([&](live_report& r) {
    r.rows = before_.operators;
    r.held = r.in_flight = r.buffered = 0;
  });
  period_ = static_cast<std::int64_t>(1e8 * how_.every);  // a tenth at first
  due_ = wall_now() + period_;
  publish({});
}
PLUMBLINE_INLINE void live_run::window_begins() { before_ = run_->counted(); }
/// What caches hold once they are full. While they are filled, each estimate is better than the one before; later the
/// most that was seen, as a cache that is full is fed no more, and an epoch without it seems smaller.
PLUMBLINE_INLINE double live_run::held() {
  const auto made = as_if_recorded(now_);
  try {
    const double all = held_by_caches(made, sizes(made), infinite);
    held_most_ = made.epochs > 1 ? std::max(held_most_, all) : all;
  } catch (const std::invalid_argument&) {  // the run has not shown enough yet
  }
  return held_most_;
}
PLUMBLINE_INLINE double live_run::memory() const {
  if (record_->stated()) return record_->memory();
  if (first_memory_ <= 0) return infinite;
  // other programs may have taken what was free
  const double free = machine::here().memory;
  if (free <= 0) return first_memory_;  // the system does not say
  const auto report = record_->report();
  return std::min(first_memory_, report.held + report.in_flight + report.buffered + free / 2);
}
PLUMBLINE_INLINE void live_run::publish(const std::vector<live_change>& changes) {
  constexpr std::size_t most = 1000;
  record_->update([&](live_report& r) {
    r.limits = state_.limits;
    r.seconds = now();
    r.count += changes.size();
    r.changes.insert(r.changes.end(), changes.begin(), changes.end());
    if (r.changes.size() > most)
      r.changes.erase(r.changes.begin(), r.changes.end() - static_cast<std::ptrdiff_t>(most));
  });
  if (how_.on_change)
    for (const auto& c : changes) how_.on_change(c);
}

PLUMBLINE_INLINE std::int64_t live_run::due() const { return due_; }
PLUMBLINE_INLINE void live_run::look() {
  constexpr std::size_t settled = 6;  // looks without a change, after which only a quarter of the time is recorded
  const auto every = static_cast<std::int64_t>(1e9 * how_.every);
  const auto at = wall_now();
  if (resting_) {
    resting_ = false;
    run_->record(true);
    window_begins();
    due_ = at + every / 4;
    return;
  }
  due_ = at + period_;
  period_ = std::min(2 * period_, every);
  due_at_ = taken_ + how_.batches;
  now_ = run_->counted();
  state_.at = now();
  const double all = memory(), caches = held(), buffered = held_by_operators(now_);
  auto budget = how_.budget;
  budget.have.memory = std::max(all - caches - buffered, 0.0);
  auto step = decide_live(with_stated_limits(recorded_since(now_, before_), how_.stated), state_, budget);
  state_ = std::move(step.next);
  if (!step.enough) return;  // the window goes on
  if (!step.changes.empty()) {
    run_->adjust(state_.limits);
    state_.limits = run_->limits();
  }
  record_->update([&](live_report& r) {
    ++r.looks;
    r.memory = all;
    r.held = caches;
    r.in_flight = step.in_flight;
    r.buffered = buffered;
    r.rate = state_.recent_seconds > 0 ? state_.recent_rate() : step.rate;
    if (!step.bottleneck.empty() || !step.changes.empty()) r.bottleneck = step.bottleneck;
  });
  publish(step.changes);
  const bool unsure = state_.trying || std::any_of(state_.elsewhere.begin(), state_.elsewhere.end(),
                                                   [](int looks) { return looks != 0; });
  quiet_ = step.changes.empty() && !unsure ? quiet_ + 1 : 0;
  if (quiet_ < settled) {
    before_ = std::move(now_);
    return;
  }
  resting_ = true;
  run_->record(false);
  due_ = at + every - every / 4;
}

/// After 1, 2, 4, ... whole epochs without a plan's cache: the run may show what optimize's trace did not.
PLUMBLINE_INLINE std::optional<form_change> live_run::learn(resources have) {
  if (learned_ || !ended_ || !whole_ || !plan_->caches.empty() || !std::has_single_bit(now_.epochs))
    return std::nullopt;
  auto shown = with_stated_limits(as_if_recorded(run_->snapshot()), how_.stated);
  shown.disk = forms_.seen.disk;
  // of more of them than it came to, it is not known whether a service would answer as fast
  if (state_.limits.io_threads != 0) have.io_threads = static_cast<double>(state_.limits.io_threads);
  auto to = form_shown(shown, *plan_, have, forms_.want, now());
  learned_ = to.has_value();
  return to;
}
PLUMBLINE_INLINE void live_run::renew() {
  if (!forms_.make || !plan_) return;
  now_ = run_->counted();
  auto have = how_.budget.have;
  have.memory = memory();
  auto to = better_form(forms_.seen, *plan_, held(), have, forms_.want, now());
  if (!to) to = learn(have);
  if (!to) return;
  std::unique_ptr<runtime> made;
  try {
    made = forms_.make(to->made.best);
  } catch (const std::exception& e) {
    to->log.why += "; not done: " + std::string(e.what());
    return publish({to->log});
  }
  {
    const std::scoped_lock lock(mutex_);
    earlier_ = totals();
    std::swap(run_, made);
    if (stopped_) run_->halt();
  }
  made.reset();  // with its caches, before the new ones are filled
  forms_.seen = std::move(to->seen);
  use(to->made.best);
  publish({to->log});
}

PLUMBLINE_INLINE payload* live_run::fetch(progress& come) {
  if (how_.batches != 0 && taken_ >= due_at_) look();
  auto* found = run_->fetch(come);
  if (found != nullptr) taken_ += found->size();
  ended_ = found == nullptr;
  return found;
}
PLUMBLINE_INLINE void live_run::begin(std::uint64_t epoch, const segment_mark& from) {
  whole_ = whole_ && ended_ && from.first == 0 && from.parts == nullptr;
  ended_ = false;
  run_->begin(epoch, from);
}
PLUMBLINE_INLINE void live_run::halt() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  run_->halt();
}
PLUMBLINE_INLINE void live_run::want_marks() {
  marks_ = true;
  run_->want_marks();
}
PLUMBLINE_INLINE void live_run::shorten() {
  shortens_ = true;
  run_->shorten();
}
PLUMBLINE_INLINE live_limits live_run::limits() const { return run_->limits(); }
PLUMBLINE_INLINE bool live_run::mark(segment_mark& at) { return run_->mark(at); }
PLUMBLINE_INLINE run_identity live_run::identity() const { return run_->identity(); }
PLUMBLINE_INLINE bool live_run::has_threads() const { return true; }
PLUMBLINE_INLINE void live_run::record(bool /*wanted*/) {}
PLUMBLINE_INLINE void live_run::watch(taking& calls) {
  calls_ = &calls;
  run_->watch(calls);
}
PLUMBLINE_INLINE trace live_run::snapshot() const { return run_->snapshot(); }
PLUMBLINE_INLINE bool live_run::timeline(plumbline::timeline& to) const { return run_->timeline(to); }
PLUMBLINE_INLINE std::vector<built_part> live_run::parts() const {
  const std::scoped_lock lock(mutex_);
  return run_->parts();
}
PLUMBLINE_INLINE std::unique_lock<std::mutex> live_run::stays() const { return std::unique_lock(mutex_); }
PLUMBLINE_INLINE const pipeline_info& live_run::of() const { return run_->of(); }
PLUMBLINE_INLINE const engine* live_run::graph() const { return run_->graph(); }
PLUMBLINE_INLINE trace live_run::counted() const { return run_->counted(); }
PLUMBLINE_INLINE run_totals live_run::totals() const {
  auto all = run_->totals();
  all.waited += earlier_.waited;
  all.any_reading += earlier_.any_reading;
  all.all_reading += earlier_.all_reading;
  all.io_computed += earlier_.io_computed;
  return all;
}

}  // namespace plumbline::detail
