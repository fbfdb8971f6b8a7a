#pragma once
/// stretches: entries in any order, of which a row's mostly follow each other. What is added up over such a stretch
/// stays in a register; through memory each term would wait for the one before.

#include <plumbline/lp/problem.hpp>

namespace plumbline::lp::detail {

/// Of every longest stretch of entries with the same key: `load(its first)` gives a sum, to which `add(sum, entry)`
/// adds and which `store(key, sum)` keeps.
template <class Entry>
void stretches(const Entry* e, const Entry* end, auto&& key, auto&& load, auto&& add, auto&& store) {
  while (e != end) {
    const auto k = key(*e);
    auto sum = load(*e);
    do add(sum, *e);
    while (++e != end && key(*e) == k);
    store(k, sum);
  }
}
/// Of a problem's entries, row by row: `sums[row]` gets what add(sum, entry) adds to it.
inline void row_stretches(const problem& p, auto&& sums, auto&& add) {
  stretches(
      p.entries.data(), p.entries.data() + p.entries.size(), [](const entry& e) { return e.row; },
      [&](const entry& e) { return sums(e.row); }, add, [&](int i, auto sum) { sums(i) = sum; });
}

}  // namespace plumbline::lp::detail
