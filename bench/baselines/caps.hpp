#pragma once
/// Ways to set parallelism that others have, for comparison with the program's: how many elements of each part may be
/// at work at once, part by part as in demand::parts. Serial parts keep their one.
///
/// Plumber, section 5: NAIVE and HEURISTIC; "local" (section 5.1, linear programming); sequential tuning by the
/// bottleneck against an uninformed random walk (figure 6). tf.data's AUTOTUNE is in autotune.hpp.

#include <plumbline/model/limits.hpp>

#include <random>

namespace baselines {

namespace pl = plumbline;
using part_caps = std::vector<double>;

/// One of each.
inline part_caps naive_caps(const pl::demand& d) {
  part_caps caps;
  for (const auto& p : d.parts) caps.push_back(p.serial ? p.cores_most : 1);
  return caps;
}
/// All cores for each.
inline part_caps heuristic_caps(const pl::demand& d, const pl::resources& have) {
  auto caps = naive_caps(d);
  for (std::size_t i = 0; i != caps.size(); ++i)
    if (!d.parts[i].serial) caps[i] = std::max(1.0, d.parts[i].blocks ? have.io_threads : have.cores);
  return caps;
}

namespace detail {

/// The part whose own limit is the least, if it is one that can have more; d.parts.size() if it cannot.
inline std::size_t bottleneck_of(const pl::demand& d, const part_caps& caps, const std::vector<bool>& cached) {
  const auto alive = pl::alive_with(d, cached);
  std::size_t worst = d.parts.size();
  double least = pl::detail::infinite;
  for (std::size_t i = 0; i != d.parts.size(); ++i) {
    const auto& p = d.parts[i];
    double own = 0;
    for (std::size_t g = 0; g != alive.size(); ++g) own += alive[g] ? (p.blocks ? p.wall[g] : p.cpu[g]) : 0;
    const double rate = caps[i] * pl::detail::inverse(own);
    if (rate < least) {
      least = rate;
      worst = i;
    }
  }
  return worst == d.parts.size() || d.parts[worst].serial ? d.parts.size() : worst;
}

}  // namespace detail

/// One more for the bottleneck: the step of Plumber's sequential tuning. False: it is serial, or all cores are given
/// out. O(parts x groups).
inline bool bottleneck_step(part_caps& caps, const pl::demand& d, const pl::resources& have,
                            const std::vector<bool>& cached = {}) {
  const auto which = detail::bottleneck_of(d, caps, cached);
  if (which == d.parts.size() || caps[which] >= have.cores) return false;
  ++caps[which];
  return true;
}
/// One more for any part that is not serial.
template <class Random>
void random_step(part_caps& caps, const pl::demand& d, const pl::resources& have, Random& random) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i != caps.size(); ++i)
    if (!d.parts[i].serial && caps[i] < have.cores) open.push_back(i);
  if (!open.empty()) ++caps[open[std::uniform_int_distribution<std::size_t>(0, open.size() - 1)(random)]];
}
/// All cores that are left to the bottleneck of now: cannot see past it.
inline part_caps local_caps(part_caps caps, const pl::demand& d, const pl::resources& have,
                            const std::vector<bool>& cached = {}) {
  double given = 0;
  for (const auto c : caps) given += c;
  const auto which = detail::bottleneck_of(d, caps, cached);
  if (which != d.parts.size()) caps[which] += std::max(0.0, have.cores - given);
  return caps;
}

}  // namespace baselines
