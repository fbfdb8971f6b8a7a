#pragma once
// chrome_check: finds where a file departs from the Trace Event Format, or from what its viewers need to draw all
// of it: slices of a track that nest, flows whose ends lie in slices, counters in the order of time, tracks with names.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

namespace plumbline_test {

class chrome_check {
 public:
  using json = nlohmann::json;
  explicit chrome_check(const json& file) {
    if (!file.is_object() || !file.contains("traceEvents") || !file["traceEvents"].is_array()) {
      wrong("the file has no array of events");
      return;
    }
    if (file.value("displayTimeUnit", "ms") != "ms" && file["displayTimeUnit"] != "ns") wrong("displayTimeUnit");
    for (const auto& e : file["traceEvents"]) add(e);
    for (auto& [track, all] : slices_) check_slices(track, all);
    for (const auto& [id, ends] : flows_) check_flow(id, ends);
    for (const auto& track : used_)
      if (threads_.count(track) == 0) wrong("a track has no name: " + std::to_string(track.second));
    for (const auto& [pid, n] : processes_)
      if (n != 1) wrong("process_name is there " + std::to_string(n) + " times");
    for (const auto& [pid, tid] : used_)
      if (processes_.count(pid) == 0) wrong("a process has no name: " + std::to_string(pid));
  }
  const std::vector<std::string>& mistakes() const { return mistakes_; }
  /// How many there are.
  std::size_t slices() const {
    std::size_t n = 0;
    for (const auto& [track, all] : slices_) n += all.size();
    return n;
  }
  std::size_t flows() const { return flows_.size(); }
  std::size_t counters() const { return counters_; }

 private:
  using place = std::pair<std::int64_t, std::int64_t>;  ///< process and thread
  struct slice {
    double from, to;
    std::string category;
  };
  struct flow_end {
    std::string phase, binding;
    double at;
    place on;
  };
  void wrong(const std::string& what, const json& e = {}) {
    if (mistakes_.size() < 10) mistakes_.push_back(what + (e.is_null() ? "" : ": " + e.dump().substr(0, 300)));
  }
  static bool number(const json& e, const char* name) {
    return e.contains(name) && e[name].is_number() && std::isfinite(e[name].get<double>());
  }
  static bool text(const json& e, const char* name) { return e.contains(name) && e[name].is_string() && e[name] != ""; }

  void add(const json& e) {
    if (!e.is_object() || !text(e, "ph") || !text(e, "name") || !e.contains("pid") || !e["pid"].is_number_integer())
      return wrong("an event has no ph, name or pid", e);
    const auto phase = e["ph"].get<std::string>();
    const auto pid = e["pid"].get<std::int64_t>();
    const bool has_thread = e.contains("tid") && e["tid"].is_number_integer() && e["tid"] > 0;  // 0 is the kernel's
    const place on{pid, has_thread ? e["tid"].get<std::int64_t>() : -1};
    if (phase == "M") return meta(e, on, has_thread);
    if (!number(e, "ts") || e["ts"] < 0) return wrong("an event has no time", e);
    const double at = e["ts"];
    if (phase == "C") return counter(e, pid, at);
    if (!has_thread || !text(e, "cat")) return wrong("a slice or flow has no thread or category", e);
    used_.insert(on);
    if (phase == "X") {
      if (!number(e, "dur") || e["dur"] < 0) return wrong("a slice has no duration", e);
      if (e.contains("args") && !e["args"].is_object()) wrong("args are no object", e);
      slices_[on].push_back({at, at + e["dur"].get<double>(), e["cat"]});
    } else if (phase == "s" || phase == "f") {
      if (!e.contains("id") || !(e["id"].is_number_integer() || text(e, "id"))) return wrong("a flow has no id", e);
      flows_[{e["cat"], e["name"], e["id"].dump()}].push_back({phase, e.value("bp", ""), at, on});
    } else {
      wrong("what plumbline does not write", e);
    }
  }
  void meta(const json& e, const place& on, bool has_thread) {
    const auto name = e["name"].get<std::string>();
    const auto& args = e.contains("args") ? e["args"] : json::object();
    if (name == "process_name" && text(args, "name")) {
      ++processes_[on.first];
    } else if (name == "thread_name" && has_thread && text(args, "name")) {
      if (!threads_.emplace(on, args["name"]).second) wrong("a track has two names", e);
      if (!names_.emplace(on.first, args["name"]).second) wrong("two tracks have one name", e);
    } else if (name == "thread_sort_index" && has_thread && args.contains("sort_index") &&
               args["sort_index"].is_number_integer()) {
      if (!order_.emplace(on.first, args["sort_index"].get<std::int64_t>()).second)
        wrong("two tracks have one place", e);
    } else {
      wrong("metadata that viewers do not know", e);
    }
  }
  void counter(const json& e, std::int64_t pid, double at) {
    ++counters_;
    if (!e.contains("args") || !e["args"].is_object() || e["args"].empty()) return wrong("a counter has no value", e);
    for (const auto& [name, value] : e["args"].items())
      if (!value.is_number() || !std::isfinite(value.get<double>()) || value < 0) wrong("a counter's value", e);
    const auto [last, is_new] = latest_.try_emplace({pid, e["name"]}, at);
    if (!is_new && at < last->second) wrong("a counter goes back in time", e);
    last->second = at;
  }
  void check_slices(const place& on, std::vector<slice>& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.from != b.from ? a.from < b.from : a.to > b.to; });
    std::vector<double> open;
    for (const auto& s : all) {
      while (!open.empty() && open.back() <= s.from) open.pop_back();
      if (!open.empty() && s.to > open.back())
        wrong("track " + std::to_string(on.second) + ": a slice (" + s.category + ") from " + std::to_string(s.from) +
              " to " + std::to_string(s.to) + " overlaps another, to " + std::to_string(open.back()));
      open.push_back(s.to);
    }
  }
  /// True if a viewer finds a slice of this category around the end of a flow.
  bool in_slice(const flow_end& end, const std::set<std::string>& categories) const {
    const auto found = slices_.find(end.on);
    if (found == slices_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const slice& s) {
      return s.from <= end.at && end.at < s.to && categories.count(s.category) != 0;
    });
  }
  void check_flow(const std::tuple<std::string, std::string, std::string>& id, const std::vector<flow_end>& ends) {
    const auto name = "flow " + std::get<2>(id);
    if (ends.size() != 2 || ends[0].phase != "s" || ends[1].phase != "f")
      return wrong(name + " has not one beginning and then one end");
    if (ends[1].binding != "e") wrong(name + " ends at the next slice, not in the one around it");
    if (ends[1].at < ends[0].at) wrong(name + " goes back in time");
    if (!in_slice(ends[0], {"part"})) wrong(name + " begins in no work");
    if (!in_slice(ends[1], {"batch"})) wrong(name + " ends in no batch");
  }

  std::vector<std::string> mistakes_;
  std::map<place, std::vector<slice>> slices_;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<flow_end>> flows_;
  std::map<place, std::string> threads_;
  std::set<std::pair<std::int64_t, std::string>> names_;
  std::set<std::pair<std::int64_t, std::int64_t>> order_;
  std::map<std::int64_t, int> processes_;
  std::map<std::pair<std::int64_t, std::string>, double> latest_;
  std::set<place> used_;
  std::size_t counters_ = 0;
};

}  // namespace plumbline_test
