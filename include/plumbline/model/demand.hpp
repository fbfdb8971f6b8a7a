#pragma once
/// demand: what the planner's program needs to know of a traced pipeline. For a minibatch, what each part asks of
/// cores and I/O threads, and how much of it which cache would save.

#include <plumbline/model/caches.hpp>

namespace plumbline {

/// What giving an element again from a cache costs: a copy.
struct replay_cost {
  double seconds_each = 1e-7, seconds_per_byte = 1e-10;
};

/// A cache that could stand: its element count x size fits.
struct cache_candidate {
  std::uint32_t after = 0;    ///< the operator's number
  double bytes = 0;           ///< to be sure: twice the standard error included
  double replay_seconds = 0;  ///< CPU time for a minibatch
  bool serial = true;         ///< of one thread
};

struct part_demand {
  std::string name;                      ///< of its operators, for messages
  std::vector<std::uint32_t> operators;  ///< their numbers
  bool serial = false, blocks = false;
  double cores_most = 0;       ///< that it can use; infinite if parallel
  double message_bytes = 0;    ///< of one message on its way out
  std::vector<double> cpu{};   ///< seconds for a minibatch, by group
  std::vector<double> wall{};  ///< the same, blocked time included
};

struct demand {
  std::vector<part_demand> parts;
  std::vector<cache_candidate> candidates;
  /// Operators fall into groups by the candidates that would save them: those at or above them, as indices into
  /// `candidates`. The first group is saved by none.
  std::vector<std::vector<std::size_t>> groups;
  std::vector<double> bytes_read;                               ///< for a minibatch, by group
  double reads_most = std::numeric_limits<double>::infinity();  ///< at a time: what reads in order has one reader
  double root_bytes = 0;                                        ///< of a minibatch
  double busy_cores = 0;                                        ///< in the traced run
  double consumer_seconds = 0;  ///< of the consumer's calls for a minibatch, on one thread that is its own
};

/// O(operators x (parts + candidates)). `places`: as cache_places says; only those that fit become candidates, and of
/// two on the same way, one of which is no larger and saves no less, only that one.
inline demand demand_of(const trace& t, const pipeline_rates& r, const std::vector<cache_place>& places,
                        const replay_cost& replay = {}) {
  demand d;
  const auto by = detail::takers(t.operators);
  const auto n = t.operators.size();
  std::vector<cache_candidate> could(n);
  std::vector<std::size_t> candidate(n, n);
  std::vector<double> handing(n,
                              0);  // by the last operator of a part: what comes of a cache there is handed on as well
  for (const auto& p : r.parts)
    handing[*std::max_element(p.operators.begin(), p.operators.end()) - 1] += p.overhead_seconds;
  for (std::size_t i = 0; i != n; ++i) {
    const auto& c = places[i];
    const auto& o = r.operators[i];
    const double each = o.visits > 0 ? o.bytes / o.visits : 0;
    could[i] = {c.after, detail::surely(c.bytes, c.error),
                o.visits * (replay.seconds_each + each * replay.seconds_per_byte) + handing[i], c.serial};
  }
  const auto fits = [&](std::size_t i) { return places[i].verdict == cache_verdict::fits; };
  // Is a cache after i never better than one after j, which stands on the same way?
  const auto in_vain = [&](std::size_t i, std::size_t j) {
    const auto &a = could[i], &b = could[j];
    return b.bytes <= a.bytes && places[j].saved_bytes_read >= places[i].saved_bytes_read &&
           places[j].saved_cpu_seconds - b.replay_seconds >= places[i].saved_cpu_seconds - a.replay_seconds &&
           (!b.serial || (a.serial && b.replay_seconds <= a.replay_seconds));
  };
  std::vector<bool> useless(n);
  for (std::size_t i = 0; i != n; ++i)
    for (auto j = by[i]; j != n; j = by[j]) {
      if (!fits(i) || !fits(j)) continue;
      if (in_vain(i, j))
        useless[i] = true;
      else if (in_vain(j, i))
        useless[j] = true;
    }
  for (std::size_t i = 0; i != n; ++i) {
    if (!fits(i) || useless[i]) continue;
    candidate[i] = d.candidates.size();
    d.candidates.push_back(could[i]);
  }
  std::vector<std::size_t> group(n, 0);
  std::vector<std::vector<std::size_t>> above(n);
  d.groups.emplace_back();
  for (auto i = n; i-- != 0;) {
    if (by[i] != n) above[i] = above[by[i]];
    if (candidate[i] != n) above[i].push_back(candidate[i]);
    const auto known = std::find(d.groups.begin(), d.groups.end(), above[i]);
    group[i] = static_cast<std::size_t>(known - d.groups.begin());
    if (known == d.groups.end()) d.groups.push_back(above[i]);
  }
  d.bytes_read.assign(d.groups.size(), 0);
  for (std::size_t i = 0; i != n; ++i)
    if (r.operators[i].steady) d.bytes_read[group[i]] += r.operators[i].bytes_read;
  double in_order = 0;
  for (const auto& p : r.parts) {
    const bool reads = std::any_of(p.operators.begin(), p.operators.end(),
                                   [&](std::uint32_t o) { return r.operators[o - 1].bytes_read > 0; });
    if (p.blocks && reads) in_order += p.serial ? static_cast<double>(p.copies) : detail::infinite;
    part_demand made{.name = {}, .operators = p.operators, .serial = p.serial, .blocks = p.blocks};
    made.cores_most = p.serial ? static_cast<double>(p.copies) : std::numeric_limits<double>::infinity();
    made.cpu.assign(d.groups.size(), 0);
    made.wall.assign(d.groups.size(), 0);
    // the executor's own time is there as long as any of the part is: it goes with the operator nearest the root
    auto last = p.operators.front();
    for (std::size_t k = 0; k != p.operators.size(); ++k) {
      const auto number = p.operators[k];
      last = std::max(last, number);
      made.name += (k == 0 ? "" : " | ") + t.operators[number - 1].name;
      made.cpu[group[number - 1]] += p.shares[k] * p.cpu_seconds;
      made.wall[group[number - 1]] += p.shares[k] * p.wall_seconds;
    }
    made.cpu[group[last - 1]] += p.overhead_seconds;
    if (p.cpu_seconds > 0) made.wall[group[last - 1]] += p.overhead_seconds / p.cpu_seconds * p.wall_seconds;
    if (p.cpu_seconds <= 0) made.wall[group[last - 1]] = p.wall_seconds;
    if (p.messages > 0) made.message_bytes = r.operators[last - 1].bytes / p.messages;
    d.parts.push_back(std::move(made));
  }
  if (in_order > 0) d.reads_most = in_order;
  d.root_bytes = r.operators.back().bytes;
  d.busy_cores = r.cores;
  d.consumer_seconds = r.consumer_seconds;
  return d;
}

/// Which groups still cost something with these candidates in place.
inline std::vector<bool> alive_with(const demand& d, const std::vector<bool>& cached) {
  std::vector<bool> alive;
  for (const auto& g : d.groups)
    alive.push_back(std::none_of(g.begin(), g.end(), [&](std::size_t c) { return cached[c]; }));
  return alive;
}

}  // namespace plumbline
