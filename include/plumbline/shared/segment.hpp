#pragma once
/// shared_segment: the memory that the jobs of one run_shared have in common. It has no name in the file system: each
/// job holds it open, and the system frees it with the last of them, however they end. A job is alive as long as it
/// holds the lock on its byte of the segment; the system releases that, too.
///
/// Items (batches, and the ends of epochs) are numbered from 0 on. One job, the preparer, makes and publishes them; the
/// others take its place when it ends. All that changes is a word, written by one side at a time, so that a job may be
/// killed between any two instructions.

#include <plumbline/core/compiled.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace plumbline::detail {

inline constexpr std::size_t most_shared_jobs = 64, most_shared_ahead = 1024;

/// A job's part in the epochs.
enum class taking_part : std::uint32_t {
  no,    ///< it has not begun an epoch, or has stopped
  soon,  ///< it waits for the next epoch to begin
  yes,   ///< it takes every item from `next` on
  left   ///< it has left an epoch before its end; the next one waits for it, for a while
};
struct shared_job {
  std::atomic<taking_part> part;    ///< `soon` to `yes` and `left` to `no` by the preparer; all else by the job, or for
                                    ///< a dead one
  std::atomic<std::uint32_t> beat;  ///< counts while the process runs
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
  std::atomic<std::uint32_t> news, room;  ///< count what waiting jobs, and the preparer, wait for
  std::atomic<std::uint32_t> preparer;    ///< the number of the job that prepares, or did
  shared_job job[most_shared_jobs];
  shared_item item[most_shared_ahead + 1];  ///< one more than `ahead`: what is written is none that is published
};

class shared_segment {
 public:
  /// A new one, of at most `capacity` bytes, of which only those that are used take memory.
  static std::shared_ptr<shared_segment> create(std::size_t capacity);
  /// The one that another job has, by its descriptor, which this takes.
  static std::shared_ptr<shared_segment> open(int fd);
  shared_segment(const shared_segment&) = delete;
  ~shared_segment();

  shared_header& header() const { return *header_; }
  shared_item& item(std::uint64_t q) const { return header_->item[q % (header_->ahead + 1)]; }
  /// The whole, for reading.
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return fd_; }

  /// Locks byte `which` for this job; false if another holds it.
  bool lock(std::size_t which) const;
  void unlock(std::size_t which) const;
  /// True if another job holds it.
  bool locked(std::size_t which) const;
  static constexpr std::size_t preparing = most_shared_jobs;  ///< the byte that the preparer locks

  /// Waits until the word is not `seen`, or 50 ms have passed.
  static void wait(std::atomic<std::uint32_t>& word, std::uint32_t seen);
  /// Changes the word and wakes all that wait for it.
  static void notify(std::atomic<std::uint32_t>& word);

 private:
  explicit shared_segment(int fd, std::size_t size);
  int fd_, locks_;  ///< the same file, opened again for this job's locks
  std::size_t size_;
  const std::byte* data_ = nullptr;
  shared_header* header_ = nullptr;
};

/// Descriptors that a child of fork() must not keep, as it would keep a dead job's locks and names: while this exists,
/// no thread forks, so that one is opened and added, or removed and closed, in one step.
class own_descriptors {
 public:
  own_descriptors();
  own_descriptors(const own_descriptors&) = delete;
  ~own_descriptors();
  /// Returns fd, which children close from now on, if it is one.
  int add(int fd);
  void close(int fd);
};

/// One of own_descriptors, closed at the end.
class descriptor {
 public:
  explicit descriptor(int fd = -1) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() {
    if (fd_ >= 0) own_descriptors().close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Throws std::runtime_error: "plumbline: run_shared: cannot <what>: <errno text>".
[[noreturn]] void throw_shared(const std::string& what, int code);

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/segment_inl.hpp>
#endif
