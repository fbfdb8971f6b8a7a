#pragma once
/// segments_of: which parts of a traced pipeline are in one segment of the executor (docs/design.md), and so share its
/// messages in flight.

#include <plumbline/model/rates.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plumbline {

struct segment_demand {
  std::vector<std::size_t> parts{};  ///< their indices in demand::parts, in the order in which messages pass them
  double elements = 1;               ///< in a message of the first of them, in the traced run
  std::size_t messages = 0;          ///< in flight, if the pipeline states how many; 0: as the threads need
  std::size_t streams = 0;           ///< of a nest: so many are open at once, each with a buffer of its own
  bool output = false;               ///< it ends at the consumer
};

namespace detail {

/// The part, other than `of`, that passes on the elements of operator `number`; the number of parts if there is none.
inline std::size_t part_of(const trace& t, const std::vector<part_rates>& parts, std::uint32_t number, std::size_t of) {
  for (;;) {
    auto found = parts.size();
    for (std::size_t i = 0; i != parts.size(); ++i) {
      const auto& p = parts[i];
      if (i == of || std::find(p.operators.begin(), p.operators.end(), number) == p.operators.end()) continue;
      if (found == parts.size() || p.serial) found = i;  // a serial part passes on what a stage of its operator made
    }
    const auto& inputs = t.operators[number - 1].inputs;
    if (found != parts.size() || inputs.empty()) return found;
    number = inputs.front();  // it only renumbers
  }
}

}  // namespace detail

/// A serial part begins a segment; a stage is in that of the part that it takes from. O(parts x operators).
inline std::vector<segment_demand> segments_of(const trace& t, const pipeline_rates& r) {
  const auto& parts = r.parts;
  const auto none = parts.size();
  // the executor counts elements again before some stage, which then begins a segment; the trace does not say which
  const bool counts_again =
      std::any_of(t.parts.begin(), t.parts.end(), [](const auto& p) { return p.serial && p.operators.empty(); });
  std::vector<segment_demand> all;
  std::vector<std::size_t> in(parts.size(), none);
  const auto place = [&](auto& self, std::size_t i) -> std::size_t {
    if (in[i] != none) return in[i];
    const auto& p = parts[i];
    const auto first = *std::min_element(p.operators.begin(), p.operators.end());
    auto from = none;
    if (!p.serial && !counts_again)
      for (const auto input : t.operators[first - 1].inputs)
        if (from == none) from = detail::part_of(t, parts, input, i);
    if (from != none) {
      in[i] = self(self, from);
    } else {
      in[i] = all.size();
      all.push_back({.parts = {}, .streams = p.copies > 1 ? p.copies : 0});
      if (p.messages > 0) all.back().elements = std::max(1.0, r.operators[first - 1].visits / p.messages);
    }
    all[in[i]].parts.push_back(i);
    return in[i];
  };
  for (std::size_t i = 0; i != parts.size(); ++i) place(place, i);
  for (const auto& row : t.operators)
    if (row.buffers != 0 && !row.inputs.empty())
      if (const auto from = detail::part_of(t, parts, row.inputs.front(), none); from != none)
        all[in[from]].messages = row.buffers;
  if (const auto last = detail::part_of(t, parts, static_cast<std::uint32_t>(t.operators.size()), none); last != none)
    all[in[last]].output = true;
  return all;
}

}  // namespace plumbline
