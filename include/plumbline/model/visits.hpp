#pragma once
/// Visit ratios: how many elements each operator completes for one element of the root, a "minibatch".

#include <plumbline/model/tree.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace plumbline {

namespace detail {
/// True for an operator that takes each element of its input once; a structure or a renumbering may re-read or skip it.
inline bool takes_each_once(form how) {
  return how == form::element || how == form::scatter || how == form::serial || how == form::join;
}
}  // namespace detail

/// Returns V of each operator (Plumber, section 4.4 and appendix A: V_0 = 1, V_i = C_i / C_parent x V_parent), each
/// input of a join by itself. If the count rule of the consuming operator states how many it takes for one (a batch of
/// 4: 4), the ratio is at most that: elements made but not yet taken would count as needed, a large error in a short
/// trace. What is found in a cache that keeps a part skips the operators before it, but not those that only number the
/// elements: these may complete as many as the cache. 0: nothing was completed. O(operators). Throws
/// std::invalid_argument if the trace is not a tree.
inline std::vector<double> visit_ratios(const trace& t) {
  const auto by = detail::checked_downstream(t);
  std::vector<double> visits(by.size(), 1.0);
  std::vector<double> most(by.size(), 1.0);  // by the count rules
  std::vector<bool> skipped(by.size());      // by some elements
  for (auto i = by.size() - 1; i-- != 0;) {
    const auto& downstream = t.operators[by[i]];
    const auto made = static_cast<double>(t.counters[i].completions);
    const auto of = static_cast<double>(t.counters[by[i]].completions);
    const bool once = detail::takes_each_once(downstream.how);
    const double ratio = of > 0 ? made / of : downstream.takes;
    skipped[i] = skipped[by[i]] || downstream.keeps_most > 0 || downstream.keeps_share > 0 || downstream.persists;
    most[i] = !once || !(downstream.takes > 0) ? std::numeric_limits<double>::infinity()
                                               : downstream.takes * (skipped[by[i]] ? most[by[i]] : visits[by[i]]);
    visits[i] = std::min(visits[by[i]] * ratio, most[i]);
    if (skipped[by[i]] && of == 0 && made > 0 && std::isfinite(most[i])) visits[i] = most[i];  // all were found
  }
  return visits;
}

}  // namespace plumbline
