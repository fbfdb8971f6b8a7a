#pragma once
/// The part of model/planner_inl.hpp that is about caches which keep a share of the elements.

#include <plumbline/core/buffering.hpp>
#include <plumbline/model/bursts.hpp>
#include <plumbline/model/caches.hpp>
#include <plumbline/model/files_ahead.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/model/planning.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace plumbline::detail {

/// True if an allocation has a cache that keeps some of its elements, and not all.
inline bool in_part(const allocation& a) {
  return std::any_of(a.kept.begin(), a.kept.end(), [](double x) { return x > no_share && x < 1 - no_share; });
}
/// True if it keeps elements on disk.
inline bool keeps_on_disk(const demand& d, const allocation& a) {
  for (std::size_t c = 0; c != a.kept.size(); ++c)
    if (d.sites[c].on_disk() && a.kept[c] > no_share) return true;
  return false;
}
/// The plan's caches, upstream first.
inline void put_caches(planning& made) {
  struct levels {
    share memory{0, 0}, disk{0, 0};
    double bytes = 0;
  };
  const auto parts = parts_of(made.demand, made.share.kept);
  const bool disk = keeps_on_disk(made.demand, made.share), shares = disk || in_part(made.share);
  std::map<std::uint32_t, levels> all;
  for (std::size_t c = 0; c != parts.size(); ++c) {
    const auto& site = made.demand.sites[c];
    if (!(parts[c].size() > no_share)) continue;
    auto& at = all[site.after];
    (site.on_disk() ? at.disk : at.memory) = parts[c];
    if (site.on_disk()) at.bytes = std::ceil(parts[c].size() * site.disk_bytes);
  }
  for (const auto& [after, at] : all) {
    made.best.caches.push_back(after);
    if (shares) made.best.shares.push_back(at.memory);
    if (disk) made.best.on_disk.push_back(at.disk), made.best.disk_bytes.push_back(at.bytes);
  }
}

/// How files are fetched in a run with all threads, with these caches.
inline fetching reading_in(const demand& d, const trace& t, const pipeline_rates& r, const resources& have,
                           double prefetch, const kept_shares& kept = {}) {
  const auto threads = static_cast<std::size_t>(std::max(1.0, have.all_threads()));
  const double io = have.io_stated > 0 ? have.io_stated : static_cast<double>(buffering::default_io_threads(threads));
  const auto ahead = files_ahead_in(
      d, r,
      {.threads = static_cast<double>(threads), .io_threads = io, .prefetch = prefetch, .read_burst = have.read_burst});
  return {.misses = share_missed(d, kept),
          .ahead = ahead ? ahead->of_preparation : 0,
          .size_variation = size_variation(t.files)};
}

/// Chooses shares instead of whole caches if that is better by more than 2 %: a simpler form is preferred to an equal
/// one.
inline void consider_shares(planning& made, const trace& t, resources have, const goal& want) {
  auto sites = cache_sites(t, made.rates, made.sizes, infinite);
  for (auto& c : sites)
    if (std::find(want.share_sites.begin(), want.share_sites.end(), c.after) == want.share_sites.end() || c.serial)
      c.verdict = cache_verdict::not_compiled;
  const bool disk = have.for_caches.bytes > 0;
  auto needs = demand_of(t, made.rates, sites, {}, disk ? want.disk_sites : std::vector<std::uint32_t>{});
  have.memory *= cache_share_of_memory;
  const auto reading = reading_in(needs, t, made.rates, have, want.prefetch);
  auto shares = allocate_with_bursts(needs, have, want, reading);
  shares.proven = made.share.proven = made.share.proven && shares.proven;
  const auto& whole = made.share;
  const auto better = [&] {
    return want.rate > 0 ? shares.cost < 0.98 * whole.cost
                         : shares.rate > 1.02 * rate_with_bursts(made.demand, have, whole.kept, reading);
  };
  const bool reached = want.rate == 0 || rate_with_bursts(needs, have, shares.kept, reading) >= 0.99 * want.rate;
  if (!shares.feasible || !(in_part(shares) || keeps_on_disk(needs, shares))) return;
  if (!reached || (whole.feasible && !better())) return;
  std::map<std::uint32_t, std::string> reasons;
  for (std::size_t c = 0; c != shares.kept.size(); ++c) {
    const auto& kept = needs.sites[c];
    if (!(shares.kept[c] > no_share)) continue;
    auto& reason = reasons[kept.after];
    reason += (reason.empty() ? "" : ", ") + percent_text(shares.kept[c]) + " of " +
              (kept.on_disk() ? bytes_text(kept.disk_bytes) + " on disk" : bytes_text(kept.bytes));
  }
  for (auto& [after, reason] : reasons) {
    made.sites[after - 1].verdict = cache_verdict::fits;
    made.sites[after - 1].reason = std::move(reason);
  }
  made.demand = std::move(needs);
  made.share = std::move(shares);
  made.reading = reading;
  made.reading.misses = share_missed(made.demand, made.share.kept);
  if (want.rate > 0) return;
  made.gain_per_byte = made.share.rate_per_byte * inverse(made.share.rate);
  made.gain_per_byte_on_disk = made.share.rate_per_byte_on_disk * inverse(made.share.rate);
}

}  // namespace plumbline::detail
