#pragma once
/// shared_file: memory that several processes share. It has no name in the file system: each process holds it open,
/// and the system frees it with the last of them, however they end. A process shows that it is alive by a lock on a
/// byte of its own, which the system releases, too. Linux.

#include <plumbline/core/compiled.hpp>
#include <plumbline/ipc/descriptor.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace plumbline::detail {

/// A counter of changes in shared memory, on which processes wait for the next one. Zero memory is a valid one.
class shared_signal {
 public:
  std::uint32_t count() const { return word_.load() & ~awaited; }
  /// Waits until the count is not `seen`, or 50 ms have passed.
  void wait(std::uint32_t seen);
  /// Counts, and wakes all that wait.
  void notify();

 private:
  /// Set while a thread may be waiting, so that waking costs a system call only then. It is part of the word that the
  /// system compares: a thread that is about to wait cannot miss that another one has cleared it. A process that ends
  /// between any two instructions leaves it set, or the others waiting for 50 ms.
  static constexpr std::uint32_t awaited = 1;
  std::atomic<std::uint32_t> word_;
};

class shared_file {
 public:
  /// A new one, of which only the bytes that are used take memory. `kind`: what shares it, for messages.
  shared_file(std::string kind, std::size_t bytes);
  /// The one that another process has, by its descriptor. Throws std::system_error if it has fewer bytes than `least`.
  shared_file(std::string kind, descriptor opened, std::size_t least);
  shared_file(const shared_file&) = delete;

  std::size_t size() const { return size_; }
  int descriptor_number() const { return fd_.get(); }
  const std::string& kind() const { return kind_; }

  /// Locks a byte, which may lie beyond the end, for this object; false if another one, of any process, holds it.
  bool lock(std::uint64_t which) const;
  void unlock(std::uint64_t which) const;
  /// True if another object holds it, or the system does not say.
  bool locked(std::uint64_t which) const;

  /// Reserves memory for these bytes; false if there is none. Writing to bytes without memory would end the process.
  bool reserve(std::uint64_t from, std::uint64_t to) const;

 private:
  void open_locks();
  std::string kind_;
  descriptor fd_, locks_{};  ///< the same file, opened again for this object's locks
  std::size_t size_;
};

enum class access { read, write };

/// The first bytes of a file as memory of this process.
class file_mapping {
 public:
  file_mapping(const shared_file& of, std::size_t bytes, access how);
  /// Children of fork() do not have it; nor may they destroy this object.
  void not_in_children();
  file_mapping(const file_mapping&) = delete;
  ~file_mapping();
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_;
  std::size_t size_;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/ipc/shared_file_inl.hpp>
#endif
