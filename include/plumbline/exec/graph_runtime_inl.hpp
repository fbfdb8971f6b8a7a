#pragma once
/// Definitions of exec/graph_runtime.hpp.

#include <plumbline/exec/graph_runtime.hpp>
#include <plumbline/model/live_limits.hpp>

#include <utility>

namespace plumbline::detail {

PLUMBLINE_INLINE graph_run::graph_run(const pipeline_info& of, run_setting how, std::unique_ptr<run_watch> records)
    : of_(of),
      how_(std::move(how)),
      records_(std::move(records)),
      engine_(how_.threads, how_.io_threads, how_.options, how_.adjustable, how_.files) {
  how_.graph = &engine_;
}
PLUMBLINE_INLINE graph_run::~graph_run() {
  halt();
  engine_.shut_down();
}
PLUMBLINE_INLINE buffering graph_run::output_buffer(bool has_stages) const {
  buffering size{};
  if (how_.options.prefetch) {
    size = buffering::of_elements(*how_.options.prefetch);
    if (has_stages) size.messages += how_.threads;
  } else if (!has_stages && !how_.adjustable) {
    size.messages = 2;
  }
  return size;
}
PLUMBLINE_INLINE void graph_run::start(channel* out) {
  out_ = out;
  if (how_.adjustable && !how_.options.prefetch && !engine_.limits().buffers.back().has_stages) out->limit(2);
  engine_.start();
}
PLUMBLINE_INLINE void graph_run::begin(std::uint64_t epoch, const segment_mark& from) {
  give_back();
  if (records_) records_->begun();
  out_->begin(epoch, from);
  running_ = true;
}
PLUMBLINE_INLINE payload* graph_run::fetch(progress& come) {
  if (!records_) return take(come);
  records_->asked();
  records_->entered();
  payload* found = nullptr;
  try {
    found = take(come);
  } catch (...) {
    records_->left(0);
    throw;
  }
  const auto size = found == nullptr ? 0 : found->size();
  records_->left(size);
  records_->had(out_->number, held_ == nullptr ? 0 : held_->sequence, size);
  return found;
}
PLUMBLINE_INLINE payload* graph_run::fetch_now(progress& come, bool& pending) { return take(come, &pending); }
PLUMBLINE_INLINE void graph_run::on_arrival(std::function<void()> f) { out_->on_arrival(std::move(f)); }
PLUMBLINE_INLINE void graph_run::halt() {
  engine_.stop();
  if (out_ != nullptr) out_->close();
}
PLUMBLINE_INLINE void graph_run::want_marks() { engine_.want_marks(); }
PLUMBLINE_INLINE void graph_run::shorten() { engine_.shorten(); }
PLUMBLINE_INLINE run_identity graph_run::identity() const {
  return {of_.identity(), how_.options.seed, 1, how_.in_order()};
}
PLUMBLINE_INLINE void graph_run::record(bool wanted) {
  if (records_) records_->record(wanted);
}
PLUMBLINE_INLINE void graph_run::watch(taking& calls) {
  if (records_) records_->watch(calls);
}
PLUMBLINE_INLINE void graph_run::attend(run_attendant& by) { attendant_ = &by; }
PLUMBLINE_INLINE live_limits graph_run::limits() const { return engine_.limits(); }
PLUMBLINE_INLINE void graph_run::adjust(const live_limits& to) { engine_.adjust(to); }
PLUMBLINE_INLINE trace graph_run::snapshot() const { return records_ ? records_->snapshot(how_.threads) : trace{}; }
PLUMBLINE_INLINE bool graph_run::timeline(plumbline::timeline& to) const {
  return records_ && records_->timeline(to, of_);
}
PLUMBLINE_INLINE std::vector<built_part> graph_run::parts() const { return engine_.parts(); }
PLUMBLINE_INLINE run_totals graph_run::totals() const {
  auto all = engine_.totals();
  all.waited = 1e-9 * static_cast<double>(waited_.total(wall_now));
  return all;
}
PLUMBLINE_INLINE trace graph_run::counted() const { return records_ ? records_->counted(how_.threads) : trace{}; }
PLUMBLINE_INLINE message* graph_run::wait() {
  auto since = wall_now();
  waited_.start(since);
  const auto waited = [&](message* m) {
    const auto now = wall_now();
    waited_.stop(now);
    if (records_) records_->waited(now - std::exchange(since, now));
    return m;
  };
  if (attendant_ == nullptr) return waited(out_->take_waiting());
  for (;;) {
    auto* m = waited(out_->take_waiting(attendant_->due()));
    if (m != nullptr || engine_.stop_flag().load(std::memory_order_relaxed)) return m;
    attendant_->look();
    waited_.start(since);  // looking delays the consumer, too
  }
}
PLUMBLINE_INLINE payload* graph_run::take(progress& come, bool* pending) {
  if (attendant_ != nullptr && wall_now() >= attendant_->due()) attendant_->look();
  for (;;) {
    bool last = false;
    if (held_ != nullptr) {
      last = held_->last;
      const auto error = held_->error;
      give_back();
      if (error) {
        finish();
        throw_failure(of_, error);
      }
    }
    if (last) finish();
    if (!running_) return nullptr;
    if ((held_ = out_->take()) == nullptr && pending == nullptr) held_ = wait();
    if (held_ == nullptr) {
      if (pending != nullptr) *pending = !engine_.stop_flag().load(std::memory_order_relaxed);
      return nullptr;
    }
    if (out_->marks(*held_)) come = {{held_->first, held_->parts}, 0};
    if (records_) records_->fetched();
    if (held_->load != nullptr && held_->load->size() != 0) return held_->load;
  }
}
PLUMBLINE_INLINE void graph_run::finish() {
  running_ = false;
  if (records_) records_->ended();
}
PLUMBLINE_INLINE void graph_run::give_back() {
  if (held_ != nullptr) out_->release(std::exchange(held_, nullptr));
}

}  // namespace plumbline::detail
