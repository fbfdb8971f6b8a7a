#pragma once
/// array_memory: memory other than the pool's in which tensors keep their elements, for example memory that several
/// processes share. Blocks in it look like the pool's (a header of one cache line before the elements); the pool
/// recognises them by their header and leaves them to their array_memory.

#include <plumbline/core/compiled.hpp>

#include <cstddef>

namespace plumbline::detail {

class array_memory {
 public:
  /// These bytes, while this object exists.
  array_memory(const std::byte* from, std::size_t bytes);
  array_memory(const array_memory&) = delete;
  virtual ~array_memory();

  /// Returns uninitialised bytes, aligned to 64, or null: then the pool's are used. May be called from any thread.
  virtual void* take(std::size_t /*bytes*/) noexcept { return nullptr; }
  /// A tensor no longer needs what take() returned, or what it was made from. May be called from any thread.
  virtual void give_back(void* /*block*/) noexcept {}

  bool holds(const void* p) const noexcept { return from_ <= p && p < from_ + bytes_; }
  /// The one that holds p, which must exist.
  static array_memory& of(const void* p) noexcept;
  /// For pthread_atfork, after_fork() in parent and child: a child would wait for ever for a lock that another thread
  /// of its parent held.
  static void before_fork();
  static void after_fork();

 private:
  const std::byte* const from_;
  const std::size_t bytes_;
};

/// While it exists, tensors that this thread makes are in `memory`, if that has room. Null: in the memory pool.
class allocate_in {
 public:
  explicit allocate_in(array_memory* memory) noexcept : before_(now_) { now_ = memory; }
  allocate_in(const allocate_in&) = delete;
  ~allocate_in() { now_ = before_; }
  static array_memory* now() noexcept { return now_; }

 private:
  array_memory* const before_;
  static inline thread_local constinit array_memory* now_ = nullptr;
};

}  // namespace plumbline::detail

#ifndef PLUMBLINE_COMPILED
#include <plumbline/data/array_memory_inl.hpp>
#endif
