#pragma once
/// Visit ratios: how many elements each operator completes for one element of the root, a "minibatch".

#include <plumbline/model/tree.hpp>

#include <algorithm>

namespace plumbline {

/// V of each operator (Plumber, section 4.4 and appendix A: V_0 = 1, V_i = C_i / C_parent x V_parent), each input of a
/// join by itself. Where an operator's own count rule says how many it takes for one (a batch of 4: 4), that is used
/// instead of the completions while these are more: what has been made but not yet taken would count as needed, which
/// in a short trace is a large error. 0: nothing was completed. O(operators).
/// Throws std::invalid_argument if the trace is no tree.
inline std::vector<double> visit_ratios(const trace& t) {
  const auto by = detail::checked_takers(t);
  std::vector<double> visits(by.size(), 1.0);
  for (auto i = by.size() - 1; i-- != 0;) {
    const auto& taker = t.operators[by[i]];
    const auto made = static_cast<double>(t.counters[i].completions);
    const auto of = static_cast<double>(t.counters[by[i]].completions);
    // these take each element of their input once; a structure or a renumbering may ask for it again, or leave it
    const bool once = taker.how == form::element || taker.how == form::scatter || taker.how == form::serial;
    double ratio = of > 0 ? made / of : taker.takes;
    if (once && taker.takes > 0) ratio = std::min(ratio, taker.takes);
    visits[i] = visits[by[i]] * ratio;
  }
  return visits;
}

}  // namespace plumbline
