#pragma once
/// Definitions of report/explain_live.hpp.

#include <plumbline/model/format.hpp>
#include <plumbline/report/explain_live.hpp>
#include <plumbline/report/table.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {
namespace detail {
/// Why more than the budget may be in use; empty if it is not.
inline std::string over_budget(const live_report& r) {
  if (r.in_flight + r.buffered + r.held <= r.memory) return {};
  if (r.in_flight > 0 && std::all_of(r.limits.buffers.begin(), r.limits.buffers.end(),
                                     [](const buffer_limit& b) { return b.stated || b.messages == 1; }))
    return ": more than the budget, as each buffer has at least one message; give more, or smaller elements or batches";
  return ": more than the budget";
}
}  // namespace detail

PLUMBLINE_INLINE explanation explain(const live_report& r) {
  explanation e{r.rows, {}};
  std::vector<std::vector<std::string>> cells{{"operators", "threads", "at a time"}};
  const auto name_of = [&](std::uint32_t number) {
    return number <= r.rows.size() ? r.rows[number - 1].name : "operator";
  };
  for (const auto& p : r.limits.parts) {
    std::string names;
    for (const auto number : p.operators) names += (names.empty() ? "" : " | ") + name_of(number);
    cells.push_back({names,
                     p.serial  ? "serial"
                     : p.waits ? "I/O"
                               : "compute",
                     std::to_string(p.at_once) + (p.stated && !p.serial ? ", stated" : "")});
  }
  e.text = detail::table(cells);
  const auto counted = [](std::size_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  const auto stated = [](bool is) { return is ? " (stated)" : ""; };
  e.text += "\n" + counted(r.limits.threads, "compute thread") + stated(r.threads_stated) + ", ";
  if (const auto n = r.io_threads_stated; n && *n != r.limits.io_threads)
    e.text += std::to_string(r.limits.io_threads) + " of " + counted(*n, "I/O thread") + " (stated)";
  else
    e.text += counted(r.limits.io_threads, "I/O thread") + stated(n.has_value());
  e.text += "\nmessages in flight, at most\n";
  for (const auto& b : r.limits.buffers) {
    const auto number = r.limits.last_operator(b);
    e.text += (number == 0 ? "  indices: " : "  after " + name_of(number) + " (" + std::to_string(number) + "): ") +
              messages_text(b) + (b.stated ? ", stated" : "") + "\n";
  }
  if (r.looks == 0)
    e.text += "what they and caches hold is not known before the first look\n";
  else
    e.text += bytes_text(r.in_flight) + " in flight at most" +
              (r.buffered > 0 ? ", " + bytes_text(r.buffered) + " in operators" : "") + " and " + bytes_text(r.held) +
              " in caches, of " + (std::isinf(r.memory) ? "an unknown budget" : bytes_text(r.memory)) +
              detail::over_budget(r) + "\n";
  if (r.rate > 0)
    e.text +=
        number_text(r.rate, "%.3g") + " a second" + (r.bottleneck.empty() ? "" : "; limited by " + r.bottleneck) + "\n";
  e.text += "\n" + counted(r.count, "change") + " in " + time_text(r.seconds) + ", " + counted(r.looks, "look") + "\n";
  if (const auto shown = r.changes.size(); shown < r.count)
    e.text += "  (the first " + std::to_string(r.count - shown) + " are not shown: only the latest are kept)\n";
  for (const auto& c : r.changes) {
    e.text += "  " + number_text(c.at, "%8.2f") + " s  " + c.what + "\n              " + c.why;
    if (c.observed > 0) e.text += "; " + number_text(c.observed) + " a second then";
    if (c.predicted > 0) e.text += ", " + number_text(c.predicted) + " predicted";
    e.text += "\n";
  }
  return e;
}

}  // namespace plumbline
