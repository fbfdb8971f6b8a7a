#pragma once
/// Definitions of exec/consumer.hpp.

#include <plumbline/exec/consumer.hpp>
#include <plumbline/exec/pipeline_info.hpp>
#include <plumbline/exec/unused_id.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE consumer_base::consumer_base(std::unique_ptr<runtime> r, std::uint64_t first_epoch)
    : run(std::move(r)),
      process(run->has_threads()),
      next_epoch(first_epoch),
      this_epoch(first_epoch),
      link(std::make_shared<stream_link>()) {
  link->to = this;
  position.open();
  show(stream_phase::not_begun);
  run->watch(calls);
}
PLUMBLINE_INLINE consumer_base::~consumer_base() {
  if (!process.lost()) {  // in a child of fork the lock may be taken by a thread that does not exist here
    const std::scoped_lock lock(link->mutex);
    link->to = nullptr;
  }
  if (process.lost()) static_cast<void>(run.release());  // its destructor would wait for threads that do not exist here
}
PLUMBLINE_INLINE void consumer_base::start(bool anew) {
  log.end(run->totals(), taken(), all_taken());
  if (!stopped.load() && (anew || !loaded)) run->renew();
  const auto totals = run->totals();
  position.open();
  held = nullptr;
  at = 0;
  begun = true;
  restarted = false;
  error = nullptr;
  calls.odd.store(false, std::memory_order_relaxed);
  ended = stopped.load();
  over = false;
  if (std::exchange(loaded, false) && !anew) {
    unwanted = std::exchange(come.since, 0);
    before -= unwanted;
  } else {
    come = {};
    before = unwanted = 0;
  }
  if (!ended) log.begin(totals, this_epoch = next_epoch++, taken());
  show(ended ? stream_phase::stopped : stream_phase::running);
  if (!ended) run->begin(this_epoch, come.from);
}
PLUMBLINE_INLINE void consumer_base::start_loop() {
  if (!restarted || ended || taken() != 0) start();
}
PLUMBLINE_INLINE bool consumer_base::fetch(bool* pending) {
  if (process.lost()) throw_forked();
  do {
    position.open();
    come.since += at;
    before += at;
    at = 0;
    held = nullptr;
    show(stream_phase::running);
    calls.epoch = next_epoch - 1;
    calls.first = before;
    calls.unwanted = unwanted;
    try {
      held = pending == nullptr ? run->fetch(come) : run->fetch_now(come, *pending);
    } catch (...) {
      fail(std::current_exception());
    }
    if (held == nullptr && pending != nullptr && *pending) return false;
    if (held == nullptr) {
      if (unwanted != 0 && !stopped.load()) {
        fail(std::make_exception_ptr(std::runtime_error(
            "plumbline: load: the epoch has only " + std::to_string(before) + " elements now, and " +
            std::to_string(taken()) +
            " had been taken when the state was saved; restore the files or other sources that have changed, or begin "
            "an epoch with restart()")));
      }
      over = !stopped.load();
      finish(over ? stream_phase::ended : stream_phase::stopped);
      return false;
    }
    if (unwanted == 0) continue;
    position.open();
    at = static_cast<std::size_t>(std::min<std::uint64_t>(unwanted, held->size()));
    unwanted -= at;
    show(stream_phase::running);
  } while (at == held->size());
  return true;
}

PLUMBLINE_INLINE bool consumer_base::all_taken() const {
  const auto all = run->of().count();
  return all.exact() && taken() == all.least;
}
PLUMBLINE_INLINE void consumer_base::finish(stream_phase how) {
  const auto totals = run->totals();
  const bool whole = how == stream_phase::ended || (how == stream_phase::stopped && all_taken());
  position.open();
  ended = true;
  log.end(totals, taken(), whole);
  show(how);
}

PLUMBLINE_INLINE void consumer_base::fail(const std::exception_ptr& why) {
  error = why;  // first: if there is no memory for the rest, other threads get it as well
  thrown_to.clear();
  finish(stream_phase::failed);
  log.failed(text_of(why));
  thrown_to.push_back(thread_number());
  std::rethrow_exception(why);
}
PLUMBLINE_INLINE void consumer_base::throw_error() {
  constexpr std::size_t most = 1024;  // a loop that asks with a new thread each time ends
  if (error == nullptr || stopped.load() || thrown_to.size() == most) return;
  if (std::find(thrown_to.begin(), thrown_to.end(), thread_number()) != thrown_to.end()) return;
  thrown_to.push_back(thread_number());
  std::rethrow_exception(error);
}

