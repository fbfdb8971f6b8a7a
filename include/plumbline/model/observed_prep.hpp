#pragma once
/// observed_prep: the preparation's costs and rate as an analysis observed them, for other hardware.

#include <plumbline/core/buffering.hpp>
#include <plumbline/model/modelled_prep.hpp>
#include <plumbline/model/stall_analysis.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace plumbline::detail {

/// What the analysed run has on `cores` of so many in all, which I/O threads and the consumer may use, too.
inline resources resources_on(const stall_analysis& of, double cores, double all_cores) {
  const auto threads = static_cast<std::size_t>(std::clamp(std::ceil(cores), 1.0, 1e9));
  const auto wait = of.waits_on_compute ? threads : buffering::default_io_threads(threads);
  return {.cores = cores,
          .all_cores = all_cores,
          .io_threads = of.io_threads > 0 ? of.io_threads : static_cast<double>(wait)};
}
/// The same as it was analysed.
inline resources resources_of(const stall_analysis& of) { return resources_on(of, of.cores, of.all_cores); }
/// The costs scaled to the rate that was observed: the planner knows costs, the analysis the rate that they led to.
inline demand scaled_needs(const stall_analysis& of) {
  auto needs = of.needs;
  const double scale = modelled_prep(needs, resources_of(of)) * inverse(of.prep);
  if (!std::isfinite(scale) || !(scale > 0)) return needs;
  for (auto& part : needs.parts)
    for (auto* seconds : {&part.cpu, &part.wall})
      for (auto& each : *seconds) each *= scale;
  needs.consumer_seconds *= scale;
  return needs;
}
/// The same for files read from storage on I/O threads: what that costs beyond reading them from the page cache on
/// compute threads, as it was observed, belongs to the parts that read, so that a cache after them saves it.
inline demand needs_from_storage(const stall_analysis& of) {
  const auto needs = scaled_needs(of);
  double more = 0;
  if (!of.cached.empty() && of.cached.front().share == 0 && of.cached.front().prep < of.prep) {
    const double there = of.cached.front().prep;
    double low = 0, high = std::max(of.cores, of.all_cores) * (inverse(there) - inverse(of.prep));
    if (!std::isfinite(high)) high = 0;
    for (int i = 0; i != 30 && high > 0; ++i) {
      more = (low + high) / 2;
      (modelled_prep(with_costlier_reads(needs, more), resources_of(of)) > there ? low : high) = more;
    }
  }
  return with_costlier_reads(needs, more + of.storage_cpu_seconds);
}
/// P on `cores` of so many in all, with this share of the files from storage: as observed, scaled by the model.
inline double prep_on(const stall_analysis& of, double cores, double all_cores, double misses) {
  const double reading = misses * of.storage_cpu_seconds;
  if (cores == of.cores && all_cores == of.all_cores && !(reading > 0)) return of.prep;
  const auto needs = scaled_needs(of);
  const double there = modelled_prep(needs, resources_of(of));
  if (!std::isfinite(there) || !(there > 0)) return of.prep;
  return of.prep * modelled_prep(with_costlier_reads(needs, reading), resources_on(of, cores, all_cores)) / there;
}

}  // namespace plumbline::detail
