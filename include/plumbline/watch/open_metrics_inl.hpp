#pragma once
/// Definitions of watch/open_metrics.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/watch/open_metrics.hpp>
#include <plumbline/watch/stats_text.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace plumbline {

namespace detail {

class metrics_writer {
 public:
  explicit metrics_writer(const metric_labels& labels) {
    std::vector<std::string> seen{"operator", "name", "after", "queue", "for", "plumbline_phase", "plumbline_limit"};
    for (const auto& [name, value] : labels) {
      check(name, seen);
      seen.push_back(name);
      label(labels_, name, value);
    }
  }
  /// Begins a metric family, whose samples follow. Its name is plumbline_`name`; with a unit, the name ends with it.
  metrics_writer& family(const std::string& name, std::string_view type, std::string_view help,
                         std::string_view unit = {}) {
    name_ = "plumbline_" + name;
    suffix_ = type == "counter" ? "_total" : "";
    text_ += "# TYPE " + name_ + ' ';
    (text_ += type) += '\n';
    if (!unit.empty()) ((text_ += "# UNIT " + name_ + ' ') += unit) += '\n';
    text_ += "# HELP " + name_ + ' ' + escaped(help) + '\n';
    return *this;
  }
  metrics_writer& sample(double value, const metric_labels& own = {}) {
    std::string all = labels_;
    for (const auto& [name, x] : own) label(all, name, x);
    text_ += name_ + suffix_ + (all.empty() ? "" : '{' + all + '}') + ' ' + number(value) + '\n';
    return *this;
  }
  std::string done() && { return std::move(text_ += "# EOF\n"); }

 private:
  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : as_utf8(text)) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '\\' || c == '"') out += '\\';
      out += c;
    }
    return out;
  }
  static std::string number(double x) {
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x > 0 ? "+Inf" : "-Inf";
    return exact_number(x);
  }
  static void label(std::string& to, const std::string& name, std::string_view value) {
    to += (to.empty() ? "" : ",") + name + "=\"" + escaped(value) + '"';
  }
  static void check(const std::string& name, const std::vector<std::string>& seen) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const bool legal =
        !name.empty() && letter(name.front()) && !name.starts_with("__") &&
        std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
    if (!legal)
      throw std::invalid_argument("plumbline: open_metrics: \"" + name +
                                  "\" cannot be the name of a label; use letters, digits and _");
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      throw std::invalid_argument("plumbline: open_metrics: the label \"" + name +
                                  "\" occurs twice, or is one that plumbline uses itself");
  }
  std::string text_, labels_, name_, suffix_;
};

inline void write_counted(metrics_writer& to, const counted_stats& c) {
  const auto of_each = [&](auto&& value) {
    for (const auto& o : c.operators)
      to.sample(static_cast<double>(value(o)), {{"operator", std::to_string(o.number)}, {"name", o.name}});
  };
  to.family("operator_elements", "counter", "Elements that the operator has yielded, all of them.");
  of_each([](const auto& o) { return o.elements; });
  to.family("operator_yielded_bytes", "counter", "Size of the elements that the operator has yielded.", "bytes");
  of_each([](const auto& o) { return o.bytes; });
  to.family("operator_cpu_seconds", "counter",
            "Processor time of the operator, all threads together, while it was recorded.", "seconds");
  of_each([](const auto& o) { return o.cpu_seconds; });
  to.family("operator_wall_seconds", "counter",
            "Time in the operator's calls, with what they waited, while it was recorded.", "seconds");
  of_each([](const auto& o) { return o.wall_seconds; });
  to.family("operator_recorded_elements", "counter",
            "Elements that the operator has yielded while its time was recorded: divide the time by these.");
  of_each([](const auto& o) { return o.recorded; });
  if (c.slowest)
    to.family("slowest_operator_rate", "gauge",
              "Elements per second that the slowest part of the run could make, by the recorded times.")
        .sample(c.slowest->rate, {{"operator", std::to_string(c.slowest->number)}, {"name", c.slowest->name}});
  if (c.caches) {
    to.family("cache_hits", "counter", "Elements that were found in a cache.")
        .sample(static_cast<double>(c.caches->hits));
    to.family("cache_misses", "counter", "Elements of caches that had to be made.")
        .sample(static_cast<double>(c.caches->misses));
    if (c.caches->bytes)
      to.family("cache_bytes", "gauge", "Memory of the elements in caches, estimated.", "bytes")
          .sample(*c.caches->bytes);
  }
  if (c.queued_bytes)
    to.family("queued_bytes", "gauge", "Memory of the elements in queues, estimated.", "bytes").sample(*c.queued_bytes);
}

}  // namespace detail

