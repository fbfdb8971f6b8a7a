#pragma once
/// read_ahead: the rate at which elements are fetched and then prepared in order, if fetching may be only so many
/// elements ahead. Which elements a cache misses is random, so misses come in bursts, in which fetching falls behind;
/// it can catch up only as far as it may be ahead. So where fetching and preparation are about equally fast, both wait
/// for each other at times, and the rate is less than that of the slower one. While one I/O thread waits for the
/// storage, others fetch what is in memory.

#include <plumbline/core/rng.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace plumbline::detail {

/// How elements are fetched.
struct fetching {
  double from_memory = 1, from_storage = 1;  ///< elements (or batches) a second, if all were there
  double misses = 1;                         ///< the share of elements that are fetched from storage
  double ahead = 0;           ///< elements that are fetched, or being fetched, and not prepared, at most; 0: any number
  double size_variation = 0;  ///< of the elements' sizes: standard deviation / mean, at most 1 counts
  bool in_turn = false;       ///< the storage is idle while an element is fetched from memory, as with one I/O thread

  double rate() const {
    const double memory = (1 - misses) / from_memory, storage = misses / from_storage;
    const double time = in_turn ? memory + storage : std::max(memory, storage);
    return time > 0 ? 1 / time : std::numeric_limits<double>::infinity();
  }
};

/// The rate of fetching and preparing, by simulation of 8,192 elements, the same ones each time.
/// `prepared`: the rate of preparation by itself. Storage and memory each have one bandwidth, so each fetches one
/// element at a time.
inline double rate_with_read_ahead(const fetching& of, double prepared) {
  const double fetched = of.rate(), slower = std::min(fetched, prepared);
  constexpr std::uint64_t n = 8192;
  const auto from_storage = static_cast<std::uint64_t>(std::llround(of.misses * static_cast<double>(n)));
  const double apart = std::max(fetched, prepared) / slower;
  if (!(of.ahead > 0) || from_storage == 0 || !(slower > 0) || !(apart < 100)) return slower;
  const auto window = static_cast<std::size_t>(std::clamp(std::round(of.ahead), 1.0, static_cast<double>(n)));
  // relative to the mean, 0 if it is in memory; half of those in storage are larger, half smaller
  const double larger = std::clamp(of.size_variation, 0.0, 1.0);
  std::vector<double> size(n, 0);
  double all = 0;
  for (std::uint64_t i = 0, left = from_storage; i != n; ++i) {
    const auto draw = hash_combine(0x72656164, i);
    // as many misses as wanted, in a random order
    if (static_cast<double>(draw >> 11) * 0x1p-53 * static_cast<double>(n - i) < static_cast<double>(left)) {
      --left;
      all += size[i] = draw % 2 == 0 ? 1 + larger : 1 - larger;
    }
  }
  // in units of one element's preparation time, so that the mean is exact
  const double hit = prepared / of.from_memory,
               miss = all > 0 ? prepared / of.from_storage * of.misses * static_cast<double>(n) / all : 0;
  std::vector<double> done(window, 0);  // when the element so many before this one was prepared
  double memory_until = 0, storage_until = 0, prepared_until = 0;
  for (std::uint64_t i = 0; i != n; ++i) {
    auto& before = done[i % window];
    auto& until = size[i] > 0 || of.in_turn ? storage_until : memory_until;
    until = std::max(until, before) + (size[i] > 0 ? miss * size[i] : hit);
    before = prepared_until = std::max(prepared_until, until) + 1;
  }
  return std::min(slower, prepared * static_cast<double>(n) / prepared_until);
}

}  // namespace plumbline::detail
