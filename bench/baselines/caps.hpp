#pragma once
/// Other ways to set parallelism, for comparison with the linear program: how many elements each part may process at
/// once, in the order of demand::parts. Serial parts keep one.
///
/// Plumber, section 5: NAIVE and HEURISTIC; "local" (section 5.1, linear programming); sequential tuning by the
/// bottleneck, and an uninformed random walk (figure 6). tf.data's AUTOTUNE is in autotune.hpp.

#include <plumbline/model/limits.hpp>

#include <random>

namespace baselines {

namespace pl = plumbline;
using part_caps = std::vector<double>;

/// One for each part.
inline part_caps naive_caps(const pl::demand& d) {
  part_caps caps;
  for (const auto& p : d.parts) caps.push_back(p.serial ? p.cores_most : 1);
  return caps;
}
/// All cores, or all I/O threads, for each part that is not serial.
inline part_caps heuristic_caps(const pl::demand& d, const pl::resources& have) {
  auto caps = naive_caps(d);
  for (std::size_t i = 0; i != caps.size(); ++i)
    if (!d.parts[i].serial) caps[i] = std::max(1.0, d.parts[i].blocks ? have.io_threads : have.cores);
  return caps;
}

namespace detail {

/// The part with the lowest rate of its own; d.parts.size() if that part is serial.
inline std::size_t bottleneck_of(const pl::demand& d, const part_caps& caps, const pl::kept_shares& kept) {
  const auto alive = pl::alive_with(d, kept);
  std::size_t worst = d.parts.size();
  double least = pl::detail::infinite;
  for (std::size_t i = 0; i != d.parts.size(); ++i) {
    const auto& p = d.parts[i];
    double own = 0;
    for (std::size_t g = 0; g != alive.size(); ++g) own += alive[g] * (p.blocks ? p.wall[g] : p.cpu[g]);
    const double rate = caps[i] * pl::detail::inverse(own);
    if (rate < least) {
      least = rate;
      worst = i;
    }
  }
  return worst == d.parts.size() || d.parts[worst].serial ? d.parts.size() : worst;
}

}  // namespace detail

/// Gives one more to the bottleneck, as a step of Plumber's sequential tuning does. Returns false if the bottleneck is
/// serial or already has all cores. O(parts x groups).
inline bool bottleneck_step(part_caps& caps, const pl::demand& d, const pl::resources& have,
                            const pl::kept_shares& kept = {}) {
  const auto which = detail::bottleneck_of(d, caps, kept);
  if (which == d.parts.size() || caps[which] >= have.cores) return false;
  ++caps[which];
  return true;
}
/// Gives one more to a random part that is not serial.
template <class Random>
void random_step(part_caps& caps, const pl::demand& d, const pl::resources& have, Random& random) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i != caps.size(); ++i)
    if (!d.parts[i].serial && caps[i] < have.cores) open.push_back(i);
  if (!open.empty()) ++caps[open[std::uniform_int_distribution<std::size_t>(0, open.size() - 1)(random)]];
}
/// Gives all remaining cores to the current bottleneck, and does not consider the next one.
inline part_caps local_caps(part_caps caps, const pl::demand& d, const pl::resources& have,
                            const pl::kept_shares& kept = {}) {
  double given = 0;
  for (const auto c : caps) given += c;
  const auto which = detail::bottleneck_of(d, caps, kept);
  if (which != d.parts.size()) caps[which] += std::max(0.0, have.cores - given);
  return caps;
}

}  // namespace baselines
