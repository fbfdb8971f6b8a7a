#pragma once
/// decide_live: from what a run recorded since the last look, its limits and its budget, the limits from now on, and
/// why. A pure function: nothing is run or measured here. tune/live.hpp calls it in a running graph.
///
/// - Parallelism: what the plan of the counters says (make_plan: the linear program, solved from its last basis).
///   Limits rise; threads are shared, so a limit that is too high costs nothing but memory. Hysteresis: a limit changes
///   if the work needs more, or the plan's value is half as much again.
/// - A change is a trial: if the next look observes a lower rate for the same work, or no higher one from more waiting
///   at a time, it is undone, and not tried again until what an element costs has changed by half.
/// - Memory: messages in flight times their size, with twice its standard error, fit the budget.

#include <plumbline/core/compiled.hpp>
#include <plumbline/lp/solution.hpp>
#include <plumbline/model/live_limits.hpp>
#include <plumbline/model/planner.hpp>

#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// What a live run may use.
struct live_budget {
  /// Cores and memory, without what caches and operators hold. `io_threads`: the most messages that wait at a time.
  resources have{};
  bool io_stated = false;      ///< the user set the number of I/O threads: there are at most so many
  bool places_stated = false;  ///< the user set what runs on I/O threads: parts stay where they run
  bool chunk_stated = false;   ///< the user set the elements in a message
};

struct live_change {
  double at = 0;          ///< seconds since the run began
  std::string what, why;  ///< "decode | crop: 1 -> 2 at a time"
  double observed = 0;    ///< the rate before, elements of the stream per second
  double predicted = 0;   ///< the model's, after it; 0: none
};

struct live_state {
  live_limits limits{};
  double at = 0;      ///< seconds since the run began
  lp::basis basis{};  ///< of the last program
  /// A change whose effect is not known yet.
  struct trial {
    live_limits before{};
    double rate = 0, seconds_each = 0;
    double waited = 0;           ///< by the consumer, of the time
    double run_delay = 0;        ///< seconds without a core, for each second of processor time
    std::vector<double> wall{};  ///< by part, seconds for an element of the stream
    bool more_waits = false;     ///< it only let more messages wait at a time
  };
  std::optional<trial> trying{};
  std::vector<double> refused{};  ///< by part: its `wall` when a change to it was undone; 0: none was
  /// A part of which more at a time only waited for longer, at this rate of the stream. It gets no more until that has
  /// changed, and not before a time, which doubles.
  struct served_part {
    double rate = 0;  ///< 0: it is none
    double until = 0, wait = 0;
  };
  std::vector<served_part> served{};            ///< by part
  double recent_count = 0, recent_seconds = 0;  ///< elements of the stream, in the last seconds
  double recent_rate() const { return recent_seconds > 0 ? recent_count / recent_seconds : 0; }
  /// By part: the number of successive looks in which the plan had it on the other kind of threads.
  std::vector<int> elsewhere{};
  /// By buffer: its limit of elements in a message is there for the budget's sake, and goes when much of that is free.
  std::vector<bool> shrunk{};
};

struct live_step {
  live_state next{};
  std::vector<live_change> changes{};
  bool enough = false;       ///< false: the counters show too little; wait for more
  double rate = 0;           ///< observed
  double in_flight = 0;      ///< bytes_in_flight, with the limits from now on
  std::string bottleneck{};  ///< what limits the rate with these, in words
};

/// What a live run did so far; explain shows it.
struct live_report {
  std::vector<layout_row> rows{};
  live_limits limits{};
  bool threads_stated = false;
  std::optional<std::size_t> io_threads_stated{};
  std::vector<live_change> changes{};  ///< the latest 1,000
  std::size_t count = 0;               ///< of all changes
  double seconds = 0;                  ///< since the run began
  std::size_t looks = 0;
  double memory = 0;     ///< bytes, the budget
  double held = 0;       ///< bytes that caches hold
  double in_flight = 0;  ///< bytes that messages may hold
  double buffered = 0;   ///< bytes that operators may hold within themselves
  double rate = 0;       ///< elements of the stream per second, in the last seconds
  std::string bottleneck{};
};

/// What was recorded from `before` to `now`, two snapshots of one run. O(operators + parts).
trace recorded_since(const trace& now, const trace& before);

/// The trace of a run of whole epochs as it would be if recording had never been paused: elements that were only
/// counted took as long as the others. O(operators + parts + files).
trace as_if_recorded(trace t);

/// `seen`: what was recorded since the last look. O(operators x parts), plus one program. Never throws because of what
/// was recorded.
live_step decide_live(const trace& seen, const live_state& last, const live_budget& budget);

/// Bytes of all messages that these limits allow, by the sizes in `made`, with twice the standard error of their sum.
double bytes_in_flight(const trace& seen, const planning& made, const live_limits& limits);

}  // namespace plumbline
