#pragma once
/// Definitions of data/pool.hpp.

#include <plumbline/data/pool.hpp>

#include <new>

namespace plumbline {

/// The blocks that a thread released last, newest at the end.
class memory_pool::recent_blocks {
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
  static inline thread_local constinit bool ended = false;  // not a member: it is read after the object's end
};

PLUMBLINE_INLINE void memory_pool::discard(void* block) noexcept {
  ::operator delete (block, std::align_val_t{alignment});
}

PLUMBLINE_INLINE memory_pool& memory_pool::instance() noexcept {
  alignas(memory_pool) static std::byte storage[sizeof(memory_pool)];
  static auto* pool = new (storage) memory_pool;
  return *pool;
}

PLUMBLINE_INLINE void* memory_pool::allocate(std::size_t n) {
  if (n > max_bytes) throw std::bad_alloc();
  const std::size_t c = class_of(n + header_bytes);
  const std::size_t size = class_bytes(c);
  if (auto* memory = detail::allocate_in::now())
    if (void* block = memory->take(n + header_bytes)) {
      mark_elsewhere(block, n);
      return static_cast<std::byte*>(block) + header_bytes;
    }
  void* block = enabled ? recent_blocks::mine().take(c) : nullptr;
  if (enabled && block == nullptr) block = take_common(c);
  // without the pool, exactly the requested size: a sanitizer then detects use of the first byte beyond it
  if (block == nullptr) block = ::operator new (enabled ? size : n + header_bytes, std::align_val_t{alignment});
  new (block) std::size_t(c);
  return static_cast<std::byte*>(block) + header_bytes;
}

PLUMBLINE_INLINE void memory_pool::release(void* p) noexcept {
  if (p == nullptr) return;
  void* block = static_cast<std::byte*>(p) - header_bytes;
  if (*static_cast<const std::size_t*>(block) >= elsewhere) return detail::array_memory::of(block).give_back(block);
  const std::size_t c = class_in(block), size = class_bytes(c);
  if (!enabled) return discard(block);
  auto& recent = recent_blocks::mine();
  if (retained_limit() == 0) recent.give_back();
  if (size > per_thread_limit || retained_limit() == 0 || !recent.keep(block, c)) give_common(block, c);
}

PLUMBLINE_INLINE void memory_pool::retain_at_most(std::size_t most) noexcept {
  limit_.store(most, std::memory_order_relaxed);
  if (most == 0) recent_blocks::mine().give_back();
  for (std::size_t c = 0; c < classes && retained() > most; ++c) evict(c, most);
}

PLUMBLINE_INLINE void* memory_pool::take_common(std::size_t c) noexcept {
  auto& list = lists_[c];
  const std::lock_guard lock(list.guard);
  node* block = list.head;
  if (block != nullptr) {
    list.head = block->next;
    retained_.fetch_sub(class_bytes(c), std::memory_order_relaxed);
  }
  return block;
}

PLUMBLINE_INLINE void memory_pool::give_common(void* block, std::size_t c) noexcept {
  if (!make_room(class_bytes(c), c)) return discard(block);
  auto& list = lists_[c];
  const std::lock_guard lock(list.guard);
  list.head = new (block) node{list.head};
}

PLUMBLINE_INLINE bool memory_pool::make_room(std::size_t size, std::size_t keep) noexcept {
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

PLUMBLINE_INLINE void memory_pool::evict(std::size_t c, std::size_t limit) noexcept {
  while (retained() > limit) {
    void* victim = take_common(c);
    if (victim == nullptr) return;
    discard(victim);
  }
}

}  // namespace plumbline
