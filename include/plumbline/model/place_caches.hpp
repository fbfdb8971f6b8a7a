#pragma once
/// place_caches: where a given memory is best spent, and what one GB more would buy. Every legal place may keep a share
/// of the elements: their files, decoded, or after any other operator; those that are kept at one place need not be
/// kept at another. Mohan et al. (CoorDL) keep files only, Plumber keeps all of one place or nothing; this is the
/// optimum over all places and shares, jointly with the cores and the storage (model/program.hpp).
///   const auto best = pl::place_caches(stalls, 8e9);
///   for (const auto& c : best.caches) std::cout << c.name << ": cache(share(" << c.kept.from << ", " << c.kept.to <<
///   "))\n";

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/program.hpp>
#include <plumbline/model/stalls.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

struct placed_cache {
  std::uint32_t after = 0;  ///< the operator's number
  std::string name;         ///< of the operator
  share kept;
  double bytes = 0;
};
struct cache_placement {
  std::vector<placed_cache> caches;  ///< downstream first
  double rate = 0;                   ///< batches a second, of preparation and fetching; the step may be slower
  double with_a_gigabyte_more = 0;   ///< the same with 1e9 bytes more
  double gain_per_byte = 0;  ///< share of the rate that each byte more adds at first: the shadow price of memory
  double memory = 0;         ///< bytes that are used
};

/// `memory`: bytes for caches. With the analysis' cores, and its storage as measured. O(the program's solution), below
/// a millisecond for a dozen operators.
cache_placement place_caches(const stall_analysis& of, double memory);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/place_caches_inl.hpp>
#endif
