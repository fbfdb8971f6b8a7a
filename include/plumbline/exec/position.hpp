#pragma once
/// position: how far a stream is. The thread that has the stream's lock changes it; any thread may read it, without
/// that lock, which a thread that waits for an element holds.

#include <plumbline/model/stream_phase.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plumbline::detail {

/// An index that one thread at a time writes, and any thread may read.
class shown_index {
 public:
  operator std::size_t() const { return x_.load(std::memory_order_relaxed); }
  shown_index& operator=(std::size_t x) {
    x_.store(x, std::memory_order_relaxed);
    return *this;
  }
  std::size_t operator++(int) {
    const std::size_t x = *this;
    *this = x + 1;
    return x;
  }

 private:
  std::atomic<std::size_t> x_{0};
};

/// The rest of a position, which changes with messages and epochs: a sequence lock.
class shown_position {
 public:
  struct values {
    std::uint64_t epoch = 0;
    std::uint64_t before = 0;  ///< elements of the epoch taken before the message in hand
    stream_phase phase = stream_phase::not_begun;
  };
  /// Around every change of these values, and of a shown_index that belongs to them.
  void open() {
    turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  void close(const values& now) {
    epoch_.store(now.epoch, std::memory_order_relaxed);
    before_.store(now.before, std::memory_order_relaxed);
    phase_.store(now.phase, std::memory_order_relaxed);
    turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Calls f(values) until nothing has changed in the meantime.
  template <class F> void read(F&& f) const {
    for (std::uint64_t before = 1, after = 0; before != after;) {
      while (((before = turn_.load(std::memory_order_acquire)) & 1) != 0) {
      }
      f(values{epoch_.load(std::memory_order_relaxed), before_.load(std::memory_order_relaxed),
               phase_.load(std::memory_order_relaxed)});
      std::atomic_thread_fence(std::memory_order_acquire);
      after = turn_.load(std::memory_order_relaxed);
    }
  }

 private:
  std::atomic<std::uint64_t> turn_{0}, epoch_{0}, before_{0};
  std::atomic<stream_phase> phase_{stream_phase::not_begun};
};

}  // namespace plumbline::detail
