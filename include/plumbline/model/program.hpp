#pragma once
/// The planner's program: Plumber's linear program (section 4.3) joined with the disk's curve, memory, and a binary for
/// each basis_status where a cache may stand.
///   maximise X,  theta_p >= CPU seconds of part p for a minibatch x X,  sum of theta <= cores,  serial: theta_p <= 1
/// The consumer's calls are such a part: serial, on a thread of its own.
///
/// - Of what a cache would save, y = X while no cache above it stands, else 0: y >= X - U (sum of z above), where U is
///   a rate that is never reached. At most one cache on the way from a source to the root.
/// - Disk: bytes x y <= at + slope x reads for every piece, reads <= I/O threads, and <= readers in order. Without a
///   curve: reads >= wall time x y (Little's law).
/// - Memory: caches, messages on their way (two for each core at work and two more, of each part), what is prefetched.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/limits.hpp>

#include <optional>

namespace plumbline {

/// What a core, a byte of memory and a byte per second of the disk are worth, for provisioning. Of equal plans the
/// cheaper one is taken also where the rate is maximised.
struct prices {
  double core = 1, gigabyte = 0.1, gigabyte_per_second = 1;
};

struct goal {
  double rate = 0;      ///< minibatches per second to reach at least cost; 0: as many as possible
  double prefetch = 2;  ///< minibatches held ready, at least
  prices price{};
  /// The operators after which a cache may stand. Not stated: wherever it is legal.
  std::optional<std::vector<std::uint32_t>> cache_after{};
};

struct allocation {
  bool feasible = false;        ///< false: the rate cannot be reached, or memory is short without any cache
  double rate = 0;              ///< minibatches per second
  double cost = 0;              ///< at the goal's prices
  std::vector<double> cores;    ///< theta, by part
  double replay_cores = 0;      ///< of the caches
  double reads = 0;             ///< at a time
  double bytes_per_second = 0;  ///< from storage
  double memory = 0;            ///< bytes
  std::vector<bool> cached;     ///< by candidate
};

/// The best allocation. The caches are the program's; the figures are worked out again from them exactly. A program of
/// a dozen operators takes well below a millisecond. Throws std::invalid_argument if nothing in the trace took time.
allocation allocate(const demand& d, const resources& have, const goal& want = {});

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/program_inl.hpp>
#endif
