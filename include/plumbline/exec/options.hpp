#pragma once
/// run_options: the options of `run`. All are optional: what is not set is chosen for the machine, and what is set is
/// used as given.

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/compiled.hpp>
#include <plumbline/core/read_limit.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

enum class output_order : unsigned char {
  kept,      ///< the consumer sees the elements in the order of the plain serial evaluation (default)
  unordered  ///< whichever is ready first; the same elements (a batch keeps its members)
};
inline constexpr auto unordered = output_order::unordered;

struct run_options {
  /// The number of compute threads. Default: all cores that this process may use. 0: no threads; everything runs inside
  /// the consumer's calls (no overlap with the consumer; easiest to debug).
  std::optional<std::size_t> threads{};
  /// The most elements of an operator processed at once, by the operator's name or its number in explain(), e.g.
  /// {{"read_file", 2}, {"4", 1}}. The limit applies to the whole stage that the operator is
  /// in. Default: as many as there are threads.
  std::vector<std::pair<std::string, std::size_t>> parallelism{};
  /// The number of finished output elements (batches, if the pipeline ends in batches) kept ready for the consumer.
  /// Default: 2 or, for small elements, two chunks.
  std::optional<std::size_t> prefetch{};
  /// Seeds the draws of random functions. shuffle and mix have seeds of their own.
  std::uint64_t seed = 0;
  output_order order = output_order::kept;
  /// The number of threads for blocking reads and functions. Default: 4, or twice the compute threads if that is more.
  std::optional<std::size_t> io_threads{};
  /// Operators that wait more than they compute, by name or number as for `parallelism`, e.g. {"map", "7"}: their stage
  /// runs on the I/O threads, as with map(blocking(f)).
  std::vector<std::string> on_io_threads{};
  /// The number of elements in one message between stages; with threads = 0, the most that are processed before one is
  /// given to the consumer. Default: chosen from the measured cost.
  std::optional<std::size_t> chunk{};
  /// The number of the first epoch: 7 begins with the permutation and the random draws of epoch 7.
  std::uint64_t first_epoch = 0;
  /// Serial parts record their state from the beginning of the run, not only from the first stream.save() on. Then the
  /// state of that first call, too, can be loaded without recomputing the epoch up to it.
  bool saves = false;
  /// With tracing::timeline: the most memory for events of 64 bytes, for all threads together; not 0. A quarter is kept
  /// for the consumer, the rest goes to the threads as they need it. When nothing is left, a thread's oldest events are
  /// overwritten, and counted in timeline::dropped.
  std::size_t timeline_bytes = std::size_t{64} << 20;
  /// With tracing::timeline: a file to which events are moved every few milliseconds, so that their number is limited
  /// by the disk only. It is overwritten, and only this stream's timeline() can read it. timeline_bytes is the memory
  /// between two moves: with less than some MiB, events may be overwritten before they are moved. Empty: none.
  std::string timeline_file{};
  /// For experiments with slower storage: the bytes per second, at least 1, that all sources and readers of the run may
  /// read together, on any threads (reads that your functions make by other means are not counted). Default: no limit.
  /// Waiting is blocked time, not CPU time, and ends when the stream is stopped.
  std::optional<double> read_bytes_per_second{};
  /// The most bytes that may be read at once after a pause. Default: what the limit allows in 10 ms.
  std::optional<double> read_burst_bytes{};
};

namespace detail {
/// run_options::read_burst_bytes, if it is not stated.
inline double default_read_burst(double bytes_per_second) { return 0.01 * bytes_per_second; }
/// The bytes that the limit on reading lets through at once; 0 without one.
inline double read_burst(const run_options& how) {
  if (!how.read_bytes_per_second) return 0;
  return how.read_burst_bytes.value_or(default_read_burst(*how.read_bytes_per_second));
}
/// The read limit that the options set, for a run that `stop` ends; null: none.
std::unique_ptr<read_limit> limit_of(const run_options& how, const std::atomic<bool>& stop);
/// The number of I/O threads of a run with so many compute threads.
inline std::size_t io_threads_of(const run_options& how, std::size_t threads) {
  return how.io_threads.value_or(buffering::default_io_threads(threads));
}
}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/options_inl.hpp>
#endif
