#pragma once
/// lineage: identifies an element, wherever it is in the pipeline and whichever thread holds it. Random draws are keyed
/// by it, and errors name their element with it. It is the same for any number of threads, chunk size, fusion or cache
/// placement.

#include <plumbline/core/rng.hpp>

#include <cstdint>
#include <utility>

namespace plumbline {

struct lineage {
  std::uint64_t index = 0;         ///< its index in its source
  std::uint64_t sub = 0;           ///< 0, or which part of that element (from flat_map, interleave, unbatch): 1, 2, ...
  std::uint64_t epoch = 0;         ///< the source's epoch: counts runs and repeats
  std::uint32_t source_index = 0;  ///< which of the pipeline's sources, left to right

  /// The lineage of the n-th part (from 0) of this element.
  constexpr lineage part(std::uint64_t n) const {
    lineage out = *this;
    out.sub = sub == 0 ? n + 1 : hash_combine(sub, n + 1);
    return out;
  }
  /// A hash of all of it: no two elements of a run share it (up to 64-bit collisions).
  constexpr std::uint64_t key() const {
    return hash_combine(hash_combine(index, sub), hash_combine(epoch, source_index));
  }

  friend constexpr bool operator==(const lineage&, const lineage&) = default;
};

/// An element with its lineage.
template <class T> struct item {
  T value;
  lineage at{};
};

}  // namespace plumbline
