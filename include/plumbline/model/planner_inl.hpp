#pragma once
/// Definitions of model/planner.hpp.

#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/planner.hpp>
#include <plumbline/model/planner_shares.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace plumbline {

namespace detail {

/// Returns the number of elements per message that gives each thread four messages in an epoch, if messages of the
/// executor's own choice (about 100 us each) would be fewer; else 0.
inline std::size_t chunk_for(const trace& t, const pipeline_rates& r, const std::vector<materialised>& size,
                             std::size_t threads) {
  double least = infinite;
  for (const auto& p : r.parts) {
    if (p.serial || p.blocks || p.waits) continue;
    std::size_t first = *std::min_element(p.operators.begin(), p.operators.end()) - 1;
    for (const auto o : p.operators)  // what a cache has skips those before it
      if (is_cache(t.operators[o - 1]) && r.operators[o - 1].visits > r.operators[first].visits) first = o - 1;
    const double visits = r.operators[first].visits;
    if (!(visits > 0)) continue;
    const double count = size[first].count, each = p.cpu_seconds / visits;
    const double own = each > 0 ? 100e-6 / each : 2048, enough = count / (4 * static_cast<double>(threads));
    if (t.operators[first].facts.count.exact() && own > enough) least = std::min(least, std::max(1.0, enough));
  }
  return std::isinf(least) ? 0 : static_cast<std::size_t>(least);
}

/// Bytes of the plan's caches, of its messages in flight, and of what operators hold.
inline double memory_in_run(const planning& made, const resources& have) {
  const auto& p = made.best;
  double all = in_flight(made.demand, static_cast<double>(p.threads),
                         std::max(static_cast<double>(io_threads_in_run(p)), have.io_stated),
                         static_cast<double>(p.prefetch), made.share.kept);
  for (std::size_t c = 0; c != made.share.kept.size(); ++c) all += made.share.kept[c] * made.demand.sites[c].bytes;
  return all;
}
/// Plans fewer messages in flight, first those that the rate does not need. Returns false if none can be saved.
inline bool reduce_in_flight(planning& made, const resources& have, const goal& want, double busy) {
  auto& p = made.best;
  const auto fewer_on_io = [&](double at_least) {
    if (!has_io_threads(p) || static_cast<double>(p.io_threads) <= have.io_stated) return false;
    part_plan* most = nullptr;  // of the parts there, that with most threads to spare
    double spare = 0;
    for (std::size_t i = 0; i != p.parts.size(); ++i) {
      auto& part = p.parts[i];
      if (!part.blocks || part.serial) continue;
      const double left =
          static_cast<double>(part.parallelism) - std::max(1.0, std::ceil(at_least * made.share.at_once[i] - 1e-9));
      if (left >= 1 && left > spare) most = &part, spare = left;
    }
    if (most == nullptr) return false;
    --most->parallelism;
    --p.io_threads;
    return true;
  };
  const auto fewer_threads = [&](double at_least) {
    if (static_cast<double>(p.threads) - 1 < std::max(1.0, std::ceil(at_least * busy - 1e-9))) return false;
    --p.threads;
    for (auto& part : p.parts)
      if (!part.blocks && !part.serial) part.parallelism = std::min(part.parallelism, p.threads);
    return true;
  };
  if (static_cast<double>(p.prefetch) > (want.prefetch > 2 ? want.prefetch : 1)) return --p.prefetch, true;
  return fewer_on_io(1) || fewer_threads(1) || fewer_on_io(0) || fewer_threads(0);
}

/// `n`, but no more than the user states for the part.
inline std::size_t at_most_stated(std::size_t n, const part_demand& p) {
  return p.cores_most < static_cast<double>(n) ? static_cast<std::size_t>(p.cores_most) : n;
}

inline void to_whole_numbers(planning& made, const trace& t, const resources& have, const goal& want) {
  auto& best = made.best;
  const auto& d = made.demand;
  const auto& a = made.share;
  const auto all = static_cast<std::size_t>(std::max(1.0, std::floor(have.all_threads())));
  double busy = a.replay_cores;
  for (const auto c : a.cores) busy += c;
  // all of them, unless the goal is the lowest cost
  best.threads = want.rate > 0 ? with_headroom(busy, all) : all;
  // spare cores are distributed in proportion, in case the disk or a serial part is faster than measured
  const double spare = want.rate > 0 || busy <= 0 ? 1 : std::max(1.0, static_cast<double>(best.threads) / busy);
  for (std::size_t i = 0; i != d.parts.size(); ++i) {
    const auto& p = d.parts[i];
    part_plan part{.operators = p.operators,
                   .serial = p.serial,
                   .blocks = p.blocks,
                   .waits = p.waits && !p.serial,
                   .cores = a.cores[i]};
    if (p.serial)
      part.parallelism = static_cast<std::size_t>(p.cores_most);
    else if (!p.blocks)
      part.parallelism = at_most_stated(with_headroom(a.cores[i] * spare, best.threads), p);
    best.parts.push_back(std::move(part));
  }
  // If the disk is the bottleneck, its reads never pause, and more of them than saturate the curve are of no use; if it
  // is not, the average needs headroom. (A curve that ends before one read does not depend on their number.)
  const bool saturates = have.disk.known() && have.disk.corners.back().reads >= 1;
  const double useful = saturates ? std::ceil(have.disk.corners.back().reads - 1e-9) : have.io_threads;
  const auto most = [&](double at_once) {
    return static_cast<std::size_t>(std::max(1.0, std::min(have.io_threads, at_once)));
  };
  for (std::size_t i = 0; i != d.parts.size(); ++i) {
    auto& part = best.parts[i];
    const bool fills = part.waits && a.at_once[i] <= 0;  // only until a cache is full, which should be soon
    if (part.blocks && !part.serial)
      // in a burst of misses the disk is the bottleneck
      part.parallelism =
          at_most_stated(fills ? most(have.io_threads)
                         : saturates && d.parts[i].reads && has_bursts(made.reading)
                             ? most(useful)
                             : with_headroom(a.at_once[i], most(d.parts[i].reads ? useful : have.io_threads)),
                         d.parts[i]);
    if (part.blocks) best.io_threads += part.parallelism;
  }
  put_caches(made);
  best.chunk = chunk_for(t, made.rates, made.sizes, best.threads);
  best.prefetch = prefetch_for(a.rate > 0 ? busy / a.rate : 0, a.rate, d.busy_cores);
  while ((best.memory = memory_in_run(made, have)) > have.memory && reduce_in_flight(made, have, want, busy)) continue;
  std::vector<double> caps;
  for (const auto& part : best.parts) caps.push_back(static_cast<double>(part.parallelism));
  auto as_run = have;
  as_run.all_cores = have.all();
  as_run.threads = static_cast<double>(best.threads);
  as_run.cores = std::min(have.cores, as_run.threads);
  made.limits = limits(d, as_run, a.kept);
  if (have.disk.known() && best.io_threads > 0)
    as_run.io_threads = std::min(have.io_threads, static_cast<double>(best.io_threads));
  made.as_planned = limits(d, as_run, a.kept, caps);
  best.rate = a.rate;
  if (!made.as_planned.empty()) set_rate(best, made.as_planned, made.reading);
}

/// Whether the caller has a form with a cache there.
inline bool is_compiled(const goal& want, const cache_site& c) {
  const auto& all = want.cache_sites;
  return !all || std::find(all->begin(), all->end(), c.after) != all->end();
}

/// Allocates cores, reads and caches, from `made.rates` and `made.sizes`: whole caches, or shares where these are
/// better.
inline void allocate_all(planning& made, const trace& t, const resources& have, const goal& want, lp::basis* last) {
  made.sites = cache_sites(t, made.rates, made.sizes, have.memory);
  for (auto& c : made.sites)
    if (c.verdict == cache_verdict::fits && !is_compiled(want, c)) {
      c.verdict = cache_verdict::not_compiled;
      c.reason =
          (want.cache_sites->empty() ? "possible, but caches are off; "
                                     : "possible, but not tried: optimize<N>(p) tries the N places nearest the end; ") +
          c.reason;
    }
  made.demand = demand_of(t, made.rates, made.sites);
  auto whole = want;
  whole.share_sites.clear();
  made.share = allocate(made.demand, have, whole, last);
  made.reading = detail::reading_in(made.demand, t, made.rates, have, want.prefetch, made.share.kept);
  if (!want.share_sites.empty() && (std::isfinite(have.memory) || have.for_caches.bytes > 0))
    detail::consider_shares(made, t, have, want);
}

/// Sets what 1e9 bytes more for caches add to the rate, in memory and on disk: by solving again with each.
inline void find_gains(planning& made, const trace& t, const resources& have, const goal& want) {
  const auto rate_of = [](const planning& with, const resources& room) {
    return std::min(with.share.rate, rate_with_bursts(with.demand, room, with.share.kept, with.reading));
  };
  const auto gain_with = [&](const resources& room) {
    planning more;
    more.rates = made.rates;
    more.sizes = made.sizes;
    allocate_all(more, t, room, want, nullptr);
    return std::max(0.0, rate_of(more, room) / rate_of(made, have) - 1);
  };
  const bool caches = std::any_of(made.sites.begin(), made.sites.end(), [&](const cache_site& c) {
    return (c.verdict == cache_verdict::fits || c.verdict == cache_verdict::too_big) && is_compiled(want, c);
  });
  auto memory = have, disk = have;
  memory.memory += 1e9 / cache_share_of_memory;
  disk.for_caches.bytes += 1e9;
  if (caches && std::isfinite(have.memory)) made.gain_of_a_gigabyte = gain_with(memory);
  if (have.for_caches.bytes > 0 && !want.disk_sites.empty()) made.gain_of_a_gigabyte_on_disk = gain_with(disk);
}

/// The cheapest or the fastest plan; without a feasible allocation, none.
inline planning plan_once(const trace& t, resources have, const goal& want, const stored_files& stored,
                          lp::basis* last) {
  planning made;
  if (!have.disk.known()) have.disk = t.disk;
  made.rates = rates(t);
  made.sizes = sizes(t, stored);
  const double held = held_by_caches(t, made.sizes, have.memory);
  have.memory -= held;
  allocate_all(made, t, have, want, last);
  if (!made.share.feasible) return made;
  if (want.gains && want.rate == 0) find_gains(made, t, have, want);
  made.best.pipeline = signature_of(t.operators);
  made.best.disk = have.disk;
  made.for_caches = have.for_caches;
  to_whole_numbers(made, t, have, want);
  made.best.memory += held;
  return made;
}
}  // namespace detail

