#pragma once
/// shared_preparer: makes the items of a segment, in one of its jobs. It begins where the one before it was, if that
/// ended in mid-epoch.

#include <plumbline/core/compiled.hpp>
#include <plumbline/shared/arena.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace plumbline::detail {

/// What is prepared: an epoch's batches, in order. One thread at a time, but for stop().
struct shared_source {
  virtual ~shared_source() = default;
  /// Begins an epoch with its batch of this number.
  virtual void begin(std::uint64_t epoch, std::uint64_t number) = 0;
  /// Makes the next batch; false at the end of the epoch, or after stop().
  virtual bool make() = 0;
  virtual void describe(shared_arena& in, shared_item& item) = 0;
  virtual void stop() = 0;
};

class shared_preparer {
 public:
  /// `job`: the number of this one.
  /// `patience`: how many seconds an epoch waits for jobs that should come.
  shared_preparer(std::shared_ptr<shared_segment> segment, std::size_t job, double patience);
  /// Prepares until stop(). The caller holds the lock. Throws what opening the source throws.
  void run(const std::function<std::unique_ptr<shared_source>(shared_arena&)>& open);
  /// From any thread.
  void stop();
  /// Batches made.
  std::uint64_t made() const { return made_.load(); }
  /// Bytes of their arrays that were not made in place.
  std::uint64_t copied() const { return copied_.load(); }

 private:
  shared_header& header() const { return segment_->header(); }
  /// Waits until an epoch is wanted; false after stop().
  bool wait_for_jobs();
  void admit();
  /// The first item that some job may still read; nothing if no job takes part.
  std::optional<std::uint64_t> oldest() const;
  void forget_the_dead();
  /// Waits until there is room for an item; nothing after stop(), false if all have left the epoch.
  std::optional<bool> wait_for_room(shared_arena& arena);
  /// `begin`: it begins the source there first.
  shared_item next_item(shared_source& from, shared_arena& arena, std::uint64_t epoch, std::uint64_t number,
                        bool begin);

  const std::shared_ptr<shared_segment> segment_;
  const std::size_t job_;
  const double patience_;
  std::uint64_t dropped_ = 0;  ///< items before this one are no longer in the arena
  std::atomic<bool> stopped_{false};
  shared_source* source_ = nullptr;
  std::mutex mutex_;  ///< guards source_
  std::atomic<std::uint64_t> made_{0}, copied_{0};
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/preparer_inl.hpp>
#endif
