#pragma once
/// Definitions of report/explain.hpp.

#include <plumbline/model/cacheable.hpp>
#include <plumbline/report/explain.hpp>
#include <plumbline/report/table.hpp>

#include <algorithm>
#include <utility>

namespace plumbline {

namespace detail {

inline std::string count_text(cardinality c) {
  if (c.endless) return "endless";
  if (c.exact()) return std::to_string(c.least);
  if (c.most == unbounded) return c.least == 0 ? "unknown" : "at least " + std::to_string(c.least);
  return std::to_string(c.least) + " to " + std::to_string(c.most);
}
inline std::string how_text(const layout_row& r) {
  switch (r.how) {
    case form::source:
      if (r.facts.indexed) return "random access by index";
      return r.blocking ? "serial, I/O thread: reads" : "serial: one after another";
    case form::renumber:
      return "free: only indices change";
    case form::index_cache:
      return r.blocking ? "parallel, I/O threads: kept by index" : "parallel: kept by index";
    case form::join:
      return "random access by index";
    case form::nest:
      return "serial; its streams run ahead";
    case form::element:
      return r.blocking ? "parallel, I/O threads: blocks" : "parallel: const-callable";
    case form::scatter:
      return "parallel: fills slots; then serial";
    case form::async_boundary:
      return "buffer";
    case form::serial:
      return "serial: keeps a stream's state";
    case form::structure:
      return "serial: chooses its upstream";
  }
  return {};
}
inline std::string cache_text(const std::vector<layout_row>& rows, std::size_t i) {
  const auto rule = may_be_cached(rows, i);
  if (rule.verdict == cache_verdict::fits) return "yes";
  return "no: " + rule_text(rule) +
         (rule.verdict == cache_verdict::not_copyable ? "" : " (operator " + std::to_string(rule.since->number) + ")");
}
inline std::string stage_text(const layout_row& r) {
  if (r.stage == 0) return "-";
  return std::to_string(r.stage) + (r.handed_on == 0 ? "" : "+" + std::to_string(r.handed_on));
}

}  // namespace detail

PLUMBLINE_INLINE explanation explain(std::vector<layout_row> rows) {
  explanation e{std::move(rows), {}};
  std::vector<std::vector<std::string>> cells{
      {"#", "operator", "yields", "count", "order", "random", "stage", "runs", "cache after it"}};
  std::uint32_t stages = 0;
  for (std::size_t i = 0; i != e.rows.size(); ++i) {
    const auto& r = e.rows[i];
    stages = std::max({stages, r.stage, r.handed_on});
    cells.push_back({std::to_string(r.number), r.name, r.element, detail::count_text(r.facts.count),
                     r.facts.order == ordering::fixed ? "fixed" : "permuted",
                     r.facts.draws == randomness::none ? "no" : "seeded", detail::stage_text(r), detail::how_text(r),
                     detail::cache_text(e.rows, i)});
  }
  e.text = std::to_string(e.rows.size()) + " operators in " + std::to_string(stages) +
           (stages == 1 ? " stage\n" : " stages\n") + detail::table(cells);
  for (const auto& r : e.rows)
    if (r.varies)
      e.text += "note: " + r.name + " (operator " + std::to_string(r.number) +
                ") keeps other elements in each epoch, as their order changes; for a fixed split shuffle with "
                "each_epoch::same before it\n";
  for (const auto& r : e.rows)
    if (!r.report.empty()) e.text += r.name + " (operator " + std::to_string(r.number) + "):\n" + r.report;
  return e;
}

}  // namespace plumbline
