#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

/// A sanitizer that tracks the heap must see every allocation and every release, so the pool steps aside for it.
#if defined(__SANITIZE_ADDRESS__)
#define PLUMBLINE_DETAIL_POOL_OFF 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define PLUMBLINE_DETAIL_POOL_OFF 1
#endif
#endif

namespace plumbline {

/// The memory that tensors come from. Fresh memory costs a page fault per 4 kB (about as much as filling it), so
/// released blocks are kept and handed out again: free lists by size class (four classes to each power of two, at most
/// 25% unused), each under its own lock, thread-safe. Each thread keeps its last few blocks to itself: they are still
/// in its core's cache, and fetching another core's costs more than computing on them. Bound: at most retained_limit()
/// bytes are kept in common, and per_thread_limit bytes by each living thread. Beyond the limit, blocks of other sizes
/// are given back to the system first, so that the pool follows when the sizes in use change. Under AddressSanitizer
/// nothing is kept, so that use after release is found.
class memory_pool {
 public:
  static constexpr std::size_t alignment = 64;  // a cache line; also what the widest vector load wants

  /// The pool of the process. It is never destroyed, so that tensors with static lifetime may be released at exit.
  static memory_pool& instance() noexcept {
    alignas(memory_pool) static std::byte storage[sizeof(memory_pool)];
    static auto* pool = new (storage) memory_pool;
    return *pool;
  }

  /// At least `bytes` uninitialised bytes, 64-byte aligned. Throws std::bad_alloc. O(1).
  void* allocate(std::size_t bytes) {
    if (bytes > max_bytes) throw std::bad_alloc();
    const std::size_t c = class_of(bytes + header_bytes);
    const std::size_t size = class_bytes(c);
    void* block = enabled ? recent_blocks::mine().take(c) : nullptr;
    if (enabled && block == nullptr) block = take_common(c);
    // without the pool, exactly what was asked for: a sanitizer then sees the first byte beyond it
    if (block == nullptr) block = ::operator new (enabled ? size : bytes + header_bytes, std::align_val_t{alignment});
    new (block) std::size_t(c);
    return static_cast<std::byte*>(block) + header_bytes;
  }

  /// Takes back what allocate() returned; null is allowed. O(1) but for what it evicts.
  void release(void* p) noexcept {
    if (p == nullptr) return;
    void* block = static_cast<std::byte*>(p) - header_bytes;
    const std::size_t c = *static_cast<const std::size_t*>(block), size = class_bytes(c);
    if (!enabled) return discard(block);
    auto& recent = recent_blocks::mine();
    if (retained_limit() == 0) recent.give_back();
    if (size > per_thread_limit || retained_limit() == 0 || !recent.keep(block, c)) give_common(block, c);
  }

  /// How many bytes the block behind p (from allocate(), or null) takes in memory, its header included.
  static std::size_t footprint(const void* p) noexcept {
    if (p == nullptr) return 0;
    return class_bytes(*reinterpret_cast<const std::size_t*>(static_cast<const std::byte*>(p) - header_bytes));
  }

  /// How many bytes allocate(bytes) takes in memory: for stating a bound before anything runs.
  static constexpr std::size_t footprint_of(std::size_t bytes) noexcept {
    return bytes == 0 ? 0 : class_bytes(class_of(bytes + header_bytes));
  }

  /// What one thread may keep to itself.
  static constexpr std::size_t per_thread_limit = std::size_t{8} << 20;

  /// Bytes now kept in common for reuse, and the most that may be kept so (default 256 MiB).
  std::size_t retained() const noexcept { return retained_.load(std::memory_order_relaxed); }
  std::size_t retained_limit() const noexcept { return limit_.load(std::memory_order_relaxed); }

  /// Sets the limit; what is above it goes back to the system at once. 0 switches retention off (what other threads
  /// keep to themselves they give back when they next release something, or end).
  void retain_at_most(std::size_t bytes) noexcept {
    limit_.store(bytes, std::memory_order_relaxed);
    if (bytes == 0) recent_blocks::mine().give_back();
    for (std::size_t c = 0; c < classes && retained() > bytes; ++c) evict(c, bytes);
  }

  memory_pool(const memory_pool&) = delete;
  memory_pool& operator=(const memory_pool&) = delete;

