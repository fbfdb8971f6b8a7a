#pragma once
/// recording: connects a run to its tracer. Messages are recorded around the type-erased stages and producers, so the
/// engine and the loops over elements are not involved; with tracing off none of this is used.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/framing.hpp>
#include <plumbline/exec/run_setting.hpp>
#include <plumbline/exec/runtime.hpp>
#include <plumbline/exec/tracing.hpp>
#include <plumbline/model/layout.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace plumbline::detail {

struct event_keeper;

/// The limits of a timeline.
struct event_limits {
  std::size_t bytes = 0;    ///< of all rings
  std::size_t threads = 0;  ///< that work in the run
  std::string file{};       ///< where events go when the rings are full; empty: they are dropped
};

/// The work of a part, recorded. `target`: the channel at the end of the segment.
std::unique_ptr<stage_base> recorded(std::unique_ptr<stage_base> work, part_stats* own, channel* target);
std::unique_ptr<producer_base> recorded(std::unique_ptr<producer_base> work, part_stats* own, channel* target);

std::unique_ptr<run_watch> make_tracer(std::vector<layout_row> rows, bool samples);
/// `records`: a tracer.
void keep_events_in(run_watch& records, std::unique_ptr<event_keeper> events);

/// Throws std::invalid_argument: a run without a timeline has a timeline_file.
[[noreturn]] void throw_no_timeline();

/// Returns the run's tracer, or null if the run is not traced.
template <class Trace, class P> std::unique_ptr<run_watch> records_of([[maybe_unused]] const P& p) {
  static_assert(!Trace::on || operators_in<P> <= most_traced_operators,
                "plumbline: run: a traced pipeline may have at most 255 operators");
  if constexpr (framing<Trace>::frames)
    return framing<Trace>::records(p);
  else if constexpr (Trace::on)
    return make_tracer(layout(p), Trace::samples);
  else
    return nullptr;
}
/// True if a run with this trace can compile: a timeline and frames need their headers.
template <class Trace> consteval bool has_its_header() {
  if constexpr (Trace::events) return requires {
      event_log_for(Trace{}, event_limits{}, true);
    };
  else
    return framing<Trace>::frames || !Trace::frames;
}
/// Makes the tracer of a run with a timeline keep events, within the limits that the run's options set. Other runs may
/// not have a timeline_file.
template <class Trace> void keep_events([[maybe_unused]] run_watch* records, [[maybe_unused]] const run_setting& how) {
  if constexpr (Trace::events) {
    const auto threads = how.threads == 0 ? 0 : how.threads + how.io_threads + 1;
    const event_limits most{how.options.timeline_bytes, threads, how.options.timeline_file};
    keep_events_in(*records, event_log_for(Trace{}, most, how.threads != 0));
  } else if (!how.options.timeline_file.empty()) {
    throw_no_timeline();
  }
}

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/recording_inl.hpp>
#endif
