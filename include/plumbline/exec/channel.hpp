#pragma once
/// channel: the queue between the end of a segment and the next serial part (or the consumer). It puts messages back in
/// order, bounds how many are in flight (a message is a credit), and carries "begin epoch" and "no more wanted" back to
/// the producer. A message may begin with a mark: a position from which another run can resume the segment.

#include <plumbline/core/compiled.hpp>
#include <plumbline/core/kernel.hpp>
#include <plumbline/core/state.hpp>
#include <plumbline/exec/chunk.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace plumbline::detail {

/// What travels through a segment: a chunk or, before the first stage of an indexed segment, only a range of element
/// indices.
struct alignas(64) message {
  std::uint64_t sequence = 0;    ///< consecutive within the segment
  std::uint64_t generation = 0;  ///< which begin() it belongs to
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;  ///< position of its first element in the segment's epoch
  std::uint64_t count = 0;  ///< elements that it begins with; in indexed segments, those to make
  payload* load = nullptr;
  payload* begun = nullptr;  ///< elements made from it so far, if a stage was tried and the rest has to wait
  std::uint64_t done = 0;    ///< how many of its elements have been processed for that
  bool last = false;
  bool together = false;  ///< all that its stage looked up in a store were there, in a few round trips
  std::exception_ptr error;
  std::shared_ptr<const saved> parts;  ///< a mark: the state of the segment's serial part before the first element
  std::int64_t since = 0;              ///< when it was passed on, in ticks, if the run is traced
};

/// What the run's owner wants of its serial parts.
struct run_flags {
  std::atomic<bool> marks;     ///< record their state from time to time
  std::atomic<bool> shortens;  ///< see runtime::shorten
};

/// The messages of a channel at one moment.
struct channel_load {
  std::size_t in_flight = 0;   ///< acquired, and not yet returned
  std::size_t ready = 0;       ///< of these, those that wait to be taken
  std::size_t early = 0;       ///< of these, those that wait for an earlier one
  std::uint64_t elements = 0;  ///< in the messages that are ready
};

class channel {
 public:
  /// `credits`: the maximum number of messages in flight. `most`: the most that limit() may set it to.
  channel(std::size_t credits, std::size_t most, bool ordered, const run_flags* run);
  ~channel();
  /// Returns the chunks still in flight to their pools. The stages own the pools and are destroyed before the channels.
  void drain();
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  std::size_t credits() const;
  /// May be called from any thread. O(credits).
  channel_load load() const;
  std::size_t most_credits() const;
  const bool adjustable;  ///< limit() may be called
  /// Changes the maximum number of messages in flight, 1 to most_credits(). If there are more, none is added until as
  /// many have been used.
  void limit(std::size_t credits);
  /// Set once, before anything runs.
  void on_credit(std::function<void()> wake_producer);
  void on_arrival(std::function<void()> wake_consumer);
  std::uint32_t number = 0;           ///< of its segment in the run
  bool by_number = false;             ///< messages hold element indices, and each is a mark
  std::uint32_t part = 0, after = 0;  ///< the last part of its segment, and the last operator in that
  const run_flags* const run;

  // --- the consuming side: one serial part, or the stream's consumer

  void begin(std::uint64_t epoch, segment_mark from = {}) { ask(true, epoch, std::move(from)); }
  void leave() { ask(false, 0, {}); }
  /// True if this message begins with a mark.
  bool marks(const message& m) const { return by_number || m.parts != nullptr; }

  /// Returns the next message of this generation, or null if there is none yet.
  message* take();
  /// The same, but waits for the message; null only after close().
  message* take_waiting();
  /// The same, at most until this time (wall_now()).
  message* take_waiting(std::int64_t until);
  /// Returns a used message: a credit for the producer.
  void release(message* m);
  /// Wakes all waiting threads; from then on take_waiting() returns null.
  void close();

  // --- the producer's side

  struct request {
    std::uint64_t generation, epoch;
    bool active;
    segment_mark from{};
  };
  request wanted();
  /// True if `generation` is no longer the requested one. Costs one relaxed load.
  bool stale(std::uint64_t generation) const { return current_.load(std::memory_order_relaxed) != generation; }
  /// True while a mark is in flight. There is at most one, as a mark may hold copies of elements.
  bool marked() const { return marked_.load(std::memory_order_relaxed); }
  void mark(message& m, std::shared_ptr<const saved> parts) {
    m.parts = std::move(parts);
    marked_.store(true, std::memory_order_relaxed);
  }
  /// Returns a message to fill, or null when all are in flight (release() wakes the producer).
  message* acquire();
  /// Puts back an acquired message that was not needed.
  void put_back(message* m);
  /// The sequence number for the next message that is sent.
  std::uint64_t next_sequence() { return sent_++; }
  /// The same number, before it is given.
  std::uint64_t coming() const { return sent_; }

  void deposit(message* m);

 private:
  void ask(bool active, std::uint64_t epoch, segment_mark from);

  struct queue;
  const std::unique_ptr<queue> queue_;
  std::uint64_t sent_ = 0;
  std::atomic<bool> marked_{false};
  std::atomic<std::uint64_t> current_{0};
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/channel_inl.hpp>
#endif
