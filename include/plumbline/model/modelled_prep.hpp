#pragma once
/// modelled_prep: the rate of preparation as its costs say, for other numbers of cores than it was observed with.

#include <plumbline/model/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace plumbline::detail {

/// What limits preparation first without a cache. An infinite rate: nothing.
inline rate_limit first_limit(const demand& needs, const resources& have) {
  const auto all = limits(needs, have, kept_shares(needs.sites.size()));
  return all.empty() ? rate_limit{.rate = infinite, .text = {}} : all.front();
}
/// Its rate.
inline double modelled_prep(const demand& needs, const resources& have) { return first_limit(needs, have).rate; }
/// The needs with so many processor seconds a batch more in the parts that read, each the same; saved by what saves the
/// reading.
inline demand with_costlier_reads(demand needs, double seconds) {
  const auto reads = std::count_if(needs.parts.begin(), needs.parts.end(), [](const auto& p) { return p.reads; });
  const double bytes = std::accumulate(needs.bytes_read.begin(), needs.bytes_read.end(), 0.0);
  if (reads == 0 || !(bytes > 0) || !(seconds > 0)) return needs;
  for (auto& p : needs.parts)
    for (std::size_t g = 0; p.reads && g != needs.groups.size(); ++g) {
      const double more = seconds * needs.bytes_read[g] / bytes / static_cast<double>(reads);
      p.cpu[g] += more, p.wall[g] += more;
    }
  return needs;
}
/// Processor seconds of the preparation of a batch.
inline double prep_cpu(const demand& needs) {
  double all = needs.consumer_seconds;
  for (const auto& part : needs.parts)
    for (const double each : part.cpu) all += each;
  return all;
}

}  // namespace plumbline::detail
