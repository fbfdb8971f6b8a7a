#pragma once
/// run_options: every knob of `run`, all optional. What is not stated is chosen for the machine; what is stated is
/// obeyed.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/read_limit.hpp>

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
  unordered  ///< whatever is ready first; the same elements (a batch keeps its members)
};
inline constexpr auto unordered = output_order::unordered;

struct run_options {
  /// Compute threads. Not stated: all cores that this process may use. 0: no threads at all, everything runs in the
  /// consumer's own calls (no overlap with the consumer; easiest to debug).
  std::optional<std::size_t> threads{};
  /// At most so many elements of an operator at work at once, by the operator's name or its number in explain(), e.g.
  /// {{"read_file", 2}, {"4", 1}}; holds for all that run in one stage with it. Not stated: as many as there are
  /// threads.
  std::vector<std::pair<std::string, std::size_t>> parallelism{};
  /// Finished output elements (batches, if the pipeline ends in batches) held ready for the consumer. Not stated: 2 of
  /// them, or, for small elements, two chunks.
  std::optional<std::size_t> prefetch{};
  /// All randomness of the run follows from it (and from the seeds given to shuffle).
  std::uint64_t seed = 0;
  output_order order = output_order::kept;
  /// Threads for blocking reads. Not stated: 4, or twice the compute threads if that is more.
  std::optional<std::size_t> io_threads{};
  /// Elements in one message between stages; with threads = 0, at most so many are worked at before one is given. Not
  /// stated: from the measured cost.
  std::optional<std::size_t> chunk{};
  /// The number of the first epoch: 7 begins with the permutation and the draws of epoch 7.
  std::uint64_t first_epoch = 0;
  /// Serial parts take their state now and then from the beginning, not only from the first stream.save() on: then the
  /// state of that first call, too, is loaded without making the epoch again up to there.
  bool saves = false;
  /// For experiments with slower storage: bytes per second, at least 1, that all sources and readers of the run may
  /// read together, whatever thread they are on (what your own functions read with calls of their own is not seen). Not
  /// stated: no limit. Waiting is blocked time, not CPU time, and ends when the stream is stopped.
  std::optional<double> read_bytes_per_second{};
  /// What may be read at once after a pause, in bytes. Not stated: what the limit gives in 10 ms.
  std::optional<double> read_burst_bytes{};
};

namespace detail {
/// The limit that the options state for a run that `stop` ends; null: none.
std::unique_ptr<read_limit> limit_of(const run_options& how, const std::atomic<bool>& stop);
/// Does the user's word for an operator mean this one?
bool means(const std::string& which, std::string_view name, std::size_t number);
}  // namespace detail

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/options_inl.hpp>
#endif
