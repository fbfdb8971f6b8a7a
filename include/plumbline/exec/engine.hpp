#pragma once
/// engine: a pipeline's flow graph. It is built of segments: a *producer* (serial: produces messages while it has
/// credits), the *stages* (parallel), and the *channel* where they arrive in order. Everything here is type-erased, so
/// that the flow graph's templates are instantiated once, whatever the pipeline.
///
///   producer -> stage ... -> channel     each a multifunction_node; one that reads hands its messages to I/O threads
///
/// The nodes run in an arena of this engine's own, on threads of its own that wait for the graph inside it, beside
/// whatever the host program does with TBB. TBB's workers take no part: it may have none to give (a host's
/// `global_control`, consumers that wait inside the host's own tasks), and the graph has to go on all the same.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/partition.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/exec/stage.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace plumbline::detail {

/// The serial part at the beginning of a segment. One call at a time.
struct producer_base {
  virtual ~producer_base() = default;
  /// A message to fill; null when none can be produced now.
  virtual message* acquire() = 0;
  /// False: it was not needed after all, and has been given back.
  virtual bool fill(message& m) = 0;
};

class engine {
 public:
  engine(std::size_t threads, std::size_t io_threads, const run_options& how);
  ~engine() noexcept;
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// When all segments are there: nothing runs before.
  void start();
  /// Everything stops at its next element; returns when nothing runs any more.
  void shut_down();
  const std::atomic<bool>& stop_flag() const;
  void stop();

  /// From now on serial parts take their state now and then.
  void want_marks();

  channel* make_channel(std::size_t credits, bool ordered);
  chunk_sizer* make_chunk_sizer(std::size_t fixed);
  struct step {
    std::unique_ptr<stage_base> work;
    built_part of;
    std::size_t at_once;  ///< 0: no limit of its own
  };
  /// Ties a producer, its stages and its channel together. `of`: the producer's part, if it is one (numbers are none).
  /// `reads`: the channels that the producer takes from.
  void add_segment(std::unique_ptr<producer_base> producer, built_part of, std::vector<step> steps, channel* target,
                   const std::vector<channel*>& reads);
  const std::vector<built_part>& parts() const;

 private:
  struct graph;  ///< all that is TBB's
  std::unique_ptr<graph> graph_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/engine_inl.hpp>
#endif
