#pragma once
/// Traces and plans as JSON, by nlohmann-json (target plumbline::json).
///   save(stream.traced(), "run.json");
///   const auto t = load<plumbline::trace>("run.json");
///
/// What is written is read back exactly. Errors: std::invalid_argument that says where and what: "plumbline: json:
/// run.json: operators[3].facts.count is missing".

#include <plumbline/model/plan.hpp>
#include <plumbline/model/trace.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

namespace plumbline {
namespace detail::json {

using value = nlohmann::ordered_json;
inline constexpr int format = 2;  ///< changes when a file of before cannot be understood any more

// --- what a struct holds: the one list that both directions walk

template <class T>
concept enumeration = std::is_enum_v<T>;
// by switch, so that the compiler asks for the name of an enumerator that is added; empty: past the last
constexpr std::string_view name_of(form x) {
  switch (x) {
    case form::source:
      return "source";
    case form::renumber:
      return "renumber";
    case form::memo:
      return "memo";
    case form::join:
      return "join";
    case form::nest:
      return "nest";
    case form::element:
      return "element";
    case form::fill:
      return "fill";
    case form::decouple:
      return "decouple";
    case form::serial:
      return "serial";
    case form::structure:
      return "structure";
  }
  return {};
}
constexpr std::string_view name_of(ordering x) {
  switch (x) {
    case ordering::fixed:
      return "fixed";
    case ordering::permuted:
      return "permuted";
  }
  return {};
}
constexpr std::string_view name_of(randomness x) {
  switch (x) {
    case randomness::none:
      return "none";
    case randomness::seeded:
      return "seeded";
  }
  return {};
}
constexpr std::string_view name_of(page_cache x) {
  switch (x) {
    case page_cache::unknown:
      return "unknown";
    case page_cache::bypassed:
      return "bypassed";
    case page_cache::dropped:
      return "dropped";
    case page_cache::in_use:
      return "in_use";
  }
  return {};
}

template <class T, class Is>
concept same = std::same_as<std::remove_const_t<T>, Is>;
template <same<cardinality> T> void fields(T& x, auto&& f) {
  f("least", x.least), f("most", x.most), f("endless", x.endless);
}
template <same<stream_facts> T> void fields(T& x, auto&& f) {
  f("count", x.count), f("order", x.order), f("draws", x.draws), f("indexed", x.indexed), f("keyed", x.keyed),
      f("one_pass", x.one_pass), f("blocking", x.blocking);
}
template <same<layout_row> T> void fields(T& x, auto&& f) {
  f("number", x.number), f("name", x.name), f("element", x.element), f("facts", x.facts), f("how", x.how),
      f("blocking", x.blocking), f("random", x.random), f("copyable", x.copyable), f("stage", x.stage),
      f("handed_on", x.handed_on), f("inputs", x.inputs), f("takes", x.takes), f("replays", x.replays);
}
template <same<operator_counters> T> void fields(T& x, auto&& f) {
  f("completions", x.completions), f("bytes", x.bytes), f("bytes_read", x.bytes_read), f("cpu_seconds", x.cpu_seconds),
      f("wall_seconds", x.wall_seconds), f("timed", x.timed), f("bytes_squared", x.bytes_squared);
}
template <same<part_counters> T> void fields(T& x, auto&& f) {
  f("operators", x.operators), f("serial", x.serial), f("blocks", x.blocks), f("messages", x.messages),
      f("cpu_seconds", x.cpu_seconds), f("wall_seconds", x.wall_seconds), f("overhead_seconds", x.overhead_seconds),
      f("queued_seconds", x.queued_seconds);
}
template <same<file_read> T> void fields(T& x, auto&& f) { f("bytes", x.bytes), f("size", x.size); }
template <same<disk_curve::point> T> void fields(T& x, auto&& f) {
  f("reads", x.reads), f("bytes_per_second", x.bytes_per_second);
}
template <same<disk_curve> T> void fields(T& x, auto&& f) {
  f("corners", x.corners), f("measured", x.measured), f("cache", x.cache), f("how", x.how);
}
template <same<trace_sample> T> void fields(T& x, auto&& f) {
  f("wall_seconds", x.wall_seconds), f("minibatches", x.minibatches), f("cpu_seconds", x.cpu_seconds);
}
template <same<trace> T> void fields(T& x, auto&& f) {
  f("operators", x.operators), f("counters", x.counters), f("parts", x.parts), f("files", x.files),
      f("wall_seconds", x.wall_seconds), f("consumer_wait_seconds", x.consumer_wait_seconds), f("threads", x.threads),
      f("epochs", x.epochs), f("samples", x.samples), f("disk", x.disk);
}
template <same<part_plan> T> void fields(T& x, auto&& f) {
  f("operators", x.operators), f("serial", x.serial), f("blocks", x.blocks), f("parallelism", x.parallelism),
      f("cores", x.cores);
}
template <same<plan> T> void fields(T& x, auto&& f) {
  f("pipeline", x.pipeline), f("threads", x.threads), f("io_threads", x.io_threads), f("parts", x.parts),
      f("chunk", x.chunk), f("prefetch", x.prefetch), f("caches", x.caches), f("rate", x.rate), f("memory", x.memory),
      f("bottleneck", x.bottleneck), f("disk", x.disk);
}
constexpr std::string_view kind_of(const trace*) { return "trace"; }
constexpr std::string_view kind_of(const plan*) { return "plan"; }

// --- out

template <class T> value out(const T& x) {
  if constexpr (std::floating_point<T>) {
    if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x > 0 ? "infinity" : "-infinity";  // JSON has no such numbers
    return x;
  } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
    return x;
  } else if constexpr (enumeration<T>) {
    return name_of(x);
  } else if constexpr (requires { typename T::mapped_type; }) {
    value v = value::object();
    for (const auto& [key, each] : x) v[key] = out(each);
    return v;
  } else if constexpr (requires { typename T::value_type; }) {
    value v = value::array();
    for (const auto& each : x) v.push_back(out(each));
    return v;
  } else {
    value v;
    fields(x, [&](const char* name, const auto& each) { v[name] = out(each); });
    return v;
  }
}

// --- in; `where` is the way to the value, "operators[3].facts"

[[noreturn]] inline void complain(const std::string& where, const std::string& what) {
  throw std::invalid_argument("plumbline: json: " + where + (where.empty() ? "" : " ") + what);
}
inline void need(bool is, const std::string& where, const value& v, const char* wanted) {
  if (!is) complain(where, "is " + v.dump().substr(0, 40) + "; it must be " + wanted);
}

template <class T> void in(const value& v, T& x, const std::string& where) {
  if constexpr (std::same_as<T, bool>) {
    need(v.is_boolean(), where, v, "true or false");
    x = v.template get<bool>();
  } else if constexpr (std::floating_point<T>) {
    using limits = std::numeric_limits<T>;
    if (v == "infinity" || v == "-infinity")
      x = v == "infinity" ? limits::infinity() : -limits::infinity();
    else if (v == "nan")
      x = limits::quiet_NaN();
    else
      need(v.is_number(), where, v, "a number"), x = v.template get<T>();
  } else if constexpr (std::unsigned_integral<T>) {
    need(v.is_number_unsigned() && v.template get<std::uint64_t>() <= std::numeric_limits<T>::max(), where, v,
         "a whole number that fits");
    x = v.template get<T>();
  } else if constexpr (std::same_as<T, std::string>) {
    need(v.is_string(), where, v, "a string");
    x = v.template get<std::string>();
  } else if constexpr (enumeration<T>) {
    std::string known;
    for (unsigned char i = 0; !name_of(static_cast<T>(i)).empty(); ++i) {
      const auto name = name_of(static_cast<T>(i));
      if (v == name) {
        x = static_cast<T>(i);
        return;
      }
      known += (i == 0 ? "" : ", ") + std::string(name);
    }
    need(false, where, v, ("one of " + known).c_str());
  } else if constexpr (requires { typename T::mapped_type; }) {
    need(v.is_object(), where, v, "an object");
    for (const auto& [key, each] : v.items()) in(each, x[key], where + "[\"" + key + "\"]");
  } else if constexpr (requires { typename T::value_type; }) {
    need(v.is_array(), where, v, "an array");
    for (const auto& each : v) {
      const auto at = where + '[' + std::to_string(x.size()) + ']';
      in(each, x.emplace_back(), at);
    }
  } else {
    need(v.is_object(), where, v, "an object");
    fields(x, [&](const char* name, auto& each) {
      const auto at = where + (where.empty() ? "" : ".") + name;
      if (!v.contains(name)) complain(at, "is missing");
      in(v[name], each, at);
    });
  }
}

}  // namespace detail::json

