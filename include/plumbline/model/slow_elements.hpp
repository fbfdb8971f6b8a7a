#pragma once
/// slow_element: an element that took long, and how those of batches are found for their report.

#include <plumbline/model/batch_log.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace plumbline {

/// An element that took long in an operator, and the batch where it took longest.
struct slow_element {
  std::string name{}, operation{};
  std::uint64_t epoch = 0, batch = 0;
  double seconds = 0;       ///< there
  std::uint64_t times = 1;  ///< how often it was timed, in all epochs
  double mean = 0;          ///< seconds, of these times
  double explains = 0;      ///< share of the variance of preparation, as operator_times::explains; -1 to 1
};

namespace detail {

/// A time of an element, or all of one in one operator.
struct timed_element {
  const batch_record* in;
  const element_time* is;   ///< the longest
  double seconds;           ///< of all, as the others
  double with_preparation;  ///< the distances of its seconds and of its batch's preparation from their means,
                            ///< multiplied, divided by the batches; 0 if the preparation is not known
  std::uint64_t times = 1;
};

inline std::vector<timed_element> timed_elements(const std::vector<const batch_record*>& batches) {
  std::vector<timed_element> all;
  std::map<std::uint32_t, std::pair<double, double>> by_operator;  // seconds and elements
  double n = 0, preparation = 0;
  for (const auto* b : batches) {
    if (b->begun_lost) continue;
    ++n, preparation += b->preparation();
    for (const auto& e : b->elements) by_operator[e.operation].first += e.seconds, ++by_operator[e.operation].second;
  }
  for (const auto* b : batches)
    for (const auto& e : b->elements) {
      const auto& [seconds, count] = by_operator[e.operation];
      const double apart = b->begun_lost ? 0 : (e.seconds - seconds / count) * (b->preparation() - preparation / n) / n;
      all.push_back({b, &e, e.seconds, apart});
    }
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
                   t.times, t.seconds / static_cast<double>(t.times),
                   std::clamp(explained * t.with_preparation, -1.0, 1.0)});  // beyond, others cancel it
  return out;
}

}  // namespace detail

}  // namespace plumbline
