#pragma once
/// event_log: the events of a run with tracing::timeline: a ring for each thread that works in it, and one for the
/// consumer. Makes a timeline from them.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/placement.hpp>
#include <plumbline/exec/event_ring.hpp>
#include <plumbline/model/layout.hpp>
#include <plumbline/model/timeline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace plumbline::detail {

struct pipeline_info;

/// The limits of a timeline.
struct event_limits {
  std::size_t bytes = 0;    ///< of all rings
  std::size_t threads = 0;  ///< that work in the run
  std::string file{};       ///< where events go when the rings are full; empty: they are dropped
};

class event_log {
 public:
  explicit event_log(const event_limits& most);
  event_log(const event_log&) = delete;
  ~event_log();

  /// This thread's ring; null if there are more threads than expected, whose events are counted as dropped. `waits`: it
  /// is an I/O thread.
  event_ring* own(bool waits);
  /// For the thread that has the stream's lock.
  event_ring& consumer() { return *rings_.front(); }
  void set_inline() { inline_ = true; }
  timeline events(const std::vector<layout_row>& rows, const std::vector<built_part>& parts,
                  const pipeline_info& of) const;

 private:
  struct last {
    std::uint64_t in = 0;
    event_ring* is = nullptr;
  };
  static last& recently_used() {
    thread_local last recent;
    return recent;
  }
  event_ring* found(bool waits);
  void drain() const;

  const std::uint64_t id_;
  const std::size_t bytes_each_, most_rings_;
  bool inline_ = false;  ///< without threads: the consumer does all work
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<event_ring>> rings_;
  std::vector<const void*> owners_;
  std::uint64_t no_ring_ = 0;
  std::int64_t ticks_ = 0, ns_ = 0;  ///< the clocks when the run began
  struct spill;                      ///< the file, and the thread that writes it
  std::unique_ptr<spill> spill_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/event_log_inl.hpp>
#endif
