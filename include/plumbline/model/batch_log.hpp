#pragma once
/// batch_log: a timeline of batches, as plain data: when each was prepared, and when the consumer asked for it, had it
/// and released it. It comes from a run (`batches_of(stream.timeline())`), from the log files of Lotus (lotus_log.hpp),
/// or from any other loader. batch_report.hpp evaluates it.
///
/// Definitions follow Lotus (Bachkaniwala et al., IISWC 2024, section V):
///   preparation  of the batch, from its beginning until the batch is ready
///   wait         of the consumer, from asking for the batch to having it
///   delay        from the batch being ready to its consumption: how long a finished batch lay there

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// The time of one element in one operator, or of several that passed together.
struct element_time {
  std::uint32_t operation = 0;  ///< index in batch_log::operators
  std::uint32_t name = 0;       ///< index in batch_log::names; 0: not known
  std::int64_t begun = 0;       ///< ns
  double seconds = 0;
  std::uint64_t elements = 1;  ///< how many
  double weight = 1;           ///< how many elements of the run each of them represents
};

/// Times are in ns, all of one clock; only their differences count.
struct batch_record {
  std::uint64_t epoch = 0, index = 0;    ///< index: its place in the epoch
  std::uint64_t pass = 0;                ///< how often its epoch had been begun before: restart(epoch), load()
  std::string worker{};                  ///< the thread or process that finished it
  std::string consumer{};                ///< the thread that took it; empty: not known
  std::int64_t begun = 0, ready = 0;     ///< its preparation
  std::int64_t asked = 0, had = 0;       ///< when the consumer asked for it, and had it
  std::int64_t consumed = 0;             ///< when the consumer began to use it
  std::int64_t released = 0;             ///< when it was done with it: that thread asked for another; 0: not known
  std::int64_t arrived = 0;              ///< when the consumer's side received it; 0: when it was ready
  bool early = false;                    ///< the log says that it arrived before one that precedes it, even if that one
                                         ///< is not in the log; false: that is seen from `arrived` alone
  std::uint64_t size = 0;                ///< its elements; 0: not known
  bool begun_lost = false;               ///< its preparation may have begun before `begun`, so it is not known
  std::vector<element_time> elements{};  ///< of its elements, those that were timed

  double preparation() const { return 1e-9 * static_cast<double>(ready - begun); }  ///< seconds, as are the others
  double wait() const { return 1e-9 * static_cast<double>(had - asked); }
  double delay() const { return 1e-9 * static_cast<double>(consumed - ready); }
  std::int64_t there() const { return arrived != 0 ? arrived : ready; }
};

struct batch_log {
  std::vector<std::string> operators{};  ///< upstream first
  std::vector<std::string> names{""};    ///< of elements: "photos/x.jpg", "element 17 of range"
  bool names_are_places = false;         ///< a name is an element's place in its batch, so another one in each
  std::vector<batch_record> batches{};   ///< in any order
  std::uint64_t dropped = 0;             ///< events of the run that were overwritten, so batches may be missing
  std::uint64_t cut_off = 0;             ///< batches left out, as their preparation or wait precedes the log
};

namespace detail {
/// Times are between -most_time and most_time ns (146 years), so that any two can be subtracted.
inline constexpr std::int64_t most_time = std::int64_t{1} << 62;

/// The batches of one pass through an epoch have this in common.
inline std::pair<std::uint64_t, std::uint64_t> pass_of(const batch_record& b) { return {b.epoch, b.pass}; }
/// The batches of a log in order: by epoch, then by pass, then by index.
inline std::vector<const batch_record*> in_order(const batch_log& of) {
  std::vector<const batch_record*> all;
  for (const auto& b : of.batches) all.push_back(&b);
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return std::pair(pass_of(*a), a->index) < std::pair(pass_of(*b), b->index);
  });
  return all;
}
}  // namespace detail

}  // namespace plumbline
