#pragma once
/// event_keeper: where the events of a run with tracing::timeline go. The only one, event_log.hpp, comes with
/// plumbline/timeline.hpp, so that files which record no events do not wait for it to compile.

#include <plumbline/core/placement.hpp>
#include <plumbline/exec/event_ring.hpp>
#include <plumbline/model/layout.hpp>

#include <vector>

namespace plumbline {
struct timeline;
}
namespace plumbline::detail {

struct pipeline_info;

struct event_keeper {
  virtual ~event_keeper() = default;
  /// This thread's ring; null if there are more threads than expected, whose events are counted as dropped. `waits`: it
  /// is an I/O thread.
  virtual event_ring* own(bool waits) = 0;
  /// For the thread that has the stream's lock, whose events they are from then on.
  virtual event_ring& consumer() = 0;
  /// Makes a timeline of the events.
  virtual void events(timeline& to, const std::vector<layout_row>& rows, const std::vector<built_part>& parts,
                      const pipeline_info& of) const = 0;
};

}  // namespace plumbline::detail
