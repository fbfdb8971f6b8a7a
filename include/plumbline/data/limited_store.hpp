#pragma once
/// limited_store: keeps elements in memory until a number of bytes is reached, and never evicts one for another
/// (MinIO; Mohan et al., VLDB 2021, section 6.1). Each element of an epoch is requested once, in random order, so none
/// is worth more than another; what LRU evicts, it mostly needs again in the same epoch.

#include <plumbline/core/bytes.hpp>
#include <plumbline/data/memory_store.hpp>
#include <plumbline/data/nbytes.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace plumbline {

template <class T> class limited_store {
 public:
  /// The hash table has room for as many elements as may be kept, four to a bucket.
  limited_store(std::uint64_t size, bytes most)
      : kept_(size, slots_for(most.count), most.count / (4 * sizeof(T))), most_(most.count) {}

  const T* find(std::uint64_t i) const { return kept_.find(i); }
  /// Refuses an element that does not fit. A smaller one may fit later. What is kept is a copy, so it counts without
  /// the element's spare capacity.
  void keep(std::uint64_t i, const T& x) {
    const std::uint64_t own = nbytes(x);
    auto held = held_.load(std::memory_order_relaxed);
    do
      if (own > most_ || held > most_ - own) return;
    while (!held_.compare_exchange_weak(held, held + own, std::memory_order_relaxed));
    bool kept = false;
    try {
      kept = kept_.keep(i, x);
    } catch (...) {
      held_.fetch_sub(own, std::memory_order_relaxed);
      throw;
    }
    held_.fetch_sub(own - (kept ? std::min(own, std::uint64_t{nbytes(*kept_.find(i))}) : 0), std::memory_order_relaxed);
  }

 private:
  /// As many slots as take four times the limit, and 16 MiB: of few elements that are kept of many, each may take a
  /// page.
  static std::uint64_t slots_for(std::uint64_t most) {
    return ((std::uint64_t{16} << 20U) + 4 * std::min(most, std::uint64_t{1} << 60U)) / memory_store<T>::slot_bytes;
  }
  memory_store<T> kept_;
  const std::uint64_t most_;
  std::atomic<std::uint64_t> held_{0};
};

}  // namespace plumbline
