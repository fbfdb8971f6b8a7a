#pragma once
/// modelled_prep: the rate of preparation as its costs say, for other numbers of cores than it was observed with.

#include <plumbline/model/limits.hpp>

namespace plumbline::detail {

/// What limits preparation first without a cache. I/O threads and the consumer may use the others of `all_cores`. An
/// infinite rate: nothing.
inline rate_limit first_limit(const demand& needs, double cores, double all_cores) {
  const auto all = limits(needs, {.cores = cores, .all_cores = all_cores}, kept_shares(needs.sites.size()));
  return all.empty() ? rate_limit{.rate = infinite, .text = {}} : all.front();
}
/// Its rate on `cores`.
inline double modelled_prep(const demand& needs, double cores, double all_cores) {
  return first_limit(needs, cores, all_cores).rate;
}
/// Processor seconds of the preparation of a batch.
inline double prep_cpu(const demand& needs) {
  double all = needs.consumer_seconds;
  for (const auto& part : needs.parts)
    for (const double each : part.cpu) all += each;
  return all;
}

}  // namespace plumbline::detail
