#pragma once
/// runtime: what a stream reads from, whatever its elements are. run_watch: is notified of the progress of a traced
/// run.

#include <plumbline/core/placement.hpp>
#include <plumbline/exec/chunk.hpp>
#include <plumbline/exec/stream_state.hpp>
#include <plumbline/model/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::detail {

class taking;

/// One consumer call at a time, except `halt`.
struct runtime {
  virtual ~runtime() = default;
  virtual void begin(std::uint64_t epoch, const segment_mark& from) = 0;
  /// The next elements of the epoch, at least one; null when it is over. The chunk stays valid until the next call.
  /// Where they begin with a mark, it is noted in `come`.
  virtual payload* fetch(progress& come) = 0;
  /// From any thread: ends everything; a fetch that waits returns null.
  virtual void halt() = 0;
  /// From now on there are to be marks.
  virtual void want_marks() = 0;
  /// A mark behind all that was fetched, if there can be one.
  virtual bool mark(segment_mark&) { return false; }
  virtual run_identity identity() const = 0;
  virtual void record(bool wanted) = 0;
  /// A traced run reports its fetches there, and says which calls are to be timed.
  virtual void watch(taking&) {}
  virtual trace snapshot() const = 0;
  virtual std::vector<built_part> parts() const = 0;
};

/// The consumer's side of a traced run: one caller at a time. (Not pure: with one implementation g++ would compile the
/// tracer into every run, to try a direct call first.)
struct run_watch {
  virtual ~run_watch() = default;
  virtual void begun() {}
  virtual void ended() {}
  /// Around each fetch.
  virtual void entered() {}
  virtual void left(std::size_t /*elements*/) {}
  /// For a message.
  virtual void waited(std::int64_t /*ns*/) {}
  /// Elements have come: takes a sample, if it is time for one.
  virtual void fetched() {}
  /// Messages that are begun from here on are recorded, or are not.
  virtual void record(bool /*wanted*/) {}
  /// The consumer's calls from here on, and what they fetch.
  virtual void watch(taking&) {}
  virtual trace snapshot(std::size_t /*threads*/) const { return {}; }
};

}  // namespace plumbline::detail
