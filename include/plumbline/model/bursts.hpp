#pragma once
/// Plans that keep a part of the elements, with bursts of misses counted. The planner's program knows averages only: of
/// two plans that are equally fast on average it may take that which reads as fast as it prepares, and loses up to a
/// quarter of the rate (model/read_ahead.hpp). So it is solved for several bandwidths, and the plan is taken that is
/// the fastest with the real one.

#include <plumbline/model/format.hpp>
#include <plumbline/model/plan.hpp>
#include <plumbline/model/program.hpp>
#include <plumbline/model/read_ahead.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace plumbline::detail {

inline constexpr double no_share = 1e-6;  ///< a smaller one is an error of rounding

/// The share of the bytes that these sites and the caches in the pipeline as written do not save, where they save a
/// part. 1 if they save all or nothing of each reader. Which elements are missed is random if the stream is shuffled;
/// if it is not, misses are spread evenly, and the rate is higher than with the bursts that are counted here.
inline double share_missed(const demand& d, const kept_shares& kept) {
  const auto alive = alive_with(d, kept);
  double read = 0, all = 0;
  for (std::size_t g = 0; g != alive.size(); ++g) {
    const double now = alive[g] * d.bytes_read[g],
                 needed = g < d.bytes_needed.size() ? d.bytes_needed[g] : d.bytes_read[g];
    if (now > no_share * needed && now < (1 - no_share) * needed) read += now, all += needed;
  }
  return all > 0 ? read / all : 1;
}
/// True if what is read is random, and reading may be ahead only so far.
inline bool has_bursts(const fetching& files) { return files.misses > 0 && files.misses < 1 && files.ahead > 0; }
/// The rate within these limits, with bursts. `files`: what share is read, how far ahead, and how sizes differ. Where
/// caches are on the files' disk, what they have is fetched from it as well.
inline double rate_with_bursts(const std::vector<rate_limit>& all, fetching files) {
  double read = infinite, shared = infinite, prepared = infinite;
  for (const auto& l : all) {
    auto& least = l.kind == limit_kind::disk ? read : l.kind == limit_kind::shared_disk ? shared : prepared;
    least = std::min(least, l.rate);
  }
  if (!has_bursts(files) || std::isinf(read)) return std::min({read, shared, prepared});
  files.from_memory = (1 - files.misses) * inverse(inverse(shared) - inverse(read));
  files.from_storage = read * files.misses;
  files.in_turn = true;  // on one disk
  return rate_with_read_ahead(files, prepared);
}
inline double rate_with_bursts(const demand& d, const resources& have, const kept_shares& kept, fetching files) {
  files.misses = share_missed(d, kept);
  return rate_with_bursts(limits(d, have, kept), files);
}

/// allocate() with bursts: the fastest, or for a given rate, the first found that is within 1 % of it, or if there is
/// none, that which is nearest to it. At most 21 solutions of the program.
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
    other.proven = best.proven = best.proven && other.proven;
    if (!other.feasible || other.rate <= most) break;  // with less, its average would be below what is reached
    const double rate = rate_with_bursts(d, have, other.kept, files);
    if (rate > most) most = rate, best = std::move(other);
  }
  if (want.rate > 0) return best;
  const double slower = most * inverse(best.rate);
  for (auto* x : {&best.rate_per_byte, &best.rate_per_byte_on_disk, &best.replay_cores, &best.bytes_per_second})
    *x *= slower;
  for (auto* each : {&best.cores, &best.at_once})
    for (auto& x : *each) x *= slower;
  best.rate = most;
  return best;
}

/// Sets a plan's rate and bottleneck: the lowest of these limits, less what bursts of misses cost.
inline void set_rate(plan& how, const std::vector<rate_limit>& all, const fetching& files) {
  how.rate = all.front().rate;
  how.bottleneck = all.front().text;
  const double rate = rate_with_bursts(all, files);
  if (!(rate < 0.99 * how.rate)) return;
  how.bottleneck += ", and " + percent_text(1 - rate / how.rate) + " are lost as misses come in bursts";
  how.rate = rate;
}

}  // namespace plumbline::detail
