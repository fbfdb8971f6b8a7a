#pragma once
/// shared_preparer: makes the items of a segment, in one of its jobs. It begins where the one before it was, if that
/// ended in mid-epoch.
///
/// Between epochs its own thread waits for the jobs. Within one, the thread that has made a batch, or this process's
/// consumer when it makes room, publishes the batches that are ready (pump), so that no third thread has to be woken
/// for each batch. The preparer's thread does it if batches have to be copied, and when another process makes room.

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
  /// Takes the next batch; false at the end of the epoch, after stop(), or if it has not come yet (`pending`).
  virtual bool make(bool& pending) = 0;
  /// True if batches are made on other threads; else make() makes them.
  virtual bool has_threads() const = 0;
  virtual void describe(shared_arena& in, shared_item& item) = 0;
  virtual void stop() = 0;
};

class shared_preparer {
 public:
  /// `job`: the number of this one.
  /// `patience`: how many seconds an epoch waits for jobs that should come.
  shared_preparer(std::shared_ptr<shared_segment> segment, std::size_t job, double patience);
  /// Makes the source. It calls `arrived` each time that batches have come, on one of its threads.
  using opener = std::function<std::unique_ptr<shared_source>(shared_arena&, std::function<void()> arrived)>;
  /// Prepares until stop(). The caller holds the lock. Throws what opening the source throws.
  void run(const opener& open);
  /// From any thread.
  void stop();
  /// Publishes what can be published without waiting, and frees what has been read, on a thread that should not be
  /// delayed. If batches have to be made there or copied, it leaves that to the preparer's thread, if it is needed.
  void pump(bool needed);
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
  /// Frees the items before that one, and returns it.
  std::optional<std::uint64_t> drop_read();
  void forget_the_dead();
  /// Waits for the jobs and admits them; false after stop().
  bool begin_epoch();
  /// Publishes the batches that are ready, on this thread; if another thread is publishing, that one does.
  void try_publish();
  /// The same with the lock `publishing_`.
  void publish_ready();
  /// Makes the next item of the epoch; nothing if it has not come yet.
  std::optional<shared_item> next_item();
  /// True if there is room for an item, false if all jobs have left the epoch; else nothing, and who makes room wakes
  /// the preparer.
  std::optional<bool> room();
  void publish(const shared_item& item);
  /// The end of the epoch, here.
  shared_item end_item() const { return {epoch_, number_, item_kind::end, 0, 0}; }

  const std::shared_ptr<shared_segment> segment_;
  const std::size_t job_;
  const double patience_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> brief_{false};  ///< the last batch was made in place, on another thread
  std::atomic<std::uint64_t> made_{0}, copied_{0}, pokes_{0};
  std::mutex stopping_;  ///< guards source_, for stop()

  // --- guarded by publishing_

  /// A mutex whose owner may call try_lock(), which fails: a stream that it destroys may call pump() on this thread.
  struct publish_lock {
    std::atomic<bool> taken{false};
    bool try_lock() { return !taken.exchange(true); }
    void lock() {
      while (!try_lock()) taken.wait(true);
    }
    void unlock() {
      taken.store(false);
      taken.notify_one();
    }
  } publishing_;
  shared_source* source_ = nullptr;  ///< null: it has ended
  shared_arena* arena_ = nullptr;
  std::optional<shared_item> made_item_{};  ///< not published yet
  std::exception_ptr failed_{};             ///< why it cannot go on, for its thread
  std::uint64_t dropped_ = 0;               ///< items before this one are no longer in the arena
  std::uint64_t epoch_ = 0, number_ = 0;    ///< of the next item
  bool between_ = true;                     ///< the epoch has ended, or none has begun
  bool begins_ = false;                     ///< the source has to begin the epoch first
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/preparer_inl.hpp>
#endif
