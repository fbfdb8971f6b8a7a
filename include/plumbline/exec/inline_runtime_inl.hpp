#pragma once
/// Definitions of exec/inline_runtime.hpp.

#include <plumbline/exec/inline_runtime.hpp>
#include <plumbline/model/live_limits.hpp>

#include <algorithm>
#include <utility>

namespace plumbline::detail {

/// Durations of a step in ticks (1 to 5 per nanosecond): a quick one takes less than 10 to 30 us, a slow one more than
/// 1 to 4 ms.
inline constexpr std::int64_t quick_step = 1 << 15, slow_step = 1 << 22;

PLUMBLINE_INLINE inline_run::inline_run(const pipeline_info& of, run_setting how, std::unique_ptr<run_watch> records,
                                        element_traits elements)
    : of_(of),
      how_(std::move(how)),
      records_(std::move(records)),
      limit_(limit_of(how_.options, halted_)),
      most_(std::min(elements.most, how_.options.chunk.value_or(elements.most))),
      usual_(elements.most),
      ready_(how_.options.chunk ? 1 : 8),
      waits_(elements.waits),
      saves_(how_.options.saves) {}
PLUMBLINE_INLINE inline_run::~inline_run() = default;

/// Calls f(). An error is reported after the elements before it.
template <class F> void inline_run::attempt(F&& f) {
  try {
    f();
  } catch (...) {
    running_ = false;
    if (records_) records_->ended();
    if (halted_.load()) return;  // a stopped run discards its errors
    try {
      throw_failure(of_, std::current_exception());
    } catch (...) {
      if (output().size() == 0) throw;
      waiting_ = std::current_exception();
    }
  }
}
/// Adds the time that it exists.
class timed_wait {
 public:
  explicit timed_wait(stopwatch& to) : to_(to) { to_.start(wall_now()); }
  timed_wait(const timed_wait&) = delete;
  ~timed_wait() { to_.stop(wall_now()); }

 private:
  stopwatch& to_;
};

/// Calls f() as the run's only part, under its read limit.
template <class F> void inline_run::in_part(bool makes, F&& f) {
  const auto work = [&] {
    const limited_reads on(limit_.get());
    attempt(f);
  };
  if (records_)
    recorded(work, makes);
  else
    work();
}

PLUMBLINE_INLINE void inline_run::begin(std::uint64_t epoch, const segment_mark& from) {
  if (running_ && from.parts != nullptr) part().leave();
  running_ = true;
  epoch_ = epoch;
  position_ = from.first;
  mark_ = nullptr;
  marks_.give_up();
  budget_ = 1;
  output().clear();
  waiting_ = nullptr;
  if (records_) records_->begun();
  const timed_wait timed(waited_);
  try {
    in_part(false, [&] {
      if (from.parts == nullptr)
        part().begin(epoch);
      else
        part().load(*from.parts);
    });
  } catch (...) {
    waiting_ = std::current_exception();  // reported when the first element is requested, as in a run with threads
  }
}
PLUMBLINE_INLINE payload* inline_run::fetch(progress& come) {
  const timed_wait timed(waited_);
  if (records_) records_->asked();
  auto& out = output();
  out.clear();
  if (running_ && mark_ == nullptr && marks_.due()) mark_ = marks_.take(part());
  if (mark_ != nullptr) come = {{position_, std::exchange(mark_, nullptr)}, 0};
  if (waiting_) std::rethrow_exception(std::exchange(waiting_, nullptr));
  in_part(true, [&] { make_some(come); });
  position_ += out.size();
  if (records_) {
    records_->fetched();
    records_->had(0, fetches_++, out.size());
    if (!running_) records_->ended();
  }
  return out.size() != 0 && !halted_.load(std::memory_order_relaxed) ? &out : nullptr;
}
/// True if fetch() has enough elements: one, or several if steps are cheap, cannot wait and give few each (a batch).
PLUMBLINE_INLINE bool inline_run::enough(std::int64_t spent) {
  const auto there = output().size();
  return there >= std::min(ready_, most_) || (there != 0 && (waits_ || budget_ < usual_ || spent > quick_step));
}
PLUMBLINE_INLINE void inline_run::make_some(progress& come) {
  const auto& out = output();
  const auto begin = ticks_now();
  auto since = begin;
  while (running_ && !enough(since - begin) && !halted_.load(std::memory_order_relaxed)) {
    if (marks_.trying()) budget_ = 1;
    if (pump(budget_) == pump_result::ended) running_ = false;
    if (running_ && marks_.trying())
      if (auto parts = marks_.take(part())) {
        if (out.size() != 0) {
          mark_ = std::move(parts);
          break;
        }
        come = {{position_, std::move(parts)}, 0};
      }
    const auto now = ticks_now();
    if (now - since < quick_step)  // small steps until they turn out to be cheap
      budget_ = std::min(4 * budget_, most_);
    else if (now - since > slow_step)  // and again when they no longer are
      budget_ = 1;
    since = now;
  }
}
PLUMBLINE_INLINE void inline_run::halt() { halted_.store(true); }
PLUMBLINE_INLINE void inline_run::want_marks() { saves_.store(true, std::memory_order_relaxed); }
PLUMBLINE_INLINE bool inline_run::mark(segment_mark& here) {
  if (!running_) return false;
  auto parts = marks_.take(part());
  marks_.give_up();
  if (parts == nullptr) return false;
  here = {position_, std::move(parts)};
  return true;
}
PLUMBLINE_INLINE run_identity inline_run::identity() const {
  return {of_.identity(), how_.options.seed, records_ && records_->counts() ? 3U : 2U, how_.in_order()};
}
PLUMBLINE_INLINE void inline_run::record(bool wanted) {
  if (records_) records_->record(wanted);
}
PLUMBLINE_INLINE void inline_run::watch(taking& calls) {
  if (records_) records_->watch(calls);
}
PLUMBLINE_INLINE bool inline_run::timeline(plumbline::timeline& to) const {
  return records_ && records_->timeline(to, of_);
}
PLUMBLINE_INLINE trace inline_run::counted() const { return records_ ? records_->counted(0) : trace{}; }
PLUMBLINE_INLINE live_limits inline_run::limits() const { return {}; }
PLUMBLINE_INLINE trace inline_run::snapshot() const { return records_ ? records_->snapshot(0) : trace{}; }
PLUMBLINE_INLINE std::vector<built_part> inline_run::parts() const { return {built_}; }

}  // namespace plumbline::detail
