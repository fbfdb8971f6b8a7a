#pragma once
/// Plans that keep a part of the elements, with bursts of misses counted. The planner's program knows averages only: of
/// two plans that are equally fast on average it may take that which reads as fast as it prepares, and loses up to a
/// quarter of the rate (model/read_ahead.hpp). So it is solved for several bandwidths, and the plan is taken that is
/// the fastest with the real one.

#include <plumbline/model/files_ahead.hpp>
#include <plumbline/model/program.hpp>

#include <algorithm>
#include <cmath>

namespace plumbline::detail {

/// The share of what is read that these sites do not save.
inline double share_missed(const demand& d, const kept_shares& kept) {
  const auto alive = alive_with(d, kept);
  double read = 0, all = 0;
  for (std::size_t g = 0; g != alive.size(); ++g) read += alive[g] * d.bytes_read[g], all += d.bytes_read[g];
  return std::min(1.0, read * inverse(all));
}
/// The rate within these limits, with bursts. `files`: what share is read, how far ahead, and how sizes differ.
inline double rate_with_bursts(const std::vector<rate_limit>& all, fetching files) {
  double read = infinite, prepared = infinite;
  for (const auto& l : all) {
    auto& least = l.kind == limit_kind::disk ? read : prepared;
    least = std::min(least, l.rate);
  }
  if (!(files.misses > 0) || !(files.misses < 1) || std::isinf(read)) return std::min(read, prepared);
  files.from_memory = infinite;
  files.from_storage = read * files.misses;
  return rate_with_read_ahead(files, prepared);
}
inline double rate_with_bursts(const demand& d, const resources& have, const kept_shares& kept, fetching files) {
  files.misses = share_missed(d, kept);
  return rate_with_bursts(limits(d, have, kept), files);
}

/// allocate() with bursts: the fastest, or for a given rate, the cheapest that is within 1 % of it.
inline allocation allocate_with_bursts(const demand& d, const resources& have, const goal& want,
                                       const fetching& files) {
  auto best = allocate(d, have, want);
  if (!best.feasible || !have.disk.known()) return best;
  const double average = best.rate, bandwidth = best.bytes_per_second;
  double most = rate_with_bursts(d, have, best.kept, files);
  for (double left = 0.95; left > -0.01 && most < 0.99 * average; left -= 0.05) {
    auto with_less = have;
    with_less.disk = have.disk.at_most(std::max(left, 1e-3) * bandwidth);
    auto other = allocate(d, with_less, want);
    if (!other.feasible || other.rate <= most) break;  // and with still less it would be slower
    const double rate = rate_with_bursts(d, have, other.kept, files);
    if (rate > most) most = rate, best = std::move(other);
  }
  if (want.rate > 0) return best;
  best.rate_per_byte *= most * inverse(best.rate);
  best.rate_per_byte_on_disk *= most * inverse(best.rate);
  best.rate = most;
  return best;
}

}  // namespace plumbline::detail
