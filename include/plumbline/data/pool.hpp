#pragma once
#include <plumbline/core/compiled.hpp>
#include <plumbline/data/array_memory.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <mutex>
#include <utility>

/// A sanitizer that tracks the heap must see every allocation and every release, so the pool is switched off for it.
#if defined(__SANITIZE_ADDRESS__)
#define PLUMBLINE_DETAIL_POOL_OFF 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define PLUMBLINE_DETAIL_POOL_OFF 1
#endif
#endif

namespace plumbline {

/// The memory pool of tensors. Fresh memory costs a page fault per 4 kB (about as much as filling it), so released
/// blocks are kept and reused: free lists by size class (four classes to each power of two, at most 25% unused), each
/// under its own lock, thread-safe. Each thread keeps its last few blocks for itself: they are still in its core's
/// cache, and fetching another core's costs more than computing on them. Bound: at most retained_limit() bytes are kept
/// in the shared lists, and per_thread_limit bytes by each living thread. Beyond the limit, blocks of other sizes are
/// returned to the system first, so that the pool adapts when the sizes in use change. Under AddressSanitizer nothing
/// is kept, so that use after release is found.
class memory_pool {
 public:
  static constexpr std::size_t alignment = 64;  // a cache line; also what the widest vector load needs

  /// The pool of the process. It is never destroyed, so that tensors with static lifetime may be released at exit.
  static memory_pool& instance() noexcept;

  /// At least `bytes` uninitialised bytes, 64-byte aligned. Throws std::bad_alloc. O(1).
  void* allocate(std::size_t bytes);

  /// Releases what allocate() returned; null is allowed. O(1) except for evictions.
  void release(void* p) noexcept;

  /// How many bytes the block behind p (from allocate(), or null) takes in memory, including its header.
  static std::size_t footprint(const void* p) noexcept {
    if (p == nullptr) return 0;
    return class_bytes(class_in(static_cast<const std::byte*>(p) - header_bytes));
  }
  /// The bytes before the elements: the block's size class, and what an array_memory adds.
  static constexpr std::size_t header_bytes = alignment;  // a whole line keeps the elements aligned

  /// How many bytes allocate(bytes) takes in memory: for stating a bound before anything runs.
  static constexpr std::size_t footprint_of(std::size_t bytes) noexcept {
    return bytes == 0 ? 0 : class_bytes(class_of(bytes + header_bytes));
  }

  /// Writes the header of a block of an array_memory that holds `bytes` after it.
  static void mark_elsewhere(void* block, std::size_t bytes) noexcept {
    *static_cast<std::size_t*>(block) = class_of(bytes + header_bytes) + elsewhere;
  }

  /// The most bytes that one thread may keep for itself.
  static constexpr std::size_t per_thread_limit = std::size_t{8} << 20;

  /// Bytes now kept in the shared lists for reuse, and the most that may be kept there (default 256 MiB).
  std::size_t retained() const noexcept { return retained_.load(std::memory_order_relaxed); }
  std::size_t retained_limit() const noexcept { return limit_.load(std::memory_order_relaxed); }

  /// Sets the limit and returns what exceeds it to the system at once. 0 switches retention off (other threads return
  /// what they keep for themselves when they next release something, or end).
  void retain_at_most(std::size_t bytes) noexcept;

  memory_pool(const memory_pool&) = delete;
  memory_pool& operator=(const memory_pool&) = delete;

 private:
  memory_pool() = default;

#ifdef PLUMBLINE_DETAIL_POOL_OFF
  static constexpr bool enabled = false;
#else
  static constexpr bool enabled = true;
#endif
  static constexpr std::size_t elsewhere = std::size_t{1} << 32;  // added to the size class: in an array_memory
  static constexpr std::size_t classes = 4 * 42;                  // 128 bytes to 7 * 2^46 bytes
  static constexpr std::size_t max_bytes = std::size_t{1} << 47;

  struct node {
    node* next;
  };
  struct free_list {
    std::mutex guard;
    node* head = nullptr;
  };

  static std::size_t class_in(const void* block) noexcept {
    return *static_cast<const std::size_t*>(block) % elsewhere;
  }
  static constexpr std::size_t class_bytes(std::size_t c) noexcept { return (4 + c % 4) << (c / 4 + 5); }
  static constexpr std::size_t class_of(std::size_t bytes) noexcept {
    if (bytes <= 128) return 0;
    const auto octave = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 8;  // bytes in (128, 256] is octave 0
    const std::size_t step = std::size_t{1} << (octave + 5);
    return 4 * octave + (bytes + step - 1) / step - 4;
  }

  class recent_blocks;
  static void discard(void* block) noexcept;

  void* take_common(std::size_t c) noexcept;

  void give_common(void* block, std::size_t c) noexcept;

  /// Counts `size` more bytes as retained if they fit, returning blocks of other classes to the system where needed.
  bool make_room(std::size_t size, std::size_t keep) noexcept;

  /// Returns blocks of class c to the system until at most `limit` bytes are retained.
  void evict(std::size_t c, std::size_t limit) noexcept;

  std::array<free_list, classes> lists_;
  std::atomic<std::size_t> retained_ = 0, limit_ = std::size_t{256} << 20, hand_ = 0;
};

namespace detail {

/// Sole owner of one block from the pool.
class pool_block {
 public:
  pool_block() noexcept = default;
  explicit pool_block(std::size_t bytes) : p_(bytes == 0 ? nullptr : memory_pool::instance().allocate(bytes)) {}
  pool_block(pool_block&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  pool_block& operator=(pool_block&& other) noexcept {
    memory_pool::instance().release(std::exchange(p_, std::exchange(other.p_, nullptr)));
    return *this;
  }
  ~pool_block() {
    if (p_ != nullptr) memory_pool::instance().release(p_);
  }

  /// Takes ownership of what memory_pool::allocate returned.
  static pool_block adopt(void* p) noexcept {
    pool_block b;
    b.p_ = p;
    return b;
  }
  void* get() const noexcept { return p_; }
  std::size_t footprint() const noexcept { return memory_pool::footprint(p_); }

 private:
  void* p_ = nullptr;
};

}  // namespace detail
}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/data/pool_inl.hpp>
#endif
