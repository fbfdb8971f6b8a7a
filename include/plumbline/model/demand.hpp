#pragma once
/// demand: what the planner's program needs to know about a traced pipeline: how much of cores and I/O threads each
/// part needs per minibatch, and how much of that each cache would save.

#include <plumbline/core/share.hpp>
#include <plumbline/model/caches.hpp>
#include <plumbline/model/held.hpp>
#include <plumbline/model/segments.hpp>

namespace plumbline {

/// Cost of replaying an element from a cache: a copy.
struct replay_cost {
  double seconds_each = 1e-7, seconds_per_byte = 1e-10;
};

/// Cost of an element of a cache on disk: in CPU time to read and decode it, in bytes of memory to know where it is,
/// and in bytes on disk beside its own. (`bench_shares --only replay`: 0.6 us and 0.15 ns a byte where the page cache
/// has it; reading from a device costs more.)
struct disk_replay_cost {
  double seconds_each = 2e-6, seconds_per_byte = 3e-10;
  double memory_each = 80, disk_each = 32;
};

/// A possible cache: its element count x size fits. Where elements may be kept on disk as well, that is one more.
struct site_demand {
  std::uint32_t after = 0;    ///< the operator's number
  double bytes = 0;           ///< of memory; upper estimate: with twice the standard error
  double replay_seconds = 0;  ///< CPU time per minibatch
  bool serial = true;         ///< replayed by one thread
  std::string name{};         ///< of the operator, for messages
  double disk_bytes = 0;      ///< of disk; 0: elements are kept in memory
  double disk_read = 0;       ///< bytes read from there per minibatch
  double message_bytes = 0;   ///< of the operator's elements in one message
  bool on_disk() const { return disk_bytes > 0; }
};

struct part_demand {
  std::string name;                      ///< names of its operators, for messages
  std::vector<std::uint32_t> operators;  ///< their numbers
  bool serial = false;
  bool blocks = false;         ///< it runs on I/O threads, or should: it waits
  bool waits = false;          ///< it waits for something else than storage
  bool reads = false;          ///< it blocks on storage
  double cores_most = 0;       ///< cores that it can use: part_rates::at_once
  double message_bytes = 0;    ///< size of one output message
  std::vector<double> cpu{};   ///< seconds per minibatch, by group
  std::vector<double> wall{};  ///< the same, blocked time included
};

struct demand {
  std::vector<part_demand> parts;
  std::vector<segment_demand> segments;
  std::vector<site_demand> sites;
  /// Operators are grouped by the sites that would save them: those at or downstream of them, as indices into
  /// `sites`. The first group is saved by none.
  std::vector<std::vector<std::size_t>> groups;
  std::vector<double> bytes_read;      ///< per minibatch, by group
  std::vector<double> bytes_needed{};  ///< the same, without the caches in the pipeline as written
  double reads_most = std::numeric_limits<double>::infinity();  ///< concurrent reads: the sum of part_rates::at_once
  double root_bytes = 0;                                        ///< size of a minibatch
  double held = 0;                                              ///< bytes that operators keep within themselves
  double busy_cores = 0;                                        ///< in the traced run
  double consumer_seconds = 0;  ///< of the consumer's calls per minibatch, on a thread of its own
};

namespace detail {
inline bool reads_storage(const pipeline_rates& r, const part_rates& p) {
  return p.blocks && std::any_of(p.operators.begin(), p.operators.end(),
                                 [&](std::uint32_t o) { return r.operators[o - 1].bytes_read > 0; });
}
/// See demand::reads_most.
inline double reads_at_once(const pipeline_rates& r) {
  double all = 0;
  for (const auto& p : r.parts)
    if (reads_storage(r, p)) all += p.at_once;
  return all > 0 ? all : infinite;
}
/// The share of an operator's elements that the caches in the pipeline as written missed: those that it made of those
/// that the last such cache after it needed. 1 where that is not known, as after an operator with no count rule, and
/// for a cache that had hardly begun to fill.
inline double missed_by_caches(const trace& t, const pipeline_rates& r, const std::vector<std::size_t>& by,
                               std::size_t i) {
  double missed = 1, takes = 1;
  for (auto j = by[i]; j != by.size(); j = by[j]) {
    if (takes_each_once(t.operators[j].how)) takes *= t.operators[j].takes;
    const double needed = takes * r.operators[j].visits;
    if (is_cache(t.operators[j]) && needed > 0) missed = r.operators[i].visits / needed;
  }
  return missed > 0 && missed < 0.99 ? missed : 1;
}
}  // namespace detail

/// O(operators x (parts + sites)). `sites`: the result of cache_sites. Only those that fit are in demand::sites; of two
/// on the same path, if one is no larger and saves no less, the other is left out. `disk_sites`: the operators after
/// which elements may also be kept on disk, if they are made by index; these sites come last.
inline demand demand_of(const trace& t, const pipeline_rates& r, const std::vector<cache_site>& sites,
                        const replay_cost& replay = {}, const std::vector<std::uint32_t>& disk_sites = {},
                        const disk_replay_cost& from_disk = {}) {
  demand d;
  const auto by = detail::downstream_of(t.operators);
  const auto n = t.operators.size();
  std::vector<site_demand> could(n), on_disk(n);
  std::vector<std::vector<std::size_t>> sites_at(n);
  // by the last operator of a part: replay from a cache there costs the passing of messages as well
  std::vector<double> handing(n, 0), messages(n, 0);
  for (const auto& p : r.parts) {
    handing[*std::max_element(p.operators.begin(), p.operators.end()) - 1] += p.overhead_seconds;
    for (const auto number : p.operators) messages[number - 1] = std::max(messages[number - 1], p.messages);
  }
  for (std::size_t i = 0; i != n; ++i) {
    const auto& c = sites[i];
    const auto& o = r.operators[i];
    const double each = o.visits > 0 ? o.bytes / o.visits : 0;
    could[i] = {c.after, detail::surely(c.bytes, c.error),
                o.visits * (replay.seconds_each + each * replay.seconds_per_byte) + handing[i], c.serial,
                t.operators[i].name};
    if (messages[i] > 0) could[i].message_bytes = o.bytes / messages[i];
    if (c.serial || !(each > 0) || std::find(disk_sites.begin(), disk_sites.end(), c.after) == disk_sites.end())
      continue;
    const double count = could[i].bytes / each;
    on_disk[i] = could[i];
    on_disk[i].bytes = count * from_disk.memory_each;
    on_disk[i].disk_bytes = could[i].bytes + count * from_disk.disk_each;
    on_disk[i].disk_read = o.bytes;
    on_disk[i].replay_seconds += o.visits * (from_disk.seconds_each - replay.seconds_each +
                                             each * (from_disk.seconds_per_byte - replay.seconds_per_byte));
  }
  const auto fits = [&](std::size_t i) { return sites[i].verdict == cache_verdict::fits; };
  // true if a cache after i is never better than one after j on the same path
  const auto in_vain = [&](const std::vector<site_demand>& of, std::size_t i, std::size_t j) {
    const auto &a = of[i], &b = of[j];
    return b.bytes <= a.bytes && b.disk_bytes <= a.disk_bytes && b.disk_read <= a.disk_read &&
           sites[j].saved_bytes_read >= sites[i].saved_bytes_read &&
           sites[j].saved_cpu_seconds - b.replay_seconds >= sites[i].saved_cpu_seconds - a.replay_seconds &&
           (!b.serial || (a.serial && b.replay_seconds <= a.replay_seconds));
  };
  const auto add_sites = [&](const std::vector<site_demand>& of, auto&& possible) {
    std::vector<bool> useless(n);
    for (std::size_t i = 0; i != n; ++i)
      for (auto j = by[i]; j != n; j = by[j]) {
        if (!possible(i) || !possible(j)) continue;
        if (in_vain(of, i, j))
          useless[i] = true;
        else if (in_vain(of, j, i))
          useless[j] = true;
      }
    for (std::size_t i = 0; i != n; ++i) {
      if (!possible(i) || useless[i]) continue;
      sites_at[i].push_back(d.sites.size());
      d.sites.push_back(of[i]);
    }
  };
  add_sites(could, fits);
  add_sites(on_disk, [&](std::size_t i) { return on_disk[i].on_disk() && fits(i); });
  std::vector<std::size_t> group(n, 0);
  std::vector<std::vector<std::size_t>> above(n);
  d.groups.emplace_back();
  for (auto i = n; i-- != 0;) {
    if (by[i] != n) above[i] = above[by[i]];
    above[i].insert(above[i].end(), sites_at[i].begin(), sites_at[i].end());
    const auto known = std::find(d.groups.begin(), d.groups.end(), above[i]);
    group[i] = static_cast<std::size_t>(known - d.groups.begin());
    if (known == d.groups.end()) d.groups.push_back(above[i]);
  }
  d.bytes_read.assign(d.groups.size(), 0);
  d.bytes_needed = d.bytes_read;
  for (std::size_t i = 0; i != n; ++i) {
    if (!r.operators[i].steady) continue;
    d.bytes_read[group[i]] += r.operators[i].bytes_read;
    d.bytes_needed[group[i]] += r.operators[i].bytes_read / detail::missed_by_caches(t, r, by, i);
  }
  for (const auto& p : r.parts) {
    const bool reads = detail::reads_storage(r, p);
    part_demand made{.name = {},
                     .operators = p.operators,
                     .serial = p.serial,
                     .blocks = p.blocks || p.waits,
                     .waits = p.waits || (p.blocks && !reads),
                     .reads = reads};
    made.cores_most = p.at_once;
    made.cpu.assign(d.groups.size(), 0);
    made.wall.assign(d.groups.size(), 0);
    // the executor's own time remains as long as any operator of the part runs: charge it to the one nearest the root
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
  d.segments = segments_of(t, r);
  d.reads_most = detail::reads_at_once(r);
  d.root_bytes = r.operators.back().bytes;
  d.held = held_by_operators(t);
  d.busy_cores = r.cores;
  d.consumer_seconds = r.consumer_seconds;
  return d;
}

/// What each site keeps: a share of its elements, 0 to 1. The shares of sites on one path, of memory and of disk after
/// one operator as well, are of different elements, so they add up.
using kept_shares = std::vector<double>;

/// Seconds per minibatch that one element of the part occupies a thread, if these shares of the groups are computed.
/// The disk curve, where there is one, limits reads, whatever the trace saw.
inline double occupied_seconds(const part_demand& p, const std::vector<double>& alive, bool disk_known) {
  double cpu = 0, wall = 0;
  for (std::size_t g = 0; g != alive.size(); ++g) cpu += alive[g] * p.cpu[g], wall += alive[g] * p.wall[g];
  return p.blocks && !(p.reads && disk_known) ? std::max(cpu, wall) : cpu;
}

/// The share of each group's work that remains with these sites in place. `kept` may be empty: no site is.
inline std::vector<double> alive_with(const demand& d, const kept_shares& kept) {
  std::vector<double> alive;
  for (const auto& g : d.groups) {
    double here = 1;
    for (const auto c : g) here -= c < kept.size() ? kept[c] : 0;
    alive.push_back(std::max(here, 0.0));
  }
  return alive;
}

/// Divides the elements among the sites: shares on one path do not overlap, the first go to the site nearest the root.
inline std::vector<share> parts_of(const demand& d, const kept_shares& kept) {
  std::vector<share> parts(kept.size(), {0, 0});
  std::vector<std::size_t> order(kept.size());
  for (std::size_t c = 0; c != order.size(); ++c) order[c] = c;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return d.sites[a].after != d.sites[b].after ? d.sites[a].after > d.sites[b].after : a < b;
  });
  for (const auto c : order) {
    double from = 0;
    for (const auto& g : d.groups)
      if (std::find(g.begin(), g.end(), c) != g.end())
        for (const auto other : g) from = std::max(from, parts[other].to);
    if (kept[c] > 0) parts[c] = {from, std::min(1.0, from + kept[c])};
  }
  return parts;
}

}  // namespace plumbline
