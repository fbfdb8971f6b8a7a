#pragma once
/// rate_above: upper bounds of the rate of any allocation, for the planner's program (model/program.hpp).

#include <plumbline/model/limits.hpp>

namespace plumbline::detail {

/// Upper bound of the rate, in minibatches per second, for any choice of caches.
inline double rate_above(const demand& d, const resources& have) {
  double all = d.consumer_seconds, with_saved = all, least = inverse(all);
  for (const auto& p : d.parts) {
    all += p.cpu.front();
    for (const double each : p.cpu) with_saved += each;
    least = std::min(least, p.cores_most * inverse(p.cpu.front()));
  }
  least = std::min(least, have.all() * inverse(all));
  double replay = 0;  // if every operator may be saved, elements are replayed from a cache, or all are made
  for (const auto& c : d.sites) {
    const double each = c.replay_seconds / (c.serial ? 1 : have.cores);
    replay = replay == 0 ? each : std::min(replay, each);
  }
  if (all <= d.consumer_seconds)
    least = std::min(least, std::max(replay > 0 ? inverse(replay) : 0, have.all() * inverse(with_saved)));
  if (!std::isfinite(least)) complain_of_trace("nothing in it took time; trace for longer");
  return least;
}

/// The same if caches may keep shares: then what is made and what each cache replays add up.
inline double rate_above_shares(const demand& d, const resources& have) {
  double all = rate_above(d, have);
  for (const auto& c : d.sites) all += (c.serial ? 1 : have.cores) / std::max(c.replay_seconds, 1e-9);
  return std::min(all, inverse(d.consumer_seconds));
}

}  // namespace plumbline::detail
