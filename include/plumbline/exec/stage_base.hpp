#pragma once
/// stage_base: a stage as the engine sees it, without element types. stage.hpp has the stages themselves.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/channel.hpp>
#include <plumbline/exec/chunk_sizer.hpp>

#include <atomic>
#include <cstdint>

namespace plumbline::detail {

/// What a stage knows of its segment.
struct segment_state {
  channel* target;
  const std::atomic<bool>* stop;
  element_cost* cost;
  bool waits;  ///< the stage runs on I/O threads
  bool idle(const message& m) const { return stop->load(std::memory_order_relaxed) || target->stale(m.generation); }
};

struct stage_base {
  virtual ~stage_base() = default;
  /// True if the stage may be tried where it must not wait. `reads_wait`: every read does, as under a limit on reading;
  /// then only a stage with a cache is tried, and the others begin their reads in order.
  virtual bool tries(bool /*reads_wait*/) const { return false; }
  /// Replaces a message's elements by those that the stage makes from them. `may_wait`: false for a try, which returns
  /// false if the rest of the message has to be made where it may wait.
  virtual bool process(message& m, bool may_wait) = 0;
};
/// The base of stage that does not depend on element types: input and output chunks, errors, and cost measurement.
class chunk_stage : public stage_base {
 public:
  PLUMBLINE_INLINE bool process(message& m, bool may_wait) final;

 protected:
  explicit chunk_stage(segment_state segment) : segment_(segment) {}
  virtual payload* fresh_chunk() = 0;
  /// Makes the rest of the message's elements, from index `done` on; `done` counts those processed, even if one of them
  /// throws. False: one was refused, because it has to wait.
  virtual bool make(message& m, payload& out, std::uint64_t& done, bool may_wait) = 0;

  segment_state segment_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/stage_base_inl.hpp>
#endif
