#pragma once
/// How a run records itself. `tracing::off` adds no code to the loops. Otherwise each part of the graph has a
/// part_stats (part_stats.hpp), to which a part_timer (part_timer.hpp) adds every message of a stage and every turn of
/// a serial part. The tracer (tracer.hpp) holds them.

#include <cstddef>

namespace plumbline {

/// What a run records about itself: run<tracing::counters>(p).
namespace tracing {
struct off {
  static constexpr bool on = false, samples = false, events = false, frames = false;
};
/// Totals for each operator and part.
struct counters {
  static constexpr bool on = true, samples = false, events = false, frames = false;
};
/// The same, with a sample of the totals about every 10 ms, for confidence intervals.
struct full {
  static constexpr bool on = true, samples = true, events = false, frames = false;
};
/// The totals, and an event for each message and for each element that was timed or taken: stream::timeline().
struct timeline {
  static constexpr bool on = true, samples = false, events = true, frames = false;
};
/// Nothing; but each operator has a frame of its own in profilers' stacks: scripts/hardware_map.
struct symbols {
  static constexpr bool on = false, samples = false, events = false, frames = true;
};
}  // namespace tracing

namespace detail {
inline constexpr std::size_t most_traced_operators = 255;
}
}  // namespace plumbline
