#pragma once
/// Definitions of model/price_list.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/model/price_list.hpp>
#include <plumbline/model/read_ahead.hpp>
#include <plumbline/model/stalls_inl.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline {

namespace detail {

inline double cost_of(const offer& o, const prices& each) {
  return o.cores * each.core + 1e-9 * o.memory * each.gigabyte +
         1e-9 * o.storage_bytes_per_second * each.gigabyte_per_second;
}

/// The bytes a second from storage with which bursts of misses take at most 1 % of the time (as for least_memory),
/// where preparation is as fast as the step; infinite if none are enough. `least`: those that would be if misses were
/// evenly spread. `files`: how those are fetched that are in memory, and the share of the others.
inline double bandwidth_with_bursts(const stall_analysis& of, fetching files, double rate, double least) {
  files.ahead = of.files_ahead;
  files.size_variation = of.size_variation;
  const auto stalls = [&](double times) {
    files.from_storage = times * least * inverse(of.bytes_read);
    return rate_with_read_ahead(files, rate) < 0.99 * rate;
  };
  if (!(least > 0) || !std::isfinite(least) || !stalls(1)) return least;
  double low = 1, high = 2;
  for (; stalls(high); high *= 2) {
    if (high > 100) return infinite;
    low = high;
  }
  for (int i = 0; i != 12; ++i) (stalls((low + high) / 2) ? low : high) = (low + high) / 2;
  return high * least;
}

/// Machines that the planner's program finds for a target rate. An offer without text: none, or nothing is kept.
class cheapest_machines {
 public:
  cheapest_machines(const stall_analysis& of, const prices& each, double rate)
      : of_(of),
        needs_(needs_from_storage(of)),
        step_cores_(rate * of.step_cpu_seconds),
        want_{.rate = rate, .price = each} {
    if (of.io_threads > 0) have_.io_threads = of.io_threads;
    if (of.bytes_read > 0) have_.disk = disk_curve::flat(1e15);
  }
  /// Each cache keeps all elements of its place.
  offer with_whole_caches() const { return offer_of(allocate(needs_, have_, want_)); }
  /// Caches keep any part. Cores are whole: memory and bandwidth cost less the more cores there are, and each further
  /// core saves less than the one before it, so the cheapest number is next to the cheapest fraction.
  offer with_shares() const {
    auto want = want_;
    for (const auto& site : needs_.sites) want.share_sites.push_back(site.after);
    const auto best = allocate(needs_, have_, want);
    auto cheapest = offer_of(best);
    if (!best.feasible) return cheapest;
    want.price.core = 0;
    for (const double cores : {std::floor(cores_of(best)), std::ceil(cores_of(best))}) {
      auto have = have_;
      have.cores = cores - step_cores_;
      if (!(have.cores > 0)) continue;
      const auto other = offer_of(allocate(needs_, have, want));
      if (!other.what.empty() &&
          (cheapest.what.empty() || cost_of(other, want_.price) < cost_of(cheapest, want_.price)))
        cheapest = other;
    }
    return cheapest;
  }

 private:
  double cores_of(const allocation& a) const {
    return std::accumulate(a.cores.begin(), a.cores.end(),
                           a.replay_cores + want_.rate * needs_.consumer_seconds + step_cores_);
  }
  offer offer_of(const allocation& a) const {
    offer o;
    if (!a.feasible) return o;
    for (auto c = a.kept.size(); c-- != 0;) {  // downstream first
      if (!(a.kept[c] > 1e-6)) continue;
      const auto& site = needs_.sites[c];
      o.what += (o.what.empty() ? "" : ", ") +
                (a.kept[c] < 1 - 1e-6 ? percent_text(a.kept[c]) + " of the elements of " : "elements of ") + site.name +
                " (operator " + std::to_string(site.after) + ")";
      o.memory += a.kept[c] * site.bytes;
    }
    o.cores = std::max(1.0, std::ceil(cores_of(a) - 1e-9));
    const fetching files{.from_memory = infinite,
                         .misses = std::min(1.0, a.bytes_per_second * inverse(want_.rate * of_.bytes_read))};
    o.storage_bytes_per_second = bandwidth_with_bursts(of_, files, want_.rate, a.bytes_per_second);
    if (!std::isfinite(o.storage_bytes_per_second)) o.what.clear();
    return o;
  }

