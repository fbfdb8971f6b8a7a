#pragma once
/// Definitions of watch/stats_text.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/watch/stats_text.hpp>

#include <cmath>
#include <concepts>
#include <cstdio>
#include <optional>
#include <type_traits>

namespace plumbline {

namespace detail {

PLUMBLINE_INLINE std::string_view name_of_phase(stream_phase p) {
  switch (p) {
    case stream_phase::not_begun:
      return "not_begun";
    case stream_phase::running:
      return "running";
    case stream_phase::ended:
      return "ended";
    case stream_phase::failed:
      return "failed";
    case stream_phase::stopped:
      return "stopped";
  }
  return {};
}
PLUMBLINE_INLINE std::string_view name_of_limit(stream_limit l) {
  switch (l) {
    case stream_limit::consumer:
      return "consumer";
    case stream_limit::preparation:
      return "preparation";
    case stream_limit::reading:
      return "reading";
  }
  return {};
}
PLUMBLINE_INLINE std::string limit_text(const stream_stats& s, double stalled) {
  const auto limit = s.limit();
  if (!limit) return "nothing taken yet";
  if (*limit == stream_limit::consumer) return "the consumer is the limit";
  std::string text = "waits " + number_text(100 * stalled, "%.0f") + "% for ";
  if (*limit == stream_limit::preparation && s.counted && s.counted->slowest)
    return text + s.counted->slowest->name + " (" + std::to_string(s.counted->slowest->number) + ")";
  return text += name_of_limit(*limit);
}

/// The number of bytes of the UTF-8 character that the text begins with; 0: it does not begin with one.
inline std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return at(i) >= least && at(i) <= most;
  };
  const auto first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)  // no overlong forms, no surrogates
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}
PLUMBLINE_INLINE std::string as_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto n = utf8_length(text);
    out += n == 0 ? "\xEF\xBF\xBD" : text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

/// Writes one JSON object.
class json_object {
 public:
  explicit json_object(std::string& to) : to_(to) { to_ += '{'; }
  json_object(const json_object&) = delete;
  ~json_object() { to_ += '}'; }
  template <class T> json_object& operator()(std::string_view name, const T& x) {
    if (!first_) to_ += ',';
    first_ = false;
    value(name);
    to_ += ':';
    value(x);
    return *this;
  }

 private:
  void value(std::string_view text) {
    to_ += '"';
    for (const char c : as_utf8(text)) {
      if (c == '"' || c == '\\') {
        to_ += '\\';
        to_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
        to_ += escaped;
      } else {
        to_ += c;
      }
    }
    to_ += '"';
  }
  void value(const std::string& text) { value(std::string_view(text)); }
  template <std::integral N> void value(N x) {
    if constexpr (std::same_as<N, bool>)
      to_ += x ? "true" : "false";
    else
      to_ += std::to_string(x);
  }
  void value(double x) { to_ += std::isfinite(x) ? exact_number(x) : "null"; }
  void value(stream_phase x) { value(name_of_phase(x)); }
  void value(stream_limit x) { value(name_of_limit(x)); }
  template <class T> void value(const std::optional<T>& x) {
    if (x)
      value(*x);
    else
      to_ += "null";
  }
  template <class T> void value(const std::vector<T>& all) {
    to_ += '[';
    for (std::size_t i = 0; i != all.size(); ++i) {
      if (i != 0) to_ += ',';
      value(all[i]);
    }
    to_ += ']';
  }
  void value(const epoch_stalls& x) {
    json_object{to_}("epoch", x.epoch)("whole", x.whole)("elements", x.elements)("seconds", x.seconds)(
        "prep_seconds", x.prep_seconds)("io_seconds", x.io_seconds);
  }
  void value(const queue_stats& x) {
    json_object{to_}("after", x.after)("name", x.name)("inside", x.inside)("capacity", x.capacity)(
        "in_flight", x.in_flight)("ready", x.ready)("early", x.early)("elements", x.elements);
  }
  void value(const operator_stats& x) {
    json_object{to_}("number", x.number)("name", x.name)("elements", x.elements)("bytes", x.bytes)(
        "cpu_seconds", x.cpu_seconds)("wall_seconds", x.wall_seconds)("recorded", x.recorded);
  }
  void value(const slowest_operator& x) { json_object{to_}("number", x.number)("name", x.name)("rate", x.rate); }
  void value(const cache_stats& x) { json_object{to_}("hits", x.hits)("misses", x.misses)("bytes", x.bytes); }
  void value(const counted_stats& x) {
    json_object{to_}("slowest", x.slowest)("caches", x.caches)("queued_bytes", x.queued_bytes)("operators",
                                                                                               x.operators);
  }
  std::string& to_;
  bool first_ = true;
};

/// Adds the members of the figures to an object.
inline void add_stats(json_object& to, const stream_stats& s) {
  to("phase", s.phase)("epoch", s.epoch)("position", s.position)("size", s.size)("rate", s.rate())(
      "stalled", s.stalled())("limit", s.limit())("eta_seconds", s.eta_seconds())("elements", s.elements)(
      "seconds", s.seconds)("waited_seconds", s.waited_seconds)("failures", s.failures)("last_failure", s.last_failure)(
      "process_bytes", s.process_bytes)("this_epoch", s.this_epoch)("queues", s.queues)("counted", s.counted);
}

}  // namespace detail

PLUMBLINE_INLINE std::string write_stats(const stream_stats& s) {
  std::string text;
  {
    detail::json_object all(text);
    detail::add_stats(all, s);
  }
  return text;
}
PLUMBLINE_INLINE std::ostream& operator<<(std::ostream& out, const stream_stats& s) {
  using namespace detail;
  std::string text = "epoch " + std::to_string(s.epoch) + ", " + std::string(name_of_phase(s.phase)) + ": " +
                     std::to_string(s.position) + (s.size ? " of " + std::to_string(*s.size) : "") + " elements, " +
                     number_text(s.rate()) + " a second, " + limit_text(s, s.stalled());
  for (const auto& q : s.queues)
    text += (q.inside ? "\n  inside " : "\n  after ") + q.name + " (" + std::to_string(q.after) +
            "): " + std::to_string(q.ready) + " of " + std::to_string(q.capacity) + " messages ready" +
            (q.early == 0 ? "" : ", " + std::to_string(q.early) + " early");
  if (s.counted && s.counted->caches)
    text += "\n  caches, all epochs: " + std::to_string(s.counted->caches->hits) + " hits, " +
            std::to_string(s.counted->caches->misses) + " misses" +
            (s.counted->caches->bytes ? ", they hold " + bytes_text(*s.counted->caches->bytes) : "");
  if (s.last_failure) text += "\n  " + std::to_string(s.failures) + " failures, the last: " + *s.last_failure;
  return out << text << '\n';
}

}  // namespace plumbline
