#pragma once
/// report(batch_log): where the time of batches goes: the distributions of preparation, wait and delay, which batches
/// came out of order, what makes batches differ, and whether the consumer or the producer limits the rate. Plain data;
/// report/explain_batches.hpp has it as text, report/batch_page.hpp as a page, ext/json.hpp as JSON.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/batch_log.hpp>
#include <plumbline/model/distribution.hpp>
#include <plumbline/model/slow_elements.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

struct batch_report_options {
  std::vector<double> limits{0.5};  ///< seconds, finite and not negative: the share of batches above each is reported
  std::size_t worst = 10;           ///< how many of the worst batches and of the slowest elements are listed
};

/// One operator, by the elements that were timed.
struct operator_times {
  std::string name{};
  distribution seconds{};    ///< of an element; `count`: those that were timed
  double total_seconds = 0;  ///< of all elements, by those that were timed and how many each represents
  double explains = 0;       ///< share of the variance of preparation between batches, -1 to 1; see
                             ///< batch_report::explained
};

struct batch_summary {
  std::uint64_t epoch = 0, index = 0;
  std::string worker{};
  double preparation = 0, wait = 0, delay = 0;  ///< seconds
  std::vector<slow_element> elements{};         ///< its slowest elements, slowest first; the times are of this batch
};

/// Where a batch is.
struct batch_place {
  std::uint64_t epoch = 0, index = 0;
};

struct batch_report {
  std::uint64_t batches = 0, epochs = 0, workers = 0;  ///< epochs: a repeated one counts each time
  std::uint64_t cut_off = 0;                           ///< batch_log::cut_off
  std::uint64_t dropped = 0;    ///< batch_log::dropped: if not 0, the report covers a part of the run only,
  batch_place first{}, last{};  ///< from this batch to that one
  double seconds = 0;           ///< from the first request of each epoch to the end of the last batch's use
  /// In seconds, with the shares of batches above the limits.
  distribution preparation{}, wait{}, delay{};
  /// Batches whose beginning is not known (batch_record::begun_lost): no figure of preparation has them.
  std::uint64_t begun_lost = 0;
  distribution step{};  ///< of the consumer, from using a batch to asking for the next, where that is known
  /// Batches that arrived before one that precedes them, and how long they lay there before their turn.
  std::uint64_t out_of_order = 0;
  distribution kept{};
  /// Of the consumer's waiting, the part in which a later batch was there, and this one was not: it waited for the
  /// order alone.
  double waited_for_order = 0;
  /// The part in which the batch itself was ready, but had not arrived: queues and copies between worker and consumer.
  double waited_for_arrival = 0;
  double waited_share = 0;      ///< of `seconds`
  bool producer_bound = false;  ///< waited_share is at least `bound`
  static constexpr double bound = 0.1;
  std::string verdict{};  ///< the same in one sentence
  /// The share of the variance of preparation that the operators' times explain: the squared correlation of their sum
  /// in a batch with its preparation. operator_times::explains divides it among them by their covariances with the
  /// preparation, so one may be negative; it is 0 for all where they cancel, so that one alone would explain more than
  /// there is. `explained_by_slowest`: the same for a batch's slowest element alone. All are 0 for fewer than
  /// `least_for_variance` batches, of which any two series seem to agree.
  double explained = 0, explained_by_slowest = 0;
  static constexpr std::uint64_t least_for_variance = 10;
  double timed_share = 0;  ///< of the elements of the batches, those that were timed; 0: not known
  std::vector<operator_times> operators{};
  std::vector<batch_summary> worst{};   ///< by preparation, the longest first
  std::vector<slow_element> slowest{};  ///< of all batches, slowest first; one name in one operator is one entry
};

/// O(n log n) in batches and timed elements. Throws std::invalid_argument for a batch that was ready before its
/// preparation began or that the consumer had before it asked for it, for two batches of a pass with one number, for
/// elements whose operator or name is not in the log, and for a limit that is negative, infinite or not a number.
batch_report report(const batch_log& of, const batch_report_options& how = {});

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/batch_report_inl.hpp>
#endif
