#pragma once
/// epoch_stalls: how much of an epoch of training waited for data. Every run keeps it, see stream::stalls(); it costs
/// two readings of the clock for each wait and, in a run with I/O threads, for each message. Plain data.
///
/// What waited for I/O is what remains of the waiting if preparation is as busy as it was (DS-Analyzer's difference
/// between the rates from storage and from memory): no more than the share of the compute threads' time that was idle,
/// nor than the time in which an I/O thread waited. So it is exact where all compute threads prepare or all reads wait,
/// and an estimate in between; analyze(p, step) measures each by itself. Without threads (threads = 0) reads are part
/// of preparation.

#include <cstdint>

namespace plumbline {

struct epoch_stalls {
  std::uint64_t epoch = 0;
  bool whole = false;          ///< all its elements were taken; false: still running, or left early
  std::uint64_t elements = 0;  ///< taken from the stream; minibatches if it ends in batch
  double seconds = 0;          ///< from the epoch's begin to its end, with the consumer's own work
  double prep_seconds = 0;     ///< in which the consumer waited for preparation
  double io_seconds = 0;       ///< in which it waited for reads and other functions that block

  double rate() const { return seconds > 0 ? static_cast<double>(elements) / seconds : 0; }
  double prep() const { return seconds > 0 ? prep_seconds / seconds : 0; }  ///< share of the epoch, as are io and step
  double io() const { return seconds > 0 ? io_seconds / seconds : 0; }
  double step() const { return seconds > 0 ? 1 - prep() - io() : 0; }
};

}  // namespace plumbline