 private:
  memory_pool() = default;

#ifdef PLUMBLINE_DETAIL_POOL_OFF
  static constexpr bool enabled = false;
#else
  static constexpr bool enabled = true;
#endif
  static constexpr std::size_t header_bytes = alignment;  // holds the size class; a whole line keeps the data aligned
  static constexpr std::size_t classes = 4 * 42;          // 128 bytes to 7 * 2^46 bytes
  static constexpr std::size_t max_bytes = std::size_t{1} << 47;

  struct node {
    node* next;
  };
  struct free_list {
    std::mutex guard;
    node* head = nullptr;
  };

  static constexpr std::size_t class_bytes(std::size_t c) noexcept { return (4 + c % 4) << (c / 4 + 5); }
  static constexpr std::size_t class_of(std::size_t bytes) noexcept {
    if (bytes <= 128) return 0;
    const auto octave = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 8;  // bytes in (128, 256] is octave 0
    const std::size_t step = std::size_t{1} << (octave + 5);
    return 4 * octave + (bytes + step - 1) / step - 4;
  }

  /// The blocks that a thread released last, newest at the end.
  class recent_blocks {
   public:
    constexpr recent_blocks() noexcept = default;
    ~recent_blocks() {
      give_back();
      ended = true;  // a tensor may still be released by a destructor that runs after this one: keep nothing then
    }
    static recent_blocks& mine() noexcept {
      static thread_local constinit recent_blocks blocks;
      return blocks;
    }
    void* take(std::size_t c) noexcept {
      for (std::size_t i = count_; i-- > 0;) {
        if (entries_[i].size_class == c) return remove(i);
      }
      return nullptr;
    }
    bool keep(void* block, std::size_t c) noexcept {
      if (ended) return false;
      while (count_ == entries_.size() || bytes_ + class_bytes(c) > per_thread_limit) give_oldest();
      entries_[count_++] = {block, c};
      bytes_ += class_bytes(c);
      return true;
    }
    void give_back() noexcept {
      while (count_ > 0) give_oldest();
    }

   private:
    struct entry {
      void* block;
      std::size_t size_class;
    };
    void give_oldest() noexcept {
      const std::size_t c = entries_[0].size_class;
      instance().give_common(remove(0), c);
    }
    void* remove(std::size_t i) noexcept {
      void* block = entries_[i].block;
      bytes_ -= class_bytes(entries_[i].size_class);
      --count_;
      for (; i < count_; ++i) entries_[i] = entries_[i + 1];
      return block;
    }

    std::array<entry, 8> entries_{};
    std::size_t count_ = 0, bytes_ = 0;
    static inline thread_local constinit bool ended = false;  // outside the object, whose memory is dead after its end
  };

  static void discard(void* block) noexcept { ::operator delete (block, std::align_val_t{alignment}); }

  void* take_common(std::size_t c) noexcept {
    auto& list = lists_[c];
    const std::lock_guard lock(list.guard);
    node* block = list.head;
    if (block != nullptr) {
      list.head = block->next;
      retained_.fetch_sub(class_bytes(c), std::memory_order_relaxed);
    }
    return block;
  }

  void give_common(void* block, std::size_t c) noexcept {
    if (!make_room(class_bytes(c), c)) return discard(block);
    auto& list = lists_[c];
    const std::lock_guard lock(list.guard);
    list.head = new (block) node{list.head};
  }

  /// Counts `size` more bytes as retained if they fit, giving blocks of other classes back where needed.
  bool make_room(std::size_t size, std::size_t keep) noexcept {
    const std::size_t limit = limit_.load(std::memory_order_relaxed);
    if (size > limit) return false;
    std::size_t now = retained_.fetch_add(size, std::memory_order_relaxed) + size;
    for (std::size_t tried = 0; now > limit && tried < classes; ++tried) {
      const std::size_t c = hand_.fetch_add(1, std::memory_order_relaxed) % classes;
      if (c != keep) evict(c, limit);
      now = retained();
    }
    if (now <= limit) return true;
    retained_.fetch_sub(size, std::memory_order_relaxed);
    return false;
  }

  /// Gives blocks of class c back until at most `limit` bytes are retained.
  void evict(std::size_t c, std::size_t limit) noexcept {
    while (retained() > limit) {
      void* victim = take_common(c);
      if (victim == nullptr) return;
      discard(victim);
    }
  }

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
  ~pool_block() { memory_pool::instance().release(p_); }

  /// Takes over what memory_pool::allocate returned.
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
