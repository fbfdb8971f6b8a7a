#pragma once
/// memory_store: keeps elements by index, each written once and read from any thread. Memory: that of the elements kept
/// plus a few pages (the system zeroes both levels lazily).

#include <plumbline/core/element_store.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace plumbline {

template <class T> class memory_store {
  enum : unsigned char { absent, being_written, present };  // absent is what fresh memory holds
  struct slot {
    std::atomic<unsigned char> state;
    alignas(T) std::byte room[sizeof(T)];
    T* element() { return std::launder(reinterpret_cast<T*>(room)); }
  };
  static_assert(alignof(slot) <= alignof(std::max_align_t),
                "plumbline: cache cannot keep elements that are aligned more strictly than malloc does");

 public:
  explicit memory_store(std::uint64_t size)
      : bits_(static_cast<unsigned>(std::bit_width(size)) / 2), blocks_((size >> bits_) + 1) {
    if (size >> 40 != 0)
      throw std::invalid_argument("plumbline: cache keeps at most 2^40 elements by index, and its stream has " +
                                  std::to_string(size) + "; put take(n) before it");
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
  }

  /// The element, or null if it is not there yet.
  const T* find(std::uint64_t i) const {
    slot* block = directory_[i >> bits_].load(std::memory_order_acquire);
    if (block == nullptr) return nullptr;
    slot& s = block[i & mask()];
    return s.state.load(std::memory_order_acquire) == present ? s.element() : nullptr;
  }
  /// If two threads made the same element, one of the two is kept. False: it is the other's.
  bool keep(std::uint64_t i, const T& x) {
    slot& s = block_of(i)[i & mask()];
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
  slot* block_of(std::uint64_t i) {
    auto& at = directory_[i >> bits_];
    slot* block = at.load(std::memory_order_acquire);
    if (block != nullptr) return block;
    slot* fresh = allocate<slot>(std::uint64_t{1} << bits_);
    if (at.compare_exchange_strong(block, fresh, std::memory_order_acq_rel)) return fresh;
    std::free(fresh);
    return block;
  }
  unsigned bits_;  ///< the number of index bits within a block
  std::uint64_t blocks_;
  std::atomic<slot*>* directory_;
};

}  // namespace plumbline
