#pragma once
/// event_log: the events of a run with tracing::timeline: a ring for each thread that works in it, and one for the
/// consumer, whose threads write into it one at a time. Makes a timeline from them.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/event_keeper.hpp>
#include <plumbline/exec/recording.hpp>
#include <plumbline/exec/tracer.hpp>
#include <plumbline/model/timeline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace plumbline::detail {

class event_log final : public event_keeper {
 public:
  /// `on_threads`: false: the consumer does all work.
  event_log(const event_limits& most, bool on_threads);
  event_log(const event_log&) = delete;
  PLUMBLINE_INLINE ~event_log() override;

  PLUMBLINE_INLINE event_ring* own(bool waits) override;
  PLUMBLINE_INLINE event_ring& consumer() override;
  PLUMBLINE_INLINE void events(timeline& to, const std::vector<layout_row>& rows, const std::vector<built_part>& parts,
                               const pipeline_info& of) const override;

 private:
  struct last {
    std::uint64_t in = 0;
    event_ring* is = nullptr;
  };
  static last& recently_used() {
    thread_local last recent;
    return recent;
  }
  std::size_t bytes_for_consumer(const event_limits& most) const;
  event_ring* found(bool waits);
  struct spill;  ///< the file, and the thread that writes it
  void drain(spill& to) const;

  const std::uint64_t id_;
  const std::size_t most_rings_;
  const bool inline_;              ///< the consumer does all work
  const std::size_t bytes_each_;   ///< a ring's own
  event_budget more_, consumers_;  ///< for the threads' rings, and the consumer's
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<event_ring>> rings_;
  event_ring* consumer_ = nullptr;  ///< the first, for the consumer, who does not lock
  std::vector<const void*> owners_;
  std::vector<const void*> consumers_seen_;  ///< the consumer's threads
  const void* consumes_ = nullptr;           ///< the one that wrote last
  std::uint64_t no_ring_ = 0;
  const clock_pair begun_ = clock_pair::now();  ///< when the run began
  std::unique_ptr<spill> spill_;
};

}  // namespace plumbline::detail

namespace plumbline::tracing {
/// Found where a run is compiled that keeps events (recording.hpp).
inline std::unique_ptr<detail::event_keeper> event_log_for(timeline, const detail::event_limits& most,
                                                           bool on_threads) {
  return std::make_unique<detail::event_log>(most, on_threads);
}
}  // namespace plumbline::tracing

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/event_log_inl.hpp>
#endif
