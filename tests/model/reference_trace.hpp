#pragma once
// Plumber's published trace (reference/plumber_trace.json) as a plumbline trace.
#include <plumbline/model/rates.hpp>

#include <support/skip.hpp>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace plumbline_test {

namespace pl = plumbline;
using nlohmann::json;

/// A file of reference numbers. If it is not installed, returns null and marks the test as skipped.
inline json reference(const std::string& name) {
  const char* data = std::getenv("PLUMBLINE_DATA");
  const auto file = std::filesystem::path(data == nullptr ? "../shared/data" : data).parent_path() / "reference" / name;
  std::ifstream in(file);
  if (!in) {
    skip("no " + file.string());
    return nullptr;
  }
  return json::parse(in);
}

/// Which of the artifact's two clocks is used as CPU time.
enum class time_of { clock, wall };

// How the artifact's counters are converted:
// - processing_time_clock (or processing_time, for the figures that it calls naive) is CPU time; wait_time is blocked
//   time; scheduling delay is the time that messages waited for a part.
// - its element_ratio, a counter, takes the place of our count rule.
// - every operator is a part of its own; all but the map are serial.
// - for a source that reads nothing the artifact assumes elements of 4 bytes.
inline pl::trace trace_of(const json& file, time_of time = time_of::clock) {
  pl::trace t;
  t.threads = file["derived_not_published"]["num_cores"];
  t.wall_seconds = file["expected_global"]["wallclock_s"];
  for (const auto& node : file["nodes"]) {
    const auto& s = node["state"];
    if (s.is_null()) continue;  // not an operator: options and the return value
    const auto number = static_cast<std::uint32_t>(t.operators.size() + 1);
    pl::layout_row row{.number = number, .name = node["name"], .element = {}};
    const bool source = node["is_src"], parallel = s["aggregate_inter_op_parallelism"],
               repeats = s["count"] == 1 && node.contains("metadata");
    row.facts.count = pl::cardinality::exactly(s["cardinality"]);
    row.how = source     ? pl::form::source
              : parallel ? pl::form::element
              : repeats  ? pl::form::structure
                         : pl::form::serial;
    if (!source) row.inputs = {number - 1};
    row.takes = repeats ? 1.0 / double(node["metadata"]["repeat_size"]) : double(s["aggregate_element_ratio"]);
    row.stage = number;
    pl::operator_counters c;
    c.completions = s["aggregate_elements_produced"];
    c.bytes = source ? 4 * c.completions : std::uint64_t(s["aggregate_bytes_produced"]);
    c.bytes_read = s["aggregate_disk_bytes_read"];
    c.cpu_seconds =
        double(s[time == time_of::clock ? "aggregate_processing_time_clock" : "aggregate_processing_time"]) / 1e9;
    c.wall_seconds = c.cpu_seconds + double(s["aggregate_wait_time"]) / 1e9;
    t.parts.push_back({.operators = {number},
                       .serial = !parallel,
                       .messages = s["elements_produced"],
                       .cpu_seconds = c.cpu_seconds,
                       .wall_seconds = c.wall_seconds,
                       .queued_seconds = double(s["aggregate_scheduling_delay_time"]) / 1e9});
    t.operators.push_back(row);
    t.counters.push_back(c);
  }
  return t;
}

}  // namespace plumbline_test
