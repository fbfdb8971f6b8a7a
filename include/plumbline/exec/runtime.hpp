#pragma once
/// runtime: what a stream reads from, whatever its element type. run_watch: is notified of the progress of a traced
/// run.

#include <plumbline/core/placement.hpp>
#include <plumbline/exec/chunk.hpp>
#include <plumbline/exec/epoch_log.hpp>
#include <plumbline/exec/run_attendant.hpp>
#include <plumbline/exec/stream_state.hpp>
#include <plumbline/model/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace plumbline {
struct timeline;
struct live_limits;
}  // namespace plumbline
namespace plumbline::detail {

class engine;
class taking;
class part_stats;
struct pipeline_info;

/// One call at a time, except `halt`, and what is for any thread.
struct runtime {
  virtual ~runtime() = default;
  virtual void begin(std::uint64_t epoch, const segment_mark& from) = 0;
  /// Returns the next elements of the epoch, at least one; null when the epoch is over. The chunk stays valid until the
  /// next call. If the elements begin with a mark, it is stored in `come`.
  virtual payload* fetch(progress& come) = 0;
  /// The same, but does not wait: null and `pending` if the next elements have not come yet. Not for traced and live
  /// runs. One without threads makes the elements here.
  virtual payload* fetch_now(progress& come, bool& /*pending*/) { return fetch(come); }
  /// Calls f, which must not wait, each time that elements have come, on a thread of the run. Before the first begin().
  /// Not for live runs.
  virtual void on_arrival(std::function<void()> /*f*/) {}
  /// Ends everything; a fetch that waits returns null. May be called from any thread.
  virtual void halt() = 0;
  /// Requests marks from now on.
  virtual void want_marks() = 0;
  /// Ends every later epoch whose elements are made by index where the current one is left, so that a cache of it is
  /// full. For measurements.
  virtual void shorten() {}
  /// The next begin() is from the beginning of an epoch: a run in several forms may take another one.
  virtual void renew() {}
  /// Has this object look after the run, which it outlives, from now on.
  virtual void attend(run_attendant&) {}
  /// See engine::limits() and adjust(); empty, and without effect, if nothing can change.
  virtual live_limits limits() const = 0;
  virtual void adjust(const live_limits&) {}
  /// Makes a mark after everything fetched so far; false if that is not possible.
  virtual bool mark(segment_mark&) { return false; }
  virtual run_identity identity() const = 0;
  virtual bool has_threads() const = 0;
  virtual void record(bool wanted) = 0;
  /// Makes a traced run report its fetches to this object, which also selects the calls to be timed.
  virtual void watch(taking&) {}
  virtual trace snapshot() const = 0;
  /// False: it records no events.
  virtual bool timeline(plumbline::timeline& to) const = 0;
  virtual std::vector<built_part> parts() const = 0;

  // --- for any thread

  /// While it is held, what the functions below refer to stays.
  virtual std::unique_lock<std::mutex> stays() const { return {}; }
  virtual run_totals totals() const = 0;
  virtual const pipeline_info& of() const = 0;
  /// The graph that the run is on; null: it has no threads.
  virtual const engine* graph() const = 0;
  /// The totals of a traced run; without operators if it is not traced.
  virtual trace counted() const = 0;
};

/// A traced run's tracer, as its parts and its consumer see it: one caller at a time. (Not pure virtual: with only one
/// implementation g++ would compile the tracer into every run, to try a direct call first.)
struct run_watch {
  virtual ~run_watch() = default;
  /// True if it counts elements: a run without threads then has other states.
  virtual bool counts() const { return false; }
  /// Returns the part_stats of a part. `most`: how many parts with the same number get one each, which the others
  /// share; 0: all.
  virtual part_stats* open(const built_part& /*of*/, bool /*hands_over*/, std::size_t /*most*/) { return nullptr; }
  virtual void begun() {}
  virtual void ended() {}
  /// Called around each fetch.
  virtual void entered() {}
  virtual void left(std::size_t /*elements*/) {}
  /// The same for a timeline: the consumer asks for a message, and has the one of this segment and sequence number.
  virtual void asked() {}
  virtual void had(std::uint32_t /*segment*/, std::uint64_t /*sequence*/, std::size_t /*elements*/) {}
  /// The consumer waited for a message.
  virtual void waited(std::int64_t /*ns*/) {}
  /// Elements have arrived: takes a sample if one is due.
  virtual void fetched() {}
  /// Turns recording on or off for messages that begin from now on.
  virtual void record(bool /*wanted*/) {}
  /// Reports the consumer's fetches to this object from now on.
  virtual void watch(taking&) {}
  virtual trace snapshot(std::size_t /*threads*/) const { return {}; }
  /// The same without samples, files and the consumer's time, for any thread.
  virtual trace counted(std::size_t /*threads*/) const { return {}; }
  /// False: it keeps no events.
  virtual bool timeline(plumbline::timeline& /*to*/, const pipeline_info& /*of*/) const { return false; }
};

}  // namespace plumbline::detail
