#pragma once
/// What the caches of a plan keep: compared, and as text.

#include <plumbline/model/format.hpp>
#include <plumbline/model/layout.hpp>
#include <plumbline/model/plan.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::detail {

/// The share of its elements that the plan keeps in memory after an operator.
inline double kept_after(const plan& p, std::uint32_t after) {
  for (std::size_t c = 0; c != p.caches.size(); ++c)
    if (p.caches[c] == after) return p.shares.empty() ? 1.0 : p.shares[c].size();
  return 0.0;
}
/// True if both plans keep the same in memory, within a twentieth of it: a small share of much may be too much, too.
inline bool same_caches(const plan& a, const plan& b) {
  const auto near = [&](const plan& x, const plan& y) {
    return std::all_of(x.caches.begin(), x.caches.end(), [&](std::uint32_t after) {
      const double is = kept_after(x, after), was = kept_after(y, after);
      return std::abs(is - was) <= 0.05 * std::max(is, was);
    });
  };
  return near(a, b) && near(b, a);
}
/// "cache of 40 % and of 20 % on disk after 4 (map), cache of 20 % after 5 (map)"; empty if there are none. `rows`: of
/// the pipeline as written; without them, operators have no names.
inline std::string caches_text(const plan& p, const std::vector<layout_row>& rows = {}) {
  std::string text;
  for (std::size_t c = 0; c != p.caches.size(); ++c) {
    const auto after = p.caches[c];
    const bool disk = !p.on_disk.empty() && p.on_disk[c].size() > 0;
    text += (text.empty() ? "cache " : ", cache ") +
            (p.shares.empty() ? "" : "of " + percent_text(p.shares[c].size()) + " ") +
            (disk ? "and of " + percent_text(p.on_disk[c].size()) + " on disk " : "") + "after " +
            std::to_string(after) + (rows.empty() ? "" : " (" + rows[after - 1].name + ")");
  }
  return text;
}

}  // namespace plumbline::detail
