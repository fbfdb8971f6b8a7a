#pragma once
/// Definitions of model/place_caches.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/bursts.hpp>
#include <plumbline/model/place_caches.hpp>
#include <plumbline/model/stalls_inl.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace plumbline {

PLUMBLINE_INLINE cache_placement place_caches(const stall_analysis& of, double memory) {
  if (!(memory >= 0))
    throw std::invalid_argument("plumbline: place_caches: memory is " + detail::exact_number(memory) +
                                "; give bytes, 0 or more");
  auto needs = detail::needs_from_storage(of);
  auto have = detail::resources_of(of);
  if (of.bytes_read > 0 && std::isfinite(of.storage_fetch))
    have.disk = disk_curve::flat(of.storage_fetch * of.bytes_read);
  // what is in flight is not taken from the caches' memory
  needs.segments.clear();
  std::vector<std::uint32_t> sites;
  for (const auto& site : needs.sites) sites.push_back(site.after);
  const auto with = [&](double bytes) {
    have.memory = bytes;
    return detail::allocate_with_bursts(needs, have, {.share_sites = sites},
                                        {.ahead = of.files_ahead, .size_variation = of.size_variation});
  };
  const auto best = with(memory);
  cache_placement out;
  out.rate = best.rate;
  out.with_a_gigabyte_more = std::max(best.rate, with(memory + 1e9).rate);
  out.gain_per_byte = best.rate_per_byte * detail::inverse(best.rate);
  const auto parts = parts_of(needs, best.kept);
  for (auto c = parts.size(); c-- != 0;) {
    if (!(parts[c].size() > detail::no_share)) continue;
    const auto& site = needs.sites[c];
    out.caches.push_back({site.after, site.name, parts[c], parts[c].size() * site.bytes});
    out.memory += out.caches.back().bytes;
  }
  return out;
}

}  // namespace plumbline
