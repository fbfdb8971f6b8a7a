#pragma once
/// A timeline as a file for https://ui.perfetto.dev and chrome://tracing (the Trace Event Format in JSON), and back; by
/// nlohmann-json (target plumbline::json).
///   auto s = pl::run<pl::tracing::timeline>(train);
///   for (auto& batch : s) step(batch);
///   pl::save_chrome_trace(s.timeline(), "run.json");
///
/// Threads are tracks; a part's work on a message is a slice on its thread (ph X), with the operators' times for
/// elements that were timed within it. Each thread that takes batches has a track with a slice for each wait and each
/// batch in use. An arrow (ph s, f) leads from the end of a batch's preparation to its use, and counters (ph C) for
/// each segment show how many messages are ready for the next one, and their memory. What the viewers do not need for
/// this is in `otherData`.

#include <plumbline/ext/json.hpp>
#include <plumbline/model/timeline_batches.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

namespace detail::json {

class chrome_writer {
 public:
  explicit chrome_writer(const timeline& of) : of_(of) {
    from_ = std::numeric_limits<std::int64_t>::max();
    for (const auto& w : of.work) from_ = std::min(from_, w.begun);
    for (const auto& f : of.fetches) from_ = std::min(from_, f.asked);
    for (const auto& c : of.calls) from_ = std::min(from_, c.asked);
    std::vector<bool> takes(of.threads.size());
    for (const auto& f : of.fetches) takes[f.thread] = true;
    for (const auto& c : of.calls) takes[c.thread] = true;
    tids_.resize(of.threads.size());
    std::size_t next = 1;
    for (const bool consumers : {true, false})
      for (std::size_t i = 0; i != tids_.size(); ++i)
        if (takes[i] == consumers) tids_[i] = next++;
  }
  std::string text() {
    out_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    threads();
    for (const auto& w : of_.work) slice(w.thread, part_name(w), "part", w.begun, w.ended, json::out(w));
    for (const auto& s : of_.samples) {
      auto args = json::out(s);
      args["element"] = of_.names[s.name];
      slice(s.thread, s.operation == 0 ? "executor" : of_.operators[s.operation - 1], "operator", s.begun, s.ended,
            std::move(args));
    }
    batches();
    const auto channels = channel_names();
    for (const auto& d : queue_depths(of_)) {
      const auto& ready = channels.at(d.segment);
      counter(ready, d.at, "messages", d.messages);
      counter(ready + ", memory", d.at, "MB", 1e-6 * d.bytes);
    }
    timeline rest;
    rest.operators = of_.operators, rest.parts = of_.parts, rest.threads = of_.threads, rest.names = of_.names;
    rest.takes = of_.takes, rest.fetches = of_.fetches, rest.calls = of_.calls, rest.dropped = of_.dropped;
    rest.since = of_.since;
    const value other{{"plumbline", kind_of(&rest)}, {"format", format}, {"timeline", json::out(rest)}};
    out_ += "\n],\"otherData\":" + dumped(other) + "}\n";
    return std::move(out_);
  }

