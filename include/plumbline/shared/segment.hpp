#pragma once
/// shared_segment: the memory that the jobs of one run_shared have in common. A job is alive as long as it holds the
/// lock on the segment's byte of its number.
///
/// Items (batches, and the ends of epochs) are numbered from 0 on. One job, the preparer, makes and publishes them; the
/// others take its place when it ends. All that changes is a word, written by one side at a time, so that a job may be
/// killed between any two instructions.

#include <plumbline/core/compiled.hpp>
#include <plumbline/ipc/rendezvous.hpp>
#include <plumbline/ipc/shared_file.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plumbline::detail {

inline constexpr std::uint32_t shared_layout = 4;  ///< counts the changes of what follows: other versions do not meet
inline constexpr std::size_t most_shared_jobs = rendezvous::most, most_shared_ahead = 1024;

/// A job's part in the epochs.
enum class taking_part : std::uint32_t {
  no,    ///< it has not begun an epoch, or has stopped
  soon,  ///< it waits for the next epoch to begin
  yes,   ///< it takes every item from `next` on
  left   ///< it has left an epoch before its end; the next one waits for it, for a while
};
/// The beat of a job that was stopped: none of its threads is left to count, though batches of it may still be held.
inline constexpr std::uint32_t no_beat = ~std::uint32_t{0};
struct shared_job {
  std::atomic<taking_part> part;    ///< `soon` to `yes` and `left` to `no` by the preparer; all else by the job, or for
                                    ///< a dead one
  std::atomic<std::uint32_t> beat;  ///< counts while the process runs; no_beat: no longer
  std::atomic<std::int32_t> pid;    ///< of the process, as it sees it
  std::atomic<std::uint64_t> asks;  ///< q + 1: it wants the epoch that begins with item q
  std::atomic<std::uint64_t> next;  ///< the first item that it may still read
};
enum class item_kind : std::uint32_t { batch, end, failure };
struct shared_item {
  std::uint64_t epoch, number;  ///< the number of the batch in its epoch
  item_kind kind;
  std::uint64_t at, bytes;  ///< where its description is
};
/// The beginning of the segment. Fresh memory is zero.
struct shared_header {
  std::uint64_t identity;                  ///< of the pipeline, its sources and the seed
  std::uint64_t ahead, jobs, first_epoch;  ///< as the first job stated them
  char pipeline[2048];                     ///< as text
  std::atomic<std::uint64_t> published;
  shared_signal news, room;             ///< what waiting jobs, and the preparer, wait for
  std::atomic<std::uint64_t> wanted;    ///< the last item that a job has had to wait for
  std::atomic<std::uint32_t> full;      ///< not 0: the preparer waits for room
  std::atomic<std::uint32_t> preparer;  ///< the number of the job that prepares, or did
  std::atomic<std::uint32_t> numbers;   ///< one more than the largest number of a job so far
  shared_job job[most_shared_jobs];
  shared_item item[most_shared_ahead + 1];  ///< one more than `ahead`: what is written is none that is published

  /// The jobs that have ever joined: the preparer looks at them for each batch, and at no others.
  std::span<shared_job> joined() { return {job, numbers.load()}; }
  std::span<const shared_job> joined() const { return {job, numbers.load()}; }
};

/// True if the preparer publishes one more item when so many are unread. `was_full`: it waits for room, and resumes
/// when half of it is free, or when a job waits for that item: a wakeup for each item would cost a job more than the
/// rest of taking it.
inline bool has_room(const shared_header& h, std::uint64_t unread, bool was_full) {
  const bool wanted = !was_full || h.wanted.load() >= h.published.load();
  return unread + (wanted ? 1 : std::max<std::uint64_t>(1, h.ahead / 2)) <= h.ahead;
}

/// The header is mapped for writing, the rest for reading (shared/arena.hpp writes).
class shared_segment final : public shared_file {
 public:
  /// A new one, of at most `capacity` bytes, of which only those that are used take memory.
  explicit shared_segment(std::size_t capacity);
  /// The one that another job has.
  explicit shared_segment(descriptor opened);

  shared_header& header() const { return *reinterpret_cast<shared_header*>(head_.data()); }
  shared_item& item(std::uint64_t q) const { return header().item[q % (header().ahead + 1)]; }
  /// The whole, for reading.
  const std::byte* data() const { return all_.data(); }

  static constexpr std::size_t preparing = most_shared_jobs;  ///< the byte that the preparer locks

 private:
  file_mapping all_, head_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/segment_inl.hpp>
#endif
