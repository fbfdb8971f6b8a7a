#pragma once
/// batches_of(timeline): the batches of a run with tracing::timeline, for report(batch_log): each element that the
/// consumer took, with the preparation behind it.
///
/// Which messages went into a batch follows from the order in which its serial parts took messages and gave others, not
/// from what the operators are; which of its elements a batch holds also from how many its operators take for one, if
/// that is fixed. After an operator that buffers (shuffle) an element's batch is therefore only approximate.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/batch_log.hpp>
#include <plumbline/model/timeline.hpp>

#include <vector>

namespace plumbline {

/// One record for each element that the consumer fetched and whose message is in the timeline. Preparation begins when
/// the first thread begins to work on one of its messages, and ends when its last message is complete. `asked` and
/// `had` of elements that were fetched together and taken less than some microseconds apart are spread evenly between
/// the fetches, and `consumer` is the thread that fetched them. `pass` counts how often positions began again or the
/// epoch followed another; a load() that goes on where the stream was is not seen. What was taken for a batch that was
/// never given counts for the next pass's first. If events were overwritten (timeline::dropped), batches are missing,
/// and those whose preparation may have begun before the first event that was kept are `begun_lost`. O(n log n) in
/// events.
batch_log batches_of(const timeline& of);

/// How full a segment's channel was: messages that were complete and not yet taken, from `at` on (ns), and the memory
/// of their elements, from the mean size of an element. In front of the consumer only messages with elements: empty
/// ones are dropped there without an event.
struct queue_depth {
  std::uint32_t segment = 0;
  std::int64_t at = 0;
  std::int64_t messages = 0;
  double bytes = 0;
};
/// In the order of time. O(n log n).
std::vector<queue_depth> queue_depths(const timeline& of);

/// Seconds of each operator, in the order of timeline::operators: the time of each part's work, without
/// the timing, divided among its operators and the executor by the elements that were timed, each weighted by the
/// number that it represents. O(n log n).
std::vector<double> operator_seconds(const timeline& of);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/timeline_batches_inl.hpp>
#endif
