#pragma once
/// read_ahead: the rate at which elements are fetched and then prepared in order, if fetching may be only so many
/// elements ahead. Which elements a cache misses is random, so misses come in bursts, in which fetching falls behind;
/// it can catch up only as far as it may be ahead. So where fetching and preparation are about equally fast, both wait
/// for each other at times, and the rate is less than that of the slower one.

#include <plumbline/core/rng.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace plumbline::detail {

/// By simulation of some thousand elements, the same ones each time: about 0.1 ms. `fetched` and `prepared`: rates of
/// each by itself; `misses`: the share of elements that are fetched from storage, one after another; `ahead`: how many
/// elements may be fetched, or be fetching, and not prepared, 0: any number; `scatter`: the mean of their squared sizes
/// by the square of the mean. Within 1 % but where the pipeline has fewer than a thousand elements.
inline double rate_with_read_ahead(double fetched, double prepared, double misses, double ahead, double scatter) {
  const double slower = std::min(fetched, prepared);
  constexpr std::uint64_t n = 8192;
  const auto from_storage = static_cast<std::uint64_t>(std::llround(misses * static_cast<double>(n)));
  const double apart = std::max(fetched, prepared) / slower;
  if (!(ahead > 0) || from_storage == 0 || !(slower > 0) || !(apart < 100)) return slower;
  const auto window = static_cast<std::size_t>(std::clamp(std::round(ahead), 1.0, static_cast<double>(n)));
  const double larger = std::clamp(std::sqrt(std::max(scatter - 1, 0.0)), 0.0, 1.0);
  std::vector<double> fetch(n, 0);  // times; half of the elements are larger than the mean, half smaller
  double all = 0;
  for (std::uint64_t i = 0, left = from_storage; i != n; ++i) {
    const auto draw = hash_combine(0x72656164, i);
    // as many misses as wanted, in a random order
    if (static_cast<double>(draw >> 11) * 0x1p-53 * static_cast<double>(n - i) >= static_cast<double>(left)) continue;
    --left;
    all += fetch[i] = draw % 2 == 0 ? 1 + larger : 1 - larger;
  }
  const double unit = prepared / fetched * static_cast<double>(n) / all;  // by the preparation of an element
  std::vector<double> done(window, 0);  // when the element so many before this one was prepared
  double storage_free = 0, prepared_until = 0;
  for (std::uint64_t i = 0; i != n; ++i) {
    auto& before = done[i % window];
    double there = before;
    if (fetch[i] > 0) there = storage_free = std::max(storage_free, before) + unit * fetch[i];
    before = prepared_until = std::max(prepared_until, there) + 1;
  }
  return std::min(slower, prepared * static_cast<double>(n) / prepared_until);
}

}  // namespace plumbline::detail
