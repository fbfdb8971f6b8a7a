#pragma once
/// timeline: the events of a run with tracing::timeline, as plain data: which thread worked on which message of which
/// part and when, when the next part or the consumer took it, when the consumer asked and had its elements, and each
/// operator's time for the elements that were timed, with the names of these elements.
///
/// A message is named by its segment (a producer, its stages and their channel) and its sequence number there. Times
/// are in ns of CLOCK_MONOTONIC, which is std::chrono::steady_clock.

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// A part of the run: a stage or a serial part.
struct timeline_part {
  std::uint32_t number = 0;                ///< as in trace::parts
  std::vector<std::uint32_t> operators{};  ///< their numbers
  bool serial = false, blocks = false;
  double takes = 0;  ///< elements that it takes from its channel for each that it gives, if its operators determine it
  double element_bytes = 0;  ///< mean size of an element that it gives
};

/// A part's work on one message: one slice of a thread's time.
struct work_record {
  std::uint32_t thread = 0, part = 0;  ///< index in timeline::threads; a part's number
  std::uint32_t segment = 0;
  std::uint64_t sequence = 0, epoch = 0;
  std::uint64_t first = 0;     ///< position of the message's first element in the segment's epoch
  std::uint64_t elements = 0;  ///< in the message afterwards
  bool made = true;            ///< false: it made no message, or the rest has to be made where it may wait
  std::int64_t timing = 0;     ///< ns that timing elements by operator cost, included in it
  std::int64_t queued = 0, begun = 0, ended = 0;  ///< queued: since when it lay in front of the part; 0: it did not
  /// Of a serial part that takes from a channel: the message that it took last, and how many of its elements it had
  /// used at the end. `takes`: false if it has taken none.
  bool takes = false;
  std::uint32_t input_segment = 0;
  std::uint64_t input_sequence = 0, input_used = 0;
};
/// A serial part, at the beginning of segment `by`, took a message.
struct take_record {
  std::uint32_t segment = 0, by = 0;
  std::uint64_t sequence = 0;
  std::int64_t at = 0;
  std::uint64_t pass = 0;     ///< how often the part had begun an epoch, or continued a saved state
  std::uint64_t skipped = 0;  ///< elements of the message that a saved state counts as taken
};
/// The consumer fetched a message: its elements have the positions `first` and following in the epoch. After load() it
/// passes over those that the state counts as taken. The last of an epoch has none, and passes over none; each of the
/// consumer's threads that asked once more has one such record.
struct fetch_record {
  std::uint32_t segment = 0;
  std::uint64_t sequence = 0, epoch = 0, first = 0, elements = 0;
  std::int64_t asked = 0, had = 0;
  std::uint64_t skipped = 0;  ///< elements of the message, before these, that it passed over
  std::uint32_t thread = 0;   ///< that called: index in timeline::threads
};
/// The consumer's call for an element that had been fetched with others. They are recorded where they are at least some
/// microseconds apart.
struct call_record {
  std::uint64_t epoch = 0, position = 0;
  std::int64_t asked = 0, had = 0;
  std::uint32_t thread = 0;  ///< that called: index in timeline::threads
};
/// An operator's time for one element, or for several that passed together.
struct sample_record {
  std::uint32_t thread = 0, operation = 0;  ///< the operator's number; 0: the executor's own time
  std::uint32_t segment = 0;
  std::uint64_t sequence = 0;
  std::uint64_t place = 0;     ///< of the first in its message, after the part
  std::uint64_t elements = 1;  ///< how many
  double weight = 1;           ///< how many elements each of them represents
  std::uint32_t name = 0;      ///< of the first, in timeline::names; 0: not known
  std::int64_t begun = 0, ended = 0;
};

struct timeline {
  std::vector<std::string> operators{};  ///< names; operator i + 1
  std::vector<timeline_part> parts{};
  std::vector<std::string> threads{};  ///< names; the first takes elements; if others do, they are the last
  std::vector<std::string> names{""};  ///< of elements
  // in the order of their ends
  std::vector<work_record> work{};
  std::vector<take_record> takes{};
  std::vector<fetch_record> fetches{};
  std::vector<call_record> calls{};
  std::vector<sample_record> samples{};
  std::uint64_t dropped = 0;  ///< events that were overwritten by later ones, as memory is limited
  std::int64_t since = 0;  ///< from when on each thread's events are all there, if they were kept in memory; 0: all are
};

}  // namespace plumbline
