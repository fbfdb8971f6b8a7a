#pragma once
/// engine: a pipeline's flow graph. It is built of segments: a *producer* (serial: produces messages while it has
/// credits), the *stages* (parallel), and the *channel* where their messages arrive in order. Everything here is
/// type-erased, so that the flow graph's templates are instantiated once for all pipelines.
///
///   producer -> stage ... -> channel     each a multifunction_node; a blocking one passes its messages to I/O threads
///
/// The nodes run in the engine's own arena, on the engine's own threads, which wait for the graph inside it. This is
/// independent of what the host program does with TBB. TBB's workers take no part, because none may be available (a
/// host's `global_control`, consumers that wait inside the host's own tasks), and the graph must make progress all the
/// same.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/partition.hpp>
#include <plumbline/exec/epoch_log.hpp>
#include <plumbline/exec/options.hpp>
#include <plumbline/exec/stage_base.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace plumbline {
struct live_limits;
}
namespace plumbline::detail {

struct file_memory;

/// The serial part at the beginning of a segment. One call at a time.
struct producer_base {
  virtual ~producer_base() = default;
  /// Returns a message to fill, or null if none can be produced now.
  virtual message* acquire() = 0;
  /// False if the message was not needed after all and has been put back.
  virtual bool fill(message& m) = 0;
};

class engine {
 public:
  /// `adjustable`: limits may change while it runs. `files`: see run_setting.
  engine(std::size_t threads, std::size_t io_threads, const run_options& how, bool adjustable = false,
         file_memory* files = nullptr);
  ~engine() noexcept;
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Called when all segments have been added; nothing runs before.
  void start();
  /// Stops everything at its next element, and returns when nothing is running.
  void shut_down();
  const std::atomic<bool>& stop_flag() const;
  void stop();

  /// From now on serial parts record their state from time to time.
  void want_marks();
  /// From now on an epoch of indices ends where the epoch before it was left.
  void shorten();

  /// `most`: the most credits that adjust() may give it; 0: their number stays.
  channel* make_channel(std::size_t credits, bool ordered, std::size_t most = 0);
  chunk_sizer* make_chunk_sizer(std::size_t fixed);
  struct step {
    std::unique_ptr<stage_base> work;
    built_part of;
    std::size_t at_once;  ///< messages processed at once; 0: no limit of its own
  };
  /// Connects a producer, its stages and its channel. `of`: the producer's part; empty for a producer of indices, which
  /// is not a part. `reads`: the channels that the producer takes from. `size`: chooses the size of its messages.
  void add_segment(std::unique_ptr<producer_base> producer, built_part of, std::vector<step> steps, channel* target,
                   const std::vector<channel*>& reads, chunk_sizer* size);
  const std::vector<built_part>& parts() const;
  /// The channels, that of the consumer last.
  const std::vector<std::unique_ptr<channel>>& channels() const;
  /// The limits in force: parts as in parts(), a buffer for each segment, upstream first, the last one the output.
  live_limits limits() const;
  /// Changes the limits of an adjustable run, without a pause: what is being processed goes on. `to`: from limits(),
  /// with other values. What is stated there, or cannot change, stays. A part that was put on I/O threads stays there.
  void adjust(const live_limits& to);
  /// All but what the consumer waited.
  run_totals totals() const;

 private:
  struct graph;  ///< everything that depends on TBB
  std::unique_ptr<graph> graph_;
};

}  // namespace plumbline::detail