PLUMBLINE_INLINE std::string open_metrics(const stream_stats& s, const metric_labels& labels) {
  detail::metrics_writer to(labels);
  const auto whole = [](auto n) { return static_cast<double>(n); };
  to.family("elements", "counter", "Elements taken from the stream.").sample(whole(s.elements));
  to.family("running_seconds", "counter", "Time within epochs.", "seconds").sample(s.seconds);
  to.family("waited_seconds", "counter", "Time in which the consumer waited for elements.", "seconds")
      .sample(s.waited_seconds);
  to.family("failures", "counter", "Failures thrown to the consumer.").sample(whole(s.failures));
  to.family("epoch", "gauge", "Number of the epoch that runs, or ran last.").sample(whole(s.epoch));
  to.family("epoch_position", "gauge", "Elements of the epoch taken so far.").sample(whole(s.position));
  if (s.size) to.family("epoch_size", "gauge", "Elements in an epoch.").sample(whole(*s.size));
  to.family("phase", "stateset", "Where the stream is in its epochs.");
  for (const auto p : {stream_phase::not_begun, stream_phase::running, stream_phase::ended, stream_phase::failed,
                       stream_phase::stopped})
    to.sample(p == s.phase ? 1 : 0, {{"plumbline_phase", std::string(detail::name_of_phase(p))}});
  if (s.this_epoch) {
    to.family("epoch_rate", "gauge", "Elements per second in this epoch.").sample(s.rate());
    to.family("epoch_waited_ratio", "gauge", "Share of this epoch in which the consumer waited, and for what.",
              "ratio");
    to.sample(s.this_epoch->prep(), {{"for", "preparation"}}).sample(s.this_epoch->io(), {{"for", "reading"}});
  }
  if (const auto limit = s.limit()) {
    to.family("limit", "stateset", "What limits the rate of the stream in this epoch.");
    for (const auto l : {stream_limit::consumer, stream_limit::preparation, stream_limit::reading})
      to.sample(l == *limit ? 1 : 0, {{"plumbline_limit", std::string(detail::name_of_limit(l))}});
  }
  const auto queues = [&](const char* name, const char* help, auto member) {
    if (s.queues.empty()) return;
    to.family(name, "gauge", help);
    for (std::size_t i = 0; i != s.queues.size(); ++i) {
      const auto& q = s.queues[i];
      to.sample(whole(q.*member), {{"queue", std::to_string(i + 1)},
                                   {"after", std::to_string(q.after)},
                                   {"name", q.name + (q.inside ? " (inside)" : "")}});
    }
  };
  queues("queue_capacity", "The most messages in flight.", &queue_stats::capacity);
  queues("queue_in_flight", "Messages that are being made, are ready, or are in use.", &queue_stats::in_flight);
  queues("queue_ready", "Messages that wait to be taken.", &queue_stats::ready);
  queues("queue_early", "Messages that wait for an earlier one.", &queue_stats::early);
  queues("queue_elements", "Elements in the messages that wait to be taken.", &queue_stats::elements);
  if (s.process_bytes)
    to.family("process_resident_bytes", "gauge", "Resident memory of the whole process.", "bytes")
        .sample(*s.process_bytes);
  if (s.counted) detail::write_counted(to, *s.counted);
  return std::move(to).done();
}

}  // namespace plumbline