  const stall_analysis& of_;
  demand needs_;
  resources have_{.cores = 1e6};
  double step_cores_;
  goal want_;
};

/// The analysis of a step that is no faster than the rate, so that nothing may wait. Such a step, if it computes, I/O
/// threads and the consumer need cores of what is offered, too.
inline stall_analysis all_on_offered(const stall_analysis& of, double rate) {
  auto training = of;
  training.step = rate;
  training.prep = prep_on(of, of.cores, 0, 0);
  for (auto& p : training.cached)
    if (of.prep > 0 && std::isfinite(of.prep)) p.prep *= training.prep / of.prep;
  training.all_cores = 0;
  return training;
}

}  // namespace detail

PLUMBLINE_INLINE std::string why_no_offer(const stall_analysis& of, double rate) {
  if (!price_list(of, {}, rate).empty()) return "";
  if (rate == 0) rate = of.step;
  if (!std::isfinite(of.step) && rate == of.step)
    return "the step takes no time, so that nothing keeps up with it; state a rate";
  if (!(rate > 0 && std::isfinite(rate)))
    return "a rate of " + detail::exact_number(rate) + " cannot be; give batches a second, above 0";
  if (rate > of.step)
    return "the step reaches " + number_text(of.step) + " batches a second, less than " + number_text(rate) +
           "; only a faster step would do";
  if (!(of.prep > 0)) return "the rate of preparation is not known";
  constexpr double many = 1e6;
  const auto training = detail::all_on_offered(of, rate);
  const double most = detail::stall_rates_of(training, {.cores = many}, training).prep;
  const auto by = detail::first_limit(of.needs, detail::resources_on(of, many, 0)).text;
  return "preparation cannot keep up with the step on any number of cores: at most " + number_text(most) +
         " batches a second of " + number_text(rate) + (by.empty() ? "" : ", limited by " + by);
}
PLUMBLINE_INLINE std::vector<offer> price_list(const stall_analysis& of, const prices& each, double rate) {
  using detail::inverse;
  const auto need = [](const char* member, double price) {
    if (!(price >= 0 && std::isfinite(price)))
      throw std::invalid_argument(std::string("plumbline: price_list: prices.") + member + " is " +
                                  detail::exact_number(price) + "; give a finite price, 0 or more");
  };
  need("core", each.core), need("gigabyte", each.gigabyte), need("gigabyte_per_second", each.gigabyte_per_second);
  if (rate == 0) rate = of.step;
  if (!(rate > 0 && std::isfinite(rate)) || rate > of.step) return {};
  std::vector<offer> all;
  const auto add = [&](offer o) {
    o.cost = detail::cost_of(o, each);
    all.push_back(std::move(o));
  };
  const auto training = detail::all_on_offered(of, rate);
  const bool reads = of.bytes_read > 0;
  // none are kept of an endless stream, whose size is not known
  const double kept = reads && std::isfinite(of.memory_bytes) ? of.memory_bytes : 0;
  for (int tenths = 0; tenths <= (kept > 0 ? 10 : 0); ++tenths) {
    const double x = tenths / 10.0, cores = least_cores(training, {.memory = x * kept});
    if (!std::isfinite(cores)) continue;
    const double from_memory = rate * x * inverse(of.memory_fetch);  // share of the time
    if (!(from_memory < 1)) break;
    const auto what = tenths == 0    ? "nothing"
                      : tenths == 10 ? "all files"
                                     : std::to_string(10 * tenths) + " % of the files";
    const detail::fetching files{.from_memory = of.memory_fetch, .misses = 1 - x, .in_turn = of.fetches_in_turn()};
    const double bandwidth = detail::bandwidth_with_bursts(
        of, files, rate, rate * of.bytes_read * (1 - x) / (files.in_turn ? 1 - from_memory : 1));
    if (std::isfinite(bandwidth)) add({what, cores, x * kept, bandwidth});
  }
  if (!of.needs.parts.empty()) {
    const detail::cheapest_machines cheapest(of, each, rate);
    for (auto& o : {cheapest.with_whole_caches(), cheapest.with_shares()})
      if (!o.what.empty() && std::none_of(all.begin(), all.end(), [&](const offer& x) { return x.what == o.what; }))
        add(o);
  }
  std::stable_sort(all.begin(), all.end(), [](const offer& a, const offer& b) { return a.cost < b.cost; });
  return all;
}

}  // namespace plumbline
