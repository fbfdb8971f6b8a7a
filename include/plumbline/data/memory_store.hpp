#pragma once
/// memory_store: keeps elements by index, each written once and read from any thread. Memory: that of the elements kept
/// and the rest of the pages that they are in (the system zeroes both levels lazily).
///
/// An element's index is that of its source element, so what a stream has of a very long or endless source (take, skip,
/// shard, shuffle | take) may lie anywhere in it. The first elements of a source, 2^32 at most, have slots; those of
/// the others that are kept are in a hash table, as slots would be a block for each.

#include <plumbline/core/element_store.hpp>
#include <plumbline/core/rng.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace plumbline {

template <class T> class memory_store {
  enum : unsigned char { absent, being_written, present };  // absent is what fresh memory holds
  struct slot {
    std::atomic<unsigned char> state;
    alignas(T) std::byte room[sizeof(T)];
    T* element() { return std::launder(reinterpret_cast<T*>(room)); }
  };
  /// An element without a slot. Those of a bucket are a list, which only grows.
  struct far_element {
    std::uint64_t index;
    T x;
    far_element* next;
  };
  using bucket = std::atomic<far_element*>;
  static constexpr std::uint64_t most_slots = std::uint64_t{1} << 32;
  static_assert(alignof(slot) <= alignof(std::max_align_t),
                "plumbline: cache cannot keep elements that are aligned more strictly than malloc does");

 public:
  static constexpr std::uint64_t slot_bytes = sizeof(slot);
  /// `slots`: of how many elements, at most. Slots of elements that are not kept take memory, too, if others of their
  /// page are kept. `buckets`: of the hash table, about: many more elements in it are found slowly.
  explicit memory_store(std::uint64_t size, std::uint64_t slots = most_slots,
                        std::uint64_t buckets = std::uint64_t{1} << 20U)
      : bits_(static_cast<unsigned>(std::bit_width(std::min({size, slots, most_slots}))) / 2),
        far_bits_(static_cast<unsigned>(std::bit_width(std::clamp<std::uint64_t>(buckets, 256, 1U << 28U))) - 1),
        blocks_((std::min({size, slots, most_slots}) >> bits_) + 1) {
    directory_ = allocate<std::atomic<slot*>>(blocks_);
  }
  memory_store(const memory_store&) = delete;
  ~memory_store() {
    for (std::uint64_t b = 0; b != blocks_; ++b) {
      slot* block = directory_[b].load(std::memory_order_relaxed);
      if (block == nullptr) continue;
      for (std::uint64_t i = 0; i != std::uint64_t{1} << bits_; ++i)
        if (block[i].state.load(std::memory_order_relaxed) == present) std::destroy_at(block[i].element());
      std::free(block);
    }
    std::free(directory_);
    bucket* far = far_.load(std::memory_order_relaxed);
    for (std::uint64_t b = 0; far != nullptr && b != std::uint64_t{1} << far_bits_; ++b)
      for (auto* e = far[b].load(std::memory_order_relaxed); e != nullptr;) delete std::exchange(e, e->next);
    std::free(far);
  }

  /// The element, or null if it is not there yet.
  const T* find(std::uint64_t i) const {
    const auto b = i >> bits_;
    if (b >= blocks_) [[unlikely]]
      return find_far(i);
    slot* block = directory_[b].load(std::memory_order_acquire);
    if (block == nullptr) return nullptr;
    slot& s = block[i & mask()];
    return s.state.load(std::memory_order_acquire) == present ? s.element() : nullptr;
  }
  /// If two threads made the same element, one of the two is kept. False: it is the other's.
  bool keep(std::uint64_t i, const T& x) {
    if (i >> bits_ >= blocks_) [[unlikely]]
      return keep_far(i, x);
    slot& s = made(directory_[i >> bits_], std::uint64_t{1} << bits_)[i & mask()];
    unsigned char nothing = absent;
    if (!s.state.compare_exchange_strong(nothing, being_written, std::memory_order_relaxed)) return false;
    try {
      ::new (static_cast<void*>(s.room)) T(x);
    } catch (...) {
      s.state.store(absent, std::memory_order_relaxed);
      throw;
    }
    s.state.store(present, std::memory_order_release);
    return true;
  }

 private:
  template <class X> static X* allocate(std::uint64_t n) {
    void* p = std::calloc(n, sizeof(X));
    if (p == nullptr) throw std::bad_alloc();
    return static_cast<X*>(p);
  }
  std::uint64_t mask() const { return (std::uint64_t{1} << bits_) - 1; }
  /// The array that is at a place, of n zeroed objects; made if there is none.
  template <class X> static X* made(std::atomic<X*>& at, std::uint64_t n) {
    X* known = at.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    X* fresh = allocate<X>(n);
    if (at.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) return fresh;
    std::free(fresh);
    return known;
  }
  std::uint64_t far_bucket(std::uint64_t i) const { return hash_combine(i, 0) >> (64 - far_bits_); }
  static far_element* found_far(far_element* e, std::uint64_t i) {
    while (e != nullptr && e->index != i) e = e->next;
    return e;
  }
  const T* find_far(std::uint64_t i) const {
    bucket* far = far_.load(std::memory_order_acquire);
    auto* e = far == nullptr ? nullptr : found_far(far[far_bucket(i)].load(std::memory_order_acquire), i);
    return e == nullptr ? nullptr : &e->x;
  }
  bool keep_far(std::uint64_t i, const T& x) {
    bucket& at = made(far_, std::uint64_t{1} << far_bits_)[far_bucket(i)];
    auto* first = at.load(std::memory_order_acquire);
    if (found_far(first, i) != nullptr) return false;
    std::unique_ptr<far_element> fresh(new far_element{i, x, first});
    while (!at.compare_exchange_weak(first, fresh.get(), std::memory_order_acq_rel)) {
      if (found_far(first, i) != nullptr) return false;
      fresh->next = first;
    }
    (void)fresh.release();
    return true;
  }

  unsigned bits_;      ///< the number of index bits within a block
  unsigned far_bits_;  ///< of the number of buckets
  std::uint64_t blocks_;
  std::atomic<slot*>* directory_;
  std::atomic<bucket*> far_{nullptr};
};

}  // namespace plumbline
