#pragma once
/// stream_watch: a handle on a stream for other threads, which may keep it longer than the stream. Included by
/// plumbline/watch.hpp, with which stream::stats() and stream::watch() can be called.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/consumer.hpp>
#include <plumbline/model/stream_stats.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace plumbline {

class stream_watch {
 public:
  explicit stream_watch(std::shared_ptr<detail::stream_link> of) : of_(std::move(of)) {}
  /// As stream::stats(); empty if the stream no longer exists, or in a child of fork() that has no copy of its threads.
  std::optional<stream_stats> stats() const;

 private:
  std::shared_ptr<detail::stream_link> of_;
};

namespace detail {
/// The resident memory of this process; empty: the system does not say.
std::optional<double> resident_bytes();
/// Found by stream::stats().
void look_at(const consumer_base& stream, stream_stats& now);
/// The same for what a trace shows of a run with these queues.
counted_stats counted_in(trace t, const std::vector<queue_stats>& queues);
}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/stream_watch_inl.hpp>
#endif
