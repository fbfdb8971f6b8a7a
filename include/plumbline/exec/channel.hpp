#pragma once
/// channel: where a segment of stages ends and the next serial part (or the consumer) takes over. It puts messages back
/// in order, bounds how many are in flight (a message is a credit), and carries "begin epoch" and "no more wanted" back
/// to the producer. A message may begin with a mark: from there the segment can be taken up again, in another run.

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

/// What travels through a segment: a chunk (or, before the first stage of an indexed segment, only the numbers of its
/// elements).
struct alignas(64) message {
  std::uint64_t sequence = 0;    ///< contiguous within the segment
  std::uint64_t generation = 0;  ///< which begin() it belongs to
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;  ///< position of its first element in the segment's epoch
  std::uint64_t count = 0;  ///< indexed segments: how many elements to make
  payload* load = nullptr;
  payload* begun = nullptr;  ///< what has been made of it, where a stage was tried and has to wait for the rest
  std::uint64_t done = 0;    ///< of how many elements that is
  bool last = false;
  std::exception_ptr error;
  std::shared_ptr<const saved> parts;  ///< a mark: the state of the segment's serial part before the first element
  std::int64_t since = 0;              ///< when it was sent on, in ticks, if the run is traced
};

class channel {
 public:
  /// `credits`: messages in flight at most.
  channel(std::size_t credits, bool ordered, const std::atomic<bool>* marks);
  ~channel();
  /// Gives the elements still on their way back to their pools, which belong to the stages and go before the channels.
  void drain();
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  std::size_t credits() const;
  /// Set once, before anything runs.
  void on_credit(std::function<void()> wake_producer);
  void on_arrival(std::function<void()> wake_taker);
  bool by_number = false;  ///< each message is a mark
  const std::atomic<bool>* const wants_marks;

  // --- the taking side: one serial part, or the consumer

  void begin(std::uint64_t epoch, segment_mark from = {}) { ask(true, epoch, std::move(from)); }
  void leave() { ask(false, 0, {}); }
  /// Does this message begin with a mark?
  bool marks(const message& m) const { return by_number || m.parts != nullptr; }

  /// The next message of this generation, or null when there is none yet.
  message* take();
  /// The same, waiting for it; null only after close().
  message* take_waiting();
  /// Gives a used message back: a credit for the producer.
  void release(message* m);
  /// Wakes whoever waits, for good.
  void close();

  // --- the feeding side

  struct request {
    std::uint64_t generation, epoch;
    bool active;
    segment_mark from{};
  };
  request wanted();
  /// Cheap: has the taker changed its mind since this generation?
  bool stale(std::uint64_t generation) const { return current_.load(std::memory_order_relaxed) != generation; }
  /// Is a mark on its way? One at a time, as it may hold copies of elements.
  bool marked() const { return marked_.load(std::memory_order_relaxed); }
  void mark(message& m, std::shared_ptr<const saved> parts) {
    m.parts = std::move(parts);
    marked_.store(true, std::memory_order_relaxed);
  }
  /// A message to fill, or null when all are in flight (release() wakes the producer).
  message* acquire();
  /// An acquired message that was not needed.
  void put_back(message* m);
  /// The sequence number for the next message that is sent.
  std::uint64_t next_sequence() { return sent_++; }

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
