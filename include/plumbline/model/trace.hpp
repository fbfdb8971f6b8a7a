#pragma once
/// trace: what a run recorded of itself, as plain data: one record an operator, one a part (a stage, or a serial part),
/// and the files that were read. model/rates.hpp makes figures of it.
///
/// Definitions follow Plumber (Kuchnik et al., MLSys 2022, sections 4.1, 4.4 and appendices A, B), with one difference:
/// time is measured for a part as a whole, and is shared among the operators fused into it by a sample of elements.

#include <plumbline/model/disk_curve.hpp>
#include <plumbline/model/layout.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plumbline {

/// What one operator did. At most 144 bytes, as in the paper.
struct operator_counters {
  std::uint64_t completions = 0;  ///< elements that it yielded
  std::uint64_t bytes = 0;        ///< of those, everything that they own included (nbytes)
  std::uint64_t bytes_read = 0;   ///< from storage
  double cpu_seconds = 0;         ///< on a processor; blocked time is left out
  double wall_seconds = 0;        ///< in the operator's own calls, blocked time included
  std::uint64_t timed = 0;        ///< elements of the sample that shares the time among fused operators
  double bytes_squared = 0;       ///< sum of the squares of each element's bytes: how they vary; 0: not recorded
};
static_assert(sizeof(operator_counters) <= 144);

/// What one part of the flow graph did: a stage, or a serial part.
struct part_counters {
  std::uint32_t number = 0;              ///< in the pipeline's partition
  std::vector<std::uint32_t> operators;  ///< their numbers
  bool serial = false;                   ///< one thread at a time
  bool blocks = false;                   ///< on I/O threads
  std::uint64_t messages = 0;            ///< chunks that it made
  double cpu_seconds = 0, wall_seconds = 0;
  double overhead_seconds = 0;  ///< of the CPU seconds, those of the executor itself: handing over, allocating
  double queued_seconds = 0;    ///< that its messages waited before it
};

struct file_read {
  std::uint64_t bytes = 0;  ///< read, over all epochs
  std::uint64_t size = 0;   ///< of the whole file
};

/// What a run with tracing::full had come to at one moment, from its beginning on.
struct trace_sample {
  double wall_seconds = 0;          ///< as trace::wall_seconds
  std::uint64_t minibatches = 0;    ///< elements that the root had yielded
  std::vector<double> cpu_seconds;  ///< of each operator
};

struct trace {
  std::vector<layout_row> operators;        ///< as layout(p) tells them: upstream first, the root last
  std::vector<operator_counters> counters;  ///< one for each
  std::vector<part_counters> parts;
  std::map<std::string, file_read> files;
  double wall_seconds = 0;  ///< from the first element asked for to this snapshot, pauses between epochs left out
  double consumer_wait_seconds = 0;     ///< of these, those that the consumer waited for an element
  double consumer_seconds = 0;          ///< of processor time that its calls took, waiting left out
  std::size_t threads = 0;              ///< compute threads of the run
  std::uint64_t epochs = 0;             ///< begun
  std::vector<trace_sample> samples{};  ///< of tracing::full, at about equal distances; model/confidence.hpp
  disk_curve disk{};                    ///< of what the files are stored on, where somebody has measured it
};

}  // namespace plumbline
