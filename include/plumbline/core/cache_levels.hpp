#pragma once
/// cache_levels: what a cache of two levels keeps: one share of the elements in memory, another in files of a folder.

#include <plumbline/core/share.hpp>

#include <cstdint>
#include <string>

namespace plumbline {

struct cache_levels {
  share memory{0, 0}, disk{0, 0};
  std::string folder{};       ///< of this cache alone
  std::uint64_t most = 0;     ///< bytes that its files may have
  std::uint64_t version = 0;  ///< of what the functions before the cache do
};

/// The operators that plans put after the pipeline P to keep its elements in memory and on disk: keeping(cache_levels).
/// `stores`: they can be written; else the cache keeps memory's share alone. Defined with those operators, in
/// tune_on_disk.hpp.
template <class P> struct level_keeper;

}  // namespace plumbline
