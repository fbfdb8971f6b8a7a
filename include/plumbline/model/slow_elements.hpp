#pragma once
/// slow_element: an element that took long, and how those of batches are found for their report.

#include <plumbline/model/batch_log.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace plumbline {

/// An element that took long in an operator, and the batch where it took longest.
struct slow_element {
  std::string name{}, operation{};
  std::uint64_t epoch = 0, batch = 0;
  double seconds = 0;       ///< there
  std::uint64_t times = 1;  ///< how often it was timed, in all epochs
  double mean = 0;          ///< seconds, of these times
  double explains = 0;      ///< share of the variance of preparation, as operator_times::explains
};

namespace detail {

/// A time of an element, or all of one in one operator.
struct timed_element {
  const batch_record* in;
  const element_time* is;   ///< the longest
  double seconds;           ///< of all, as the others
  double with_preparation;  ///< seconds x the distance of its batch's preparation from the mean, divided by the batches
  std::uint64_t times = 1;
};

inline std::vector<timed_element> timed_elements(const std::vector<const batch_record*>& batches) {
  std::vector<timed_element> all;
  const auto n = static_cast<double>(batches.size());
  double mean = 0;
  for (const auto* b : batches) mean += b->preparation() / n;
  for (const auto* b : batches)
    for (const auto& e : b->elements) all.push_back({b, &e, e.seconds, e.seconds * (b->preparation() - mean) / n});
  return all;
}
/// One for each element in each operator: a file that is read in ten epochs is one. Elements without a name of their
/// own stay apart.
inline std::vector<timed_element> by_name(std::vector<timed_element> all, const batch_log& of) {
  if (of.names_are_places) return all;
  const auto key = [](const timed_element& t) { return std::tuple(t.is->operation, t.is->name); };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<timed_element> out;
  for (const auto& t : all) {
    if (out.empty() || t.is->name == 0 || key(out.back()) != key(t)) {
      out.push_back(t);
      continue;
    }
    auto& to = out.back();
    if (t.is->seconds > to.is->seconds) to.in = t.in, to.is = t.is;
    to.seconds += t.seconds, to.with_preparation += t.with_preparation, to.times += t.times;
  }
  return out;
}
/// The `most` whose longest time is longest. `explained`: of the variance of preparation, for each second squared of
/// with_preparation.
inline std::vector<slow_element> slowest_of(std::vector<timed_element> all, const batch_log& of, std::size_t most,
                                            double explained = 0) {
  const auto n = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), all.end(),
                    [](const auto& a, const auto& b) { return a.is->seconds > b.is->seconds; });
  all.resize(n);
  std::vector<slow_element> out;
  for (const auto& t : all)
    out.push_back({of.names[t.is->name], of.operators[t.is->operation], t.in->epoch, t.in->index, t.is->seconds,
                   t.times, t.seconds / static_cast<double>(t.times), explained * t.with_preparation});
  return out;
}

}  // namespace detail

}  // namespace plumbline
