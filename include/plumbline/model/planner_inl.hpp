#pragma once
/// Definitions of model/planner.hpp.

#include <plumbline/model/planner.hpp>

namespace plumbline {

namespace detail {

/// Elements to a message, if messages by the executor's own measure (about 100 us each) would be too few in an epoch
/// to give each thread four; else 0.
inline std::size_t chunk_for(const trace& t, const pipeline_rates& r, const std::vector<materialised>& size,
                             std::size_t threads) {
  double least = infinite;
  for (const auto& p : r.parts) {
    if (p.serial || p.blocks) continue;
    const auto first = *std::min_element(p.operators.begin(), p.operators.end()) - 1;
    const auto& o = r.operators[first];
    const double count = size[first].count, each = o.visits > 0 ? p.cpu_seconds / o.visits : 0;
    const double own = each > 0 ? 100e-6 / each : 2048, enough = count / (4 * static_cast<double>(threads));
    if (t.operators[first].facts.count.exact() && own > enough) least = std::min(least, std::max(1.0, enough));
  }
  return std::isinf(least) ? 0 : static_cast<std::size_t>(least);
}

inline void to_whole_numbers(planning& made, const trace& t, const resources& have, const goal& want) {
  auto& best = made.best;
  const auto& d = made.demand;
  const auto& a = made.share;
  const auto all = static_cast<std::size_t>(std::max(1.0, std::floor(have.cores)));
  double busy = a.replay_cores, blocking = 0;
  for (const auto c : a.cores) busy += c;
  // as many as there are, unless less is to be paid for
  best.threads = want.rate > 0 ? with_headroom(busy, all) : all;
  // spare cores are shared out in proportion, in case the disk or a serial part is faster than measured
  const double spare = want.rate > 0 || busy <= 0 ? 1 : std::max(1.0, static_cast<double>(best.threads) / busy);
  std::vector<double> caps;
  for (std::size_t i = 0; i != d.parts.size(); ++i) {
    const auto& p = d.parts[i];
    part_plan part{.operators = p.operators, .serial = p.serial, .blocks = p.blocks, .cores = a.cores[i]};
    if (p.serial)
      part.parallelism = static_cast<std::size_t>(p.cores_most);
    else if (!p.blocks)
      part.parallelism = with_headroom(a.cores[i] * spare, best.threads);
    blocking += p.blocks && !p.serial ? 1 : 0;
    best.parts.push_back(std::move(part));
  }
  // Where the disk is what limits, its reads never pause, and no more than the curve has a use for are of use; where it
  // is not, an average needs room. (A curve that ends before one read does not ask how many there are.)
  const double use = have.disk.known() && have.disk.corners.back().reads >= 1
                         ? std::ceil(have.disk.corners.back().reads - 1e-9)
                         : have.io_threads;
  const auto reads_most = static_cast<std::size_t>(std::max(1.0, std::min(have.io_threads, use)));
  for (auto& part : best.parts) {  // reads at a time are the disk's business: the parts that read share them
    if (part.blocks && !part.serial) part.parallelism = with_headroom(a.reads / blocking, reads_most);
    if (part.blocks) best.io_threads += part.parallelism;
    caps.push_back(static_cast<double>(part.parallelism));
  }
  for (std::size_t c = 0; c != a.cached.size(); ++c)
    if (a.cached[c]) best.caches.push_back(d.candidates[c].after);
  best.chunk = chunk_for(t, made.rates, made.sizes, best.threads);
  best.prefetch = prefetch_for(a.rate > 0 ? busy / a.rate : 0, a.rate, d.busy_cores);
  best.memory = a.memory - want.prefetch * d.root_bytes;
  while (best.prefetch > 1 && best.memory + static_cast<double>(best.prefetch) * d.root_bytes > have.memory)
    --best.prefetch;
  best.memory += static_cast<double>(best.prefetch) * d.root_bytes;
  auto as_run = have;
  as_run.all_cores = have.all();
  as_run.cores = std::min(have.cores, static_cast<double>(best.threads));
  made.limits = limits(d, as_run, a.cached);
  if (have.disk.known() && best.io_threads > 0)
    as_run.io_threads = std::min(have.io_threads, static_cast<double>(best.io_threads));
  const auto as_planned = limits(d, as_run, a.cached, caps);
  best.rate = as_planned.empty() ? a.rate : as_planned.front().rate;
  if (!as_planned.empty()) best.bottleneck = as_planned.front().text;
}

}  // namespace detail

PLUMBLINE_INLINE planning make_plan(const trace& t, resources have, const goal& want, const stored_files& stored) {
  planning made;
  if (!have.disk.known()) have.disk = t.disk;
  made.rates = rates(t);
  made.sizes = sizes(t, stored);
  const double held = held_by_caches(t, made.sizes, have.memory);
  have.memory -= held;
  made.places = cache_places(t, made.rates, made.sizes, have.memory);
  for (auto& c : made.places)
    if (want.cache_after && c.verdict == cache_verdict::fits &&
        std::find(want.cache_after->begin(), want.cache_after->end(), c.after) == want.cache_after->end()) {
      c.verdict = cache_verdict::not_offered;
      c.reason += ", but not offered";
    }
  made.demand = demand_of(t, made.rates, made.places);
  made.share = allocate(made.demand, have, want);
  if (!made.share.feasible) {
    const auto most = want.rate > 0 ? allocate(made.demand, have, {.prefetch = want.prefetch}) : made.share;
    if (!most.feasible)
      throw std::invalid_argument("plumbline: plan: " + bytes_text(have.memory) +
                                  " of memory do not hold what is in flight; give more, or smaller batches");
    throw std::invalid_argument("plumbline: plan: a rate of " + std::to_string(want.rate) +
                                " minibatches per second is out of reach, at most " + std::to_string(most.rate) +
                                " are possible; limited by " + limits(made.demand, have, most.cached).front().text);
  }
  made.best.pipeline = signature_of(t.operators);
  made.best.disk = have.disk;
  detail::to_whole_numbers(made, t, have, want);
  made.best.memory += held;
  return made;
}

}  // namespace plumbline