PLUMBLINE_INLINE planning make_plan(const trace& t, resources have, const goal& want, const stored_files& stored,
                                    lp::basis* last) {
  auto made = detail::plan_once(t, have, want, stored, last);
  const auto reached = [&] { return made.share.feasible && made.best.rate >= 0.99 * want.rate; };
  if (reached()) return made;
  // The cheapest plan may miss the rate: by bursts of misses, which fewer cores catch up with more slowly, or for lack
  // of memory. Then one for a higher rate may reach it, or the fastest.
  if (want.rate > 0)
    for (const double times : {1.03, 1.07, 1.15, 1.3, 1.6, 0.0}) {
      auto more = want;
      more.rate *= times;
      made = detail::plan_once(t, have, more, stored, nullptr);
      if (reached()) return made;
    }
  if (!made.share.feasible) {
    const double held = held_by_caches(t, made.sizes, have.memory), buffered = made.demand.held;
    throw std::invalid_argument(
        "plumbline: plan: " + bytes_text(have.memory - held) + " of memory do not hold what is in flight" +
        (buffered > 0 ? " and the " + bytes_text(buffered) + " that operators hold" : "") + ", " +
        bytes_text(in_flight_terms(made.demand, want.prefetch).least()) +
        " with one thread; give more memory, or smaller batches" + (buffered > 0 ? " or buffers" : ""));
  }
  throw std::invalid_argument("plumbline: plan: a rate of " + detail::exact_number(want.rate) +
                              " minibatches per second is out of reach, at most " + number_text(made.best.rate) +
                              " are possible; limited by " + made.best.bottleneck);
}

}  // namespace plumbline