/// A trace or a plan as JSON text. Bytes of names that are no UTF-8 are written as U+FFFD.
template <class T> std::string write_json(const T& x) {
  detail::json::value v{{"plumbline", detail::json::kind_of(&x)}, {"format", detail::json::format}};
  v.update(detail::json::out(x));
  return v.dump(1, ' ', false, detail::json::value::error_handler_t::replace);
}
/// The same back: read_json<trace>(text).
template <class T> T read_json(std::string_view text) {
  using namespace detail::json;
  T x;
  const std::string kind(kind_of(&x));
  value v;
  try {
    v = value::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    complain("", "the text is no JSON at byte " + std::to_string(e.byte) + "; was it written to the end?");
  } catch (const nlohmann::json::exception& e) {
    complain("", std::string("the text cannot be taken: ") + e.what());
  }
  if (!v.is_object() || !v.contains("plumbline") || v["plumbline"] != kind)
    complain("", "this is no " + kind + "; load what write_json or save wrote of one");
  if (!v.contains("format") || v["format"] != format)
    complain("format", "is not " + std::to_string(format) + "; it was written by another version, make it again");
  in(v, x, "");
  return x;
}

template <class T> void save(const T& x, const std::string& path) {
  const auto text = write_json(x);  // before the file is opened, which empties it
  std::ofstream file(path, std::ios::binary);
  file << text << '\n';
  if (!file.flush()) throw std::invalid_argument("plumbline: json: " + path + " cannot be written");
}
template <class T> T load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("plumbline: json: " + path + " cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return read_json<T>(std::move(text).str());
  } catch (const std::invalid_argument& e) {
    const std::string_view said = e.what(), begin = "plumbline: json: ";
    throw std::invalid_argument(std::string(begin) + path + ": " + std::string(said.substr(begin.size())));
  }
}

}  // namespace plumbline
