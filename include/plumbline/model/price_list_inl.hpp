#pragma once
/// Definitions of model/price_list.hpp.

#include <plumbline/model/price_list.hpp>
#include <plumbline/model/stalls_inl.hpp>

#include <algorithm>
#include <cmath>

namespace plumbline {

PLUMBLINE_INLINE std::vector<offer> price_list(const stall_analysis& of, const prices& each, double rate) {
  using detail::inverse;
  if (rate == 0) rate = of.step;
  if (!(rate > 0 && std::isfinite(rate)) || rate > of.step) return {};
  std::vector<offer> all;
  const auto add = [&](offer o) {
    o.cost = o.cores * each.core + 1e-9 * o.memory * each.gigabyte +
             1e-9 * o.storage_bytes_per_second * each.gigabyte_per_second;
    all.push_back(std::move(o));
  };
  // a step that is no faster than the rate: then nothing may wait
  auto training = of;
  training.step = rate;
  training.all_cores = 0;  // a step that computes needs cores of what is offered, too
  const bool reads = of.bytes_read > 0;
  // none are kept of an endless stream, whose size is not known
  const double kept = reads && std::isfinite(of.memory_bytes) ? of.memory_bytes : 0;
  for (int tenths = 0; tenths <= (kept > 0 ? 10 : 0); ++tenths) {
    const double x = tenths / 10.0, cores = least_cores(training, {.memory = x * kept});
    if (!std::isfinite(cores)) continue;
    const double from_storage = 1 - rate * x * inverse(of.memory_fetch);  // share of the time
    if (!(from_storage > 0)) break;
    const auto what = tenths == 0    ? "nothing"
                      : tenths == 10 ? "all files"
                                     : std::to_string(10 * tenths) + " % of the files";
    add({what, cores, x * kept, rate * of.bytes_read * (1 - x) / from_storage});
  }
  if (!of.needs.parts.empty()) {
    const auto needs = detail::scaled_needs(of);
    resources plenty{.cores = 1e6};
    if (reads) plenty.disk = disk_curve::flat(1e15);
    const auto chosen = allocate(needs, plenty, {.rate = rate, .price = each});
    std::string after;
    double memory = 0;
    for (std::size_t i = 0; i != chosen.kept.size(); ++i) {
      if (!(chosen.kept[i] > 0)) continue;
      const auto& site = needs.sites[i];
      after += (after.empty() ? "elements of " : ", ") + site.name + " (operator " + std::to_string(site.after) + ")";
      memory += site.bytes;
    }
    if (chosen.feasible && !after.empty()) {
      double used = chosen.replay_cores + rate * (of.step_cpu_seconds + needs.consumer_seconds);
      for (const double own : chosen.cores) used += own;
      add({after, std::max(1.0, std::ceil(used - 1e-9)), memory, chosen.bytes_per_second});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const offer& a, const offer& b) { return a.cost < b.cost; });
  return all;
}

}  // namespace plumbline
