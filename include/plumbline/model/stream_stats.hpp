#pragma once
/// stream_stats: how a stream is doing at one moment. Plain data; what is not known is an empty optional, never 0.

#include <plumbline/model/epoch_stalls.hpp>
#include <plumbline/model/stream_phase.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// What limits the rate of a stream.
enum class stream_limit : unsigned char { consumer, preparation, reading };

/// Messages between two parts of a run, or between the last part and the consumer; a message holds some elements.
struct queue_stats {
  std::uint32_t after = 0;     ///< the number of the operator whose elements it holds, as explain() shows it
  std::string name{};          ///< of that operator
  bool inside = false;         ///< within that operator, between two of its parts; its result has a queue of its own
  std::size_t capacity = 0;    ///< the most messages in flight
  std::size_t in_flight = 0;   ///< messages that are being made, are ready, or are in use
  std::size_t ready = 0;       ///< messages that wait to be taken
  std::size_t early = 0;       ///< of these, messages that wait for an earlier one, which is not ready
  std::uint64_t elements = 0;  ///< in the messages that are ready
};

/// What an operator has done so far. Elements and bytes are whole. Time is recorded only in a part of the run: of a
/// live run that has settled in a quarter of it, of a tuned one while optimize measures it, of another one while
/// record() is on.
struct operator_stats {
  std::uint32_t number = 0;
  std::string name{};
  std::uint64_t elements = 0;                ///< that it yielded
  std::uint64_t bytes = 0;                   ///< size of these
  double cpu_seconds = 0, wall_seconds = 0;  ///< while time was recorded
  std::uint64_t recorded = 0;                ///< elements that it yielded meanwhile
};

/// The operator that keeps the rate from being higher, by the times recorded so far.
struct slowest_operator {
  std::uint32_t number = 0;
  std::string name{};
  double rate = 0;  ///< the elements per second of the stream that its part could make with all the threads it may have
};

struct cache_stats {
  std::uint64_t hits = 0;    ///< elements found in one of the pipeline's caches, in all epochs
  std::uint64_t misses = 0;  ///< elements found in none, that had to be made
  /// What the caches hold in this process's memory; empty: they keep their elements elsewhere. An estimate, from the
  /// mean size of the elements.
  std::optional<double> bytes{};
};

/// What only a traced run knows. A live run that goes on in another form counts from 0 again: its operators are others.
struct counted_stats {
  std::vector<operator_stats> operators{};
  std::optional<slowest_operator> slowest{};  ///< empty: nothing has come out yet
  std::optional<cache_stats> caches{};        ///< empty: there is none, or none of which it is known
  /// Of the elements in the queues, from their operators' mean size; empty if an operator has yielded none yet.
  std::optional<double> queued_bytes{};
};

struct stream_stats {
  stream_phase phase = stream_phase::not_begun;
  std::uint64_t epoch = 0;                   ///< that runs or, if none does, the last one
  std::uint64_t position = 0;                ///< elements of it taken, including those before a state that was loaded
  std::optional<std::uint64_t> size{};       ///< elements of an epoch; empty: no count rule determines it
  std::optional<epoch_stalls> this_epoch{};  ///< that epoch's elements, time and waiting; empty: none has begun
  std::uint64_t elements = 0;                ///< taken in all epochs
  double seconds = 0;                        ///< of all epochs, with the consumer's own work
  double waited_seconds = 0;                 ///< of these, the time that the consumer waited
  std::uint64_t failures = 0;                ///< that ended an epoch, thrown to the consumer
  std::optional<std::string> last_failure{};
  std::vector<queue_stats> queues{};       ///< upstream first, the consumer's last; none without threads
  std::optional<double> process_bytes{};   ///< resident memory of the whole process; empty: the system does not say
  std::optional<counted_stats> counted{};  ///< empty: the run is not traced

  /// Elements per second in this epoch.
  double rate() const { return this_epoch ? this_epoch->rate() : 0; }
  /// The share of the time in which the consumer waited, in this epoch.
  double stalled() const { return this_epoch ? this_epoch->prep() + this_epoch->io() : 0; }
  /// What limits the rate in this epoch: the consumer if it waits for less than a twentieth of the time. Empty: no
  /// element has been taken yet.
  std::optional<stream_limit> limit() const {
    if (!this_epoch || this_epoch->elements == 0) return std::nullopt;
    if (stalled() < 0.05) return stream_limit::consumer;
    return this_epoch->io() > this_epoch->prep() ? stream_limit::reading : stream_limit::preparation;
  }
  /// The seconds until the epoch's end at `rate`, elements per second. Empty: the size is not known, the rate is 0, or
  /// the epoch does not go on, as it has failed or the stream was stopped.
  std::optional<double> eta_seconds(double at_rate) const {
    const bool over = phase == stream_phase::failed || phase == stream_phase::stopped;
    if (!size || !(at_rate > 0) || over) return std::nullopt;
    return static_cast<double>(*size - std::min(*size, position)) / at_rate;
  }
  std::optional<double> eta_seconds() const { return eta_seconds(rate()); }
};

/// What happened to a stream between two looks at it.
struct stream_change {
  std::uint64_t elements = 0;
  double seconds = 0, waited_seconds = 0;  ///< of epochs: pauses between them do not count

  double rate() const { return seconds > 0 ? static_cast<double>(elements) / seconds : 0; }
  double stalled() const { return seconds > 0 ? std::min(waited_seconds / seconds, 1.0) : 0; }
};
inline stream_change between(const stream_stats& earlier, const stream_stats& now) {
  return {now.elements - std::min(now.elements, earlier.elements), std::max(now.seconds - earlier.seconds, 0.0),
          std::max(now.waited_seconds - earlier.waited_seconds, 0.0)};
}

}  // namespace plumbline
