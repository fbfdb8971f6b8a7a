#pragma once
/// The operators of a trace as a tree: which operator takes from which. Rows are ordered upstream first, the root last;
/// row i has operator number i + 1.

#include <plumbline/model/trace.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumbline::detail {

[[noreturn]] inline void complain_of_trace(const std::string& what) {
  throw std::invalid_argument("plumbline: trace: " + what);
}

/// Returns, for each row, the index of the row that takes from it; for the root, the number of rows. Throws
/// std::invalid_argument unless the rows are a tree. O(operators).
inline std::vector<std::size_t> downstream_of(const std::vector<layout_row>& rows) {
  const auto n = rows.size();
  std::vector<std::size_t> by(n, n);
  for (std::size_t i = 0; i != n; ++i) {
    const auto who = "operator " + std::to_string(i + 1) + " (" + rows[i].name + ") ";
    if (rows[i].number != i + 1)
      complain_of_trace(who + "has the number " + std::to_string(rows[i].number) + "; rows must be in order");
    for (const auto from : rows[i].inputs) {
      if (from == 0 || from > i) complain_of_trace(who + "takes from " + std::to_string(from) + ", not an earlier one");
      if (by[from - 1] != n) complain_of_trace(who + "takes from " + std::to_string(from) + ", as another one does");
      by[from - 1] = i;
    }
  }
  for (std::size_t i = 0; i + 1 < n; ++i)
    if (by[i] == n)
      complain_of_trace("no operator takes from operator " + std::to_string(i + 1) + " (" + rows[i].name +
                        "); only the last may be the root");
  return by;
}

/// downstream_of(), after checking that the trace has operators, counters for each of them, and valid parts.
inline std::vector<std::size_t> checked_downstream(const trace& t) {
  if (t.operators.empty()) complain_of_trace("has no operators; run with tracing::counters");
  if (t.counters.size() != t.operators.size())
    complain_of_trace("has " + std::to_string(t.operators.size()) + " operators but counters for " +
                      std::to_string(t.counters.size()));
  for (const auto& p : t.parts)
    for (const auto number : p.operators)
      if (number == 0 || number > t.operators.size())
        complain_of_trace("a part names operator " + std::to_string(number) + ", there are " +
                          std::to_string(t.operators.size()));
  return downstream_of(t.operators);
}

/// Marks the operators upstream of one that replays: in the long run they cost nothing.
inline std::vector<bool> below_replay(const std::vector<layout_row>& rows, const std::vector<std::size_t>& by) {
  std::vector<bool> below(rows.size());
  for (auto i = rows.size(); i-- != 0;)
    if (by[i] != rows.size()) below[i] = below[by[i]] || rows[by[i]].replays;
  return below;
}

}  // namespace plumbline::detail
