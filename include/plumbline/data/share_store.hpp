#pragma once
/// share_store: keeps a share of the elements in memory. Which is known before any of them is made, so that stores of
/// other shares, before it or after it, keep the others.

#include <plumbline/core/share.hpp>
#include <plumbline/data/memory_store.hpp>

#include <cstdint>

namespace plumbline {

template <class T> class share_store {
 public:
  share_store(std::uint64_t size, share of) : kept_(size), of_(of) {}

  const T* find(std::uint64_t i) const { return kept_.find(i); }
  /// Refuses the elements of other shares.
  void keep(std::uint64_t i, const T& x) {
    if (of_.holds(i)) kept_.keep(i, x);
  }

 private:
  memory_store<T> kept_;
  const share of_;
};

}  // namespace plumbline
