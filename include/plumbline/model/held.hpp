#pragma once
/// held_by_operators: the bytes of the elements that operators keep within themselves, at most: a shuffle's buffer, the
/// buckets of bucket_by_length. Each operator states how many they are (layout_row::holds).

#include <plumbline/core/lineage.hpp>
#include <plumbline/model/trace.hpp>

#include <algorithm>

namespace plumbline {

/// By the mean size of the elements that were traced, each with its lineage. What has not taken any yet counts as 0.
/// O(operators).
inline double held_by_operators(const trace& t) {
  double all = 0;
  for (const auto& row : t.operators) {
    if (!(row.holds > 0) || row.inputs.empty()) continue;
    const auto from = row.inputs.front() - 1;
    const auto& c = t.counters[from];
    const auto seen = static_cast<double>(c.completions + c.unrecorded);
    if (!(seen > 0)) continue;
    const double each = static_cast<double>(c.bytes + c.unrecorded_bytes) / seen + sizeof(lineage);
    all += each * std::min(row.holds, static_cast<double>(t.operators[from].facts.count.most));
  }
  return all;
}

}  // namespace plumbline
