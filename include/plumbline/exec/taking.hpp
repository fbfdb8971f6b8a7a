#pragma once
/// taking: measures what taking elements costs the consumer of a traced run: the CPU time of next() and the like,
/// without waiting. Measured in one of eight messages, or in one of more where that would cost more than half a
/// percent: the cost of fetching a message, and the time from one fetch to the next, which the consumer's own work and
/// its calls share. Timing some of the calls shows how much of it is theirs.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/clocks.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

class taking {
 public:
  /// True if the next call must take the slow path: to begin the first epoch, or to be timed.
  std::atomic<bool> odd{true};

  // --- called by the stream, one call at a time

  /// Records a call on the slow path, in ticks. `fetched`: it also fetched more elements.
  void called(std::int64_t entered, std::int64_t left, bool fetched);

  // --- called by the run, around each fetch

  void entered();
  void left(std::size_t elements);
  /// Discards the measurement in progress.
  void forget();
  /// The total so far.
  double seconds() const;

 private:
  static constexpr int wanted = 16, fetching = 4;  // calls to be timed; the turn whose fetch is timed
  static constexpr int least_turns = 8, most_turns = 256;
  void begin_turns();
  void stop_timing();
  int timed_ = wanted, turn_ = least_turns, turns_ = least_turns;
  std::int64_t begun_ = 0;                            // ticks
  std::int64_t last_ = 0, inside_ = 0, outside_ = 0;  // ticks
  std::int64_t entered_ = 0, left_ = 0, between_ = 0, fetched_ = 0;
  const void* thread_ = nullptr;
  std::size_t held_ = 0;
  std::uint64_t elements_ = 0, messages_ = 0, shared_ = 0, fetches_ = 0;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/taking_inl.hpp>
#endif