 private:
  void counter(const std::string& name, std::int64_t at, const char* what, const value& is) {
    event({{"ph", "C"}, {"name", name}, {"ts", us(at)}, {"pid", 1}, {"args", {{what, is}}}});
  }
  static std::string dumped(const value& v) { return v.dump(-1, ' ', false, value::error_handler_t::replace); }
  double us(std::int64_t ns) const { return static_cast<double>(ns - from_) / 1000; }
  /// A viewer adds ts and dur as doubles. If rounding makes a slice end after `ended`, where the next one may begin, it
  /// is shorter by as much: otherwise the two seem to overlap, and DevTools leaves one out.
  double duration(std::int64_t begun, std::int64_t ended) const {
    double d = static_cast<double>(ended - begun) / 1000;
    if (ended > begun && us(begun) + d > us(ended))
      for (d = us(ended) - us(begun); us(begun) + d > us(ended);) d = std::nextafter(d, 0.0);
    return d;
  }
  /// The consumer's tracks come first. Perfetto takes thread 0 for the kernel's, which idles, and drops slices of it.
  std::size_t tid(std::size_t thread) const { return tids_[thread]; }
  void event(const value& v) {
    out_ += (first_ ? "" : ",\n") + dumped(v);
    first_ = false;
  }
  void slice(std::uint32_t thread, const std::string& name, const char* category, std::int64_t begun,
             std::int64_t ended, value args) {
    event({{"ph", "X"},
           {"name", name},
           {"cat", category},
           {"ts", us(begun)},
           {"dur", duration(begun, ended)},
           {"pid", 1},
           {"tid", tid(thread)},
           {"args", std::move(args)}});
  }
  void threads() {
    event({{"ph", "M"}, {"name", "process_name"}, {"pid", 1}, {"args", {{"name", "plumbline"}}}});
    for (std::size_t i = 0; i != of_.threads.size(); ++i) {
      const auto meta = [&](const char* name, value args) {
        event({{"ph", "M"}, {"name", name}, {"pid", 1}, {"tid", tid(i)}, {"args", std::move(args)}});
      };
      meta("thread_name", {{"name", of_.threads[i]}});
      meta("thread_sort_index", {{"sort_index", tid(i)}});
    }
  }
  std::string part_name(const work_record& w) const {
    std::string name;
    for (const auto& p : of_.parts)
      if (p.number == w.part)
        for (const auto o : p.operators) name += (name.empty() ? "" : " | ") + of_.operators[o - 1];
    return name;
  }
  /// "ready after resize (segment 0)": by the last operator of the segment.
  std::map<std::uint32_t, std::string> channel_names() const {
    std::map<std::uint32_t, std::uint32_t> last;
    std::map<std::uint32_t, std::string> names;
    for (const auto& p : of_.parts)
      for (const auto o : p.operators) last[p.number] = std::max(last[p.number], o);
    std::map<std::uint32_t, std::uint32_t> ends;
    for (const auto& w : of_.work) ends[w.segment] = std::max(ends[w.segment], last[w.part]);
    for (const auto& [segment, o] : ends)
      names[segment] =
          "ready" + (o == 0 ? "" : " after " + of_.operators[o - 1]) + " (segment " + std::to_string(segment) + ")";
    return names;
  }
  std::uint32_t track(const std::string& thread) const {
    return static_cast<std::uint32_t>(std::find(of_.threads.begin(), of_.threads.end(), thread) - of_.threads.begin());
  }
  void batches() {
    std::uint64_t id = 0;
    std::vector<std::int64_t> since(of_.threads.size());  // when a thread of the consumer was done with the last one
    for (const auto& b : batches_of(of_).batches) {
      const auto name = "batch " + std::to_string(b.index);
      const value args{{"epoch", b.epoch},   {"pass", b.pass},
                       {"index", b.index},   {"preparation_s", b.preparation()},
                       {"wait_s", b.wait()}, {"delay_s", b.delay()}};
      const auto worker = track(b.worker), consumer = track(b.consumer);
      // times that are not known, and spread between fetches, may come later than what the thread did next
      const auto asked = std::max(b.asked, since[consumer]), had = std::max(b.had, asked);
      since[consumer] = std::max(b.released, had);
      // without threads the consumer's track shows the work itself
      if (had > asked && worker != consumer) slice(consumer, "wait", "wait", asked, had, args);
      slice(consumer, name, "batch", had, std::max(b.released, had + 1), args);
      value flow{{"ph", "s"}, {"name", "batch"},   {"cat", "batch"}, {"id", ++id}, {"ts", us(b.ready - 1)},
                 {"pid", 1},  {"tid", tid(worker)}};
      event(flow);
      flow["ph"] = "f";
      flow["bp"] = "e";  // of the enclosing slice
      flow["ts"] = us(had);
      flow["tid"] = tid(consumer);
      event(flow);
    }
  }

  const timeline& of_;
  std::int64_t from_ = 0;
  std::vector<std::size_t> tids_;  ///< of each thread
  std::string out_;
  bool first_ = true;
};

inline timeline chrome_trace_in(std::string_view text) {
  need_flat(text);
  value v;
  try {
    v = value::parse(text);
  } catch (const nlohmann::json::exception& e) {
    complain("", std::string("the text cannot be parsed: ") + e.what());
  }
  timeline t;
  const std::string kind(kind_of(&t));
  if (!v.is_object() || !v.contains("otherData") || !v["otherData"].is_object() ||
      !v["otherData"].contains("plumbline") || v["otherData"]["plumbline"] != kind)
    complain("", "this is not a trace of plumbline; load what chrome_trace or save_chrome_trace wrote");
  if (v["otherData"]["format"] != format)
    complain("otherData.format",
             "is not " + std::to_string(format) + "; it was written by another version, make it again");
  in(v["otherData"]["timeline"], t, "otherData.timeline");
  if (!v.contains("traceEvents") || !v["traceEvents"].is_array()) complain("traceEvents", "is missing");
  std::size_t i = 0;
  for (const auto& e : v["traceEvents"]) {
    const auto where = "traceEvents[" + std::to_string(i++) + "]";
    need(e.is_object() && e.contains("ph"), where, e, "an event");
    if (e["ph"] != "X" || !e.contains("cat") || !e.contains("args")) continue;
    if (e["cat"] == "part") in(e["args"], t.work.emplace_back(), where + ".args");
    if (e["cat"] == "operator") in(e["args"], t.samples.emplace_back(), where + ".args");
  }
  need_whole(t);
  return t;
}

}  // namespace detail::json

/// The text of such a file. O(n log n) in events.
inline std::string chrome_trace(const timeline& of) { return detail::json::chrome_writer(of).text(); }
/// Reads what chrome_trace wrote: exactly the same timeline. Throws std::invalid_argument, saying where and what, for
/// text that is not JSON, a trace of another program, and one that is not complete.
inline timeline read_chrome_trace(std::string_view text) {
  return detail::json::complaining_as("plumbline: chrome_trace: ", [&] { return detail::json::chrome_trace_in(text); });
}
/// The same with a file. Both throw std::invalid_argument also for a file that cannot be written or read, with the
/// reason.
inline void save_chrome_trace(const timeline& of, const std::string& path) {
  detail::write_text(chrome_trace(of), path, "chrome_trace");
}
inline timeline load_chrome_trace(const std::string& path) {
  const auto text = detail::read_text(path, "chrome_trace");
  return detail::json::complaining_as("plumbline: chrome_trace: " + path + ": ",
                                      [&] { return detail::json::chrome_trace_in(text); });
}

}  // namespace plumbline
