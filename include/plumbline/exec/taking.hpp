#pragma once
/// taking: measures what taking elements costs the consumer of a traced run: the CPU time of next() and the like,
/// without waiting. Measured in one of eight messages, or in one of more where that would cost more than a quarter of a
/// percent: the cost of fetching a message, and the time from one fetch to the next, which the consumer's own work and
/// its calls share. Timing some of the calls shows how much of it is theirs.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/clocks.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

/// Is notified of each call for an element, while that is wanted.
struct take_watch {
  /// `entered`, `left`: ticks. `got`: false: there was none, as the epoch has ended before `position`.
  virtual void took(std::int64_t entered, std::int64_t left, std::uint64_t epoch, std::uint64_t position, bool got) = 0;

 protected:
  ~take_watch() = default;
};

class taking {
 public:
  /// A call on the slow path. `position`: of the element in its epoch.
  struct call {
    std::int64_t entered, left;     ///< ticks
    bool fetched;                   ///< it also fetched more elements
    bool got;                       ///< an element
    std::uint64_t epoch, position;  ///< without an element: of the one after the last
  };
  take_watch* each = nullptr;          ///< null: none
  std::uint64_t epoch = 0, first = 0;  ///< of the message that is fetched next: its first element
  std::uint64_t unwanted = 0;          ///< how many elements from there on the consumer passes over
  /// True if the next call must take the slow path: to begin the first epoch, or to be timed.
  std::atomic<bool> odd{true};

  // --- called by the stream, one call at a time

  void called(const call& c);

  // --- called by the run, around each fetch

  void entered();
  void left(std::size_t elements);
  /// From now on every call takes the slow path, and is reported to `each`, or only those that are to be timed.
  void watch_each(bool wanted);
  /// Discards the measurement in progress.
  void forget();
  /// The total so far.
  double seconds() const;

 private:
  static constexpr int wanted = 16, fetching = 4;  // calls to be timed; the turn whose fetch is timed
  static constexpr int least_turns = 8, most_turns = 256;
  void begin_turns();
  void stop_timing();
  bool every_ = false;
  int timed_ = wanted, turn_ = least_turns, turns_ = least_turns;
  std::int64_t begun_ = 0;                            // ticks
  std::int64_t last_ = 0, inside_ = 0, outside_ = 0;  // ticks
  std::int64_t entered_ = 0, left_ = 0, between_ = 0, fetched_ = 0;
  std::uint64_t thread_ = 0;  // the one whose CPU time left_ is
  std::size_t held_ = 0;
  std::uint64_t elements_ = 0, messages_ = 0, shared_ = 0, fetches_ = 0;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/taking_inl.hpp>
#endif
