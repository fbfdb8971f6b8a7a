#pragma once
/// goal: what the planner's program (model/program.hpp) is to reach, and at which prices.

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline {

/// Prices of a core, a gigabyte of memory, a gigabyte per second from the disk, and a gigabyte on disk, for
/// provisioning. When the rate is maximised, they decide between plans of equal rate.
struct prices {
  double core = 1, gigabyte = 0.1, gigabyte_per_second = 1, gigabyte_on_disk = 0.001;
};

struct goal {
  double rate = 0;      ///< minibatches per second, to reach at the lowest cost; 0: maximise the rate
  double prefetch = 2;  ///< minibatches to prefetch, at least
  prices price{};
  /// The operators after which a cache may be put. Nullopt: wherever it is legal.
  std::optional<std::vector<std::uint32_t>> cache_sites{};
  /// Those of them after which a cache may keep a share of the elements, if these are made by index: several on one
  /// path then each keep a part of their own, and what is kept in part may be larger than the memory.
  std::vector<std::uint32_t> share_sites{};
  /// Those of these after which it may keep a share on disk as well, if there is one (resources::for_caches).
  std::vector<std::uint32_t> disk_sites{};
  bool gains = false;  ///< if the rate is maximised, also find what more room for caches adds (planning)
};

}  // namespace plumbline
