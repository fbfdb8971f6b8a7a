#pragma once
/// taking: what it costs the consumer to be handed its elements, if the run is traced: processor time in next() and the
/// like, waiting left out. Measured in one of eight messages, and one of more where that would cost more than half a
/// percent: what fetching one costs, and the time from one fetch to the next, which is the consumer's own and that of
/// its calls. How much of it is theirs some timed calls tell.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/clocks.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

class taking {
 public:
  /// Does the next call go the long way: to begin the first epoch, or to be timed?
  std::atomic<bool> odd{true};

  // --- the stream, one call at a time

  /// A call that went the long way, in ticks. `fetched`: it also went for more elements.
  void called(std::int64_t entered, std::int64_t left, bool fetched);

  // --- the run, around each fetch

  void entered();
  void left(std::size_t elements);
  /// What has begun does not count.
  void forget();
  /// So far, in all.
  double seconds() const;

 private:
  static constexpr int wanted = 16, fetching = 4;  // calls to be timed; which turn is timed around the fetch
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
