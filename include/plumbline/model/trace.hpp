#pragma once
/// trace: the measurements of one run, as plain data: one record per operator, one per part (a stage or a serial part),
/// and the files that were read. model/rates.hpp derives rates from it.
///
/// Definitions follow Plumber (Kuchnik et al., MLSys 2022, sections 4.1, 4.4 and appendices A, B), with one difference:
/// time is measured for a part as a whole, and divided among the operators fused into it according to a sample of
/// elements.

#include <plumbline/model/disk_curve.hpp>
#include <plumbline/model/layout.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plumbline {

/// Counters of one operator. At most 144 bytes, as in the paper.
struct operator_counters {
  std::uint64_t completions = 0;  ///< elements that it yielded
  std::uint64_t bytes = 0;        ///< size of these elements, with everything that they own (nbytes)
  std::uint64_t bytes_read = 0;   ///< from storage
  double cpu_seconds = 0;         ///< on a processor, without blocked time
  double wall_seconds = 0;        ///< in the operator's own calls, blocked time included
  std::uint64_t timed = 0;        ///< elements in the sample by which time is divided among fused operators
  double bytes_squared = 0;       ///< sum of the squared element sizes, for their variance; 0: not recorded
  /// Elements that it yielded while recording was paused, and their size. They are in no other figure, so that the
  /// others belong together; stream_stats adds them. Not in files.
  std::uint64_t unrecorded = 0, unrecorded_bytes = 0;
};
static_assert(sizeof(operator_counters) <= 144);

/// Counters of one part of the flow graph: a stage or a serial part.
struct part_counters {
  std::uint32_t number = 0;              ///< index in the pipeline's partition
  std::vector<std::uint32_t> operators;  ///< their numbers
  bool serial = false;                   ///< one thread at a time
  bool blocks = false;                   ///< on I/O threads
  std::uint64_t messages = 0;            ///< chunks that it produced
  double cpu_seconds = 0, wall_seconds = 0;
  double overhead_seconds = 0;  ///< the executor's own share of cpu_seconds: messages, allocation
  double queued_seconds = 0;    ///< time that its messages waited in front of it
};

struct file_read {
  std::uint64_t bytes = 0;  ///< read, over all epochs
  std::uint64_t size = 0;   ///< of the whole file
};

/// Totals of a run with tracing::full from its beginning up to one moment.
struct trace_sample {
  double wall_seconds = 0;          ///< as trace::wall_seconds
  std::uint64_t minibatches = 0;    ///< elements that the root had yielded
  std::vector<double> cpu_seconds;  ///< of each operator
};

struct trace {
  std::vector<layout_row> operators;        ///< as layout(p) lists them: upstream first, the root last
  std::vector<operator_counters> counters;  ///< one per operator
  std::vector<part_counters> parts;
  std::map<std::string, file_read> files;
  double wall_seconds = 0;           ///< from the first request to this snapshot, without pauses between epochs
  double consumer_wait_seconds = 0;  ///< of these, the time that the consumer waited for elements
  double consumer_seconds = 0;       ///< processor time of the consumer's calls, without waiting
  /// Of the time that compute threads did not run, the time they were ready but had no core, as other threads ran.
  double run_delay_seconds = 0;
  double io_run_delay_seconds = 0;      ///< the same of I/O threads
  std::size_t threads = 0;              ///< compute threads of the run
  std::uint64_t epochs = 0;             ///< started
  std::vector<trace_sample> samples{};  ///< with tracing::full, at about equal intervals; see model/confidence.hpp
  disk_curve disk{};                    ///< of the storage that holds the files, if it was measured
};

}  // namespace plumbline