PLUMBLINE_INLINE void consumer_base::restart() {
  const std::scoped_lock lock(mutex);
  throw_if_stopped("restart");
  if (loaded) ++next_epoch;
  start(true);
  restarted = true;
}
PLUMBLINE_INLINE void consumer_base::restart(std::uint64_t epoch) {
  const std::scoped_lock lock(mutex);
  throw_if_stopped("restart");
  next_epoch = epoch;
  start(true);
  restarted = true;
}
PLUMBLINE_INLINE std::uint64_t consumer_base::epoch() const {
  const std::scoped_lock lock(mutex);
  return begun && !over ? next_epoch - 1 : next_epoch;
}
PLUMBLINE_INLINE stream_state consumer_base::save() {
  const std::scoped_lock lock(mutex);
  stream_state out;
  out.of_ = identity("save");
  out.begun_ = begun || loaded;
  out.epoch_ = begun ? next_epoch - 1 : next_epoch;
  out.over_ = over;
  run->want_marks();
  if (held != nullptr && at == held->size() && run->mark(come.from)) {
    position.open();
    come.since = 0;
    before += at;
    at = 0;
    held = nullptr;
    show(stream_phase::running);
  }
  out.come_ = {come.from, come.since + at + unwanted};
  out.taken_ = taken();
  return out;
}
PLUMBLINE_INLINE void consumer_base::load(const stream_state& from) {
  const std::scoped_lock lock(mutex);
  throw_if_stopped("load");
  const auto own = identity("load");
  if (from.of_.pipeline.all != own.pipeline.all) throw_other_pipeline(from.of_.pipeline, own.pipeline, run->of());
  if (from.of_.seed != own.seed)
    throw std::invalid_argument("plumbline: load: this state was saved from a run with seed " +
                                std::to_string(from.of_.seed) + ", and this one has " + std::to_string(own.seed) +
                                "; run with the same seed");
  const auto totals = run->totals();
  const bool whole = all_taken();
  position.open();
  log.end(totals, taken(), whole);
  held = nullptr;
  at = 0;
  unwanted = 0;
  restarted = false;
  begun = ended = over = from.over_;
  error = nullptr;
  loaded = from.begun_ && !from.over_;
  next_epoch = from.epoch_ + (from.over_ ? 1 : 0);
  come = from.of_.layout == own.layout ? from.come_ : progress{{}, from.taken_};
  before = from.taken_;
  this_epoch = from.epoch_;
  show(begun ? stream_phase::ended : stream_phase::not_begun);
  calls.odd.store(!begun);
}
PLUMBLINE_INLINE void consumer_base::stop() {
  stopped.store(true);
  if (!process.lost()) run->halt();
}
PLUMBLINE_INLINE void consumer_base::throw_if_stopped(const char* who) const {
  if (stopped.load())
    throw std::logic_error("plumbline: " + std::string(who) +
                           ": this stream was stopped, which is permanent; run the pipeline again");
}
PLUMBLINE_INLINE trace consumer_base::traced() const {
  const std::scoped_lock lock(mutex);
  return run->snapshot();
}
PLUMBLINE_INLINE void consumer_base::timeline(plumbline::timeline& to) const {
  const std::scoped_lock lock(mutex);
  if (!run->timeline(to))
    throw std::logic_error(
        "plumbline: timeline: this run records no events; run<pl::tracing::timeline>(p) does, and with the plan of a "
        "tuned run run<pl::tracing::timeline>(p, plan)");
}
PLUMBLINE_INLINE std::vector<epoch_stalls> consumer_base::stalls() const {
  const std::scoped_lock lock(mutex);
  return log.epochs(run->totals(), taken(), begun && all_taken());
}
PLUMBLINE_INLINE void consumer_base::record(bool wanted) {
  const std::scoped_lock lock(mutex);
  run->record(wanted);
}
PLUMBLINE_INLINE run_identity consumer_base::identity(const char* who) const {
  const auto own = run->identity();
  if (!own.in_order)
    throw std::logic_error("plumbline: " + std::string(who) +
                           ": with order = unordered it is not known which elements have been taken; use the default "
                           "order");
  return own;
}

[[noreturn]] PLUMBLINE_INLINE void throw_moved_from() {
  throw std::logic_error(
      "plumbline: this stream is empty (moved from, or never assigned); use the one that it was moved to, or assign "
      "run(p)");
}

[[noreturn]] PLUMBLINE_INLINE void throw_forked() {
  throw std::logic_error(
      "plumbline: this stream was started by the parent of this process, and fork() does not copy its threads; run the "
      "pipeline after fork(), or without threads: run(p, {.threads = 0})");
}

}  // namespace plumbline::detail
