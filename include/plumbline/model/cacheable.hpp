#pragma once
/// may_be_cached: whether a cache may be put after an operator, as far as the layout shows. Used by explain() and the
/// planner.

#include <plumbline/model/layout.hpp>

namespace plumbline {

enum class cache_verdict : unsigned char {
  fits,
  too_big,
  endless,
  random,
  shuffled,      ///< its order changes in every epoch, and a cache cannot keep it by index
  not_copyable,  ///< its elements cannot be copied
  unknown_size,  ///< the trace saw no element of it
  not_compiled,  ///< no form with a cache there was compiled
  saves_nothing  ///< there is a cache here or downstream, or its elements cost nothing
};

struct cache_rule {
  cache_verdict verdict = cache_verdict::fits;  ///< `fits` means allowed: sizes are not known here
  const layout_row* since = nullptr;            ///< the first operator upstream, or itself, that causes the verdict
};

namespace detail {
/// Returns the first of operator i and those upstream of it, in row order, for which `holds` is true; null if none.
template <class F> const layout_row* first_below(const std::vector<layout_row>& rows, std::size_t i, F&& holds) {
  for (const auto from : rows[i].inputs)
    if (const auto* found = first_below(rows, from - 1, holds)) return found;
  return holds(rows[i]) ? &rows[i] : nullptr;
}
}  // namespace detail

/// Returns the rule for the operator in row i. O(operators).
inline cache_rule may_be_cached(const std::vector<layout_row>& rows, std::size_t i) {
  const auto because = [&](cache_verdict v, auto&& holds) {
    return cache_rule{v, detail::first_below(rows, i, holds)};
  };
  const auto& facts = rows[i].facts;
  if (facts.count.endless)
    return because(cache_verdict::endless, [](const layout_row& r) { return r.facts.count.endless; });
  if (facts.draws != randomness::none)
    return because(cache_verdict::random, [](const layout_row& r) { return r.facts.draws != randomness::none; });
  if (facts.order != ordering::fixed && !facts.keyed)
    return because(cache_verdict::shuffled, [](const layout_row& r) { return r.facts.order != ordering::fixed; });
  if (!rows[i].copyable) return {cache_verdict::not_copyable, &rows[i]};
  return {};
}
/// "endless", "random", "shuffled" or "cannot be copied"; empty if the rule allows it.
inline std::string rule_text(const cache_rule& r) {
  switch (r.verdict) {
    case cache_verdict::endless:
      return "endless";
    case cache_verdict::random:
      return "random";
    case cache_verdict::shuffled:
      return "shuffled";
    case cache_verdict::not_copyable:
      return "cannot be copied";
    default:
      return {};
  }
}

}  // namespace plumbline
