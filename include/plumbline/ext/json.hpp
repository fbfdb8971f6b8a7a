#pragma once
/// Traces, plans, stall analyses, price lists, timelines, batches and their report as JSON, by nlohmann-json (target
/// plumbline::json).
///   save(stream.traced(), "run.json");
///   const auto t = load<plumbline::trace>("run.json");
///
/// Values are read back exactly as written. Errors are std::invalid_argument and say where and what: "plumbline: json:
/// run.json: operators[3].facts.count is missing".

#include <plumbline/core/excerpt.hpp>
#include <plumbline/model/mistakes.hpp>
#include <plumbline/model/reflect_stalls.hpp>
#include <plumbline/model/text_files.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {
namespace detail::json {

using value = nlohmann::ordered_json;
inline constexpr int format = 17;  ///< changes when older files can no longer be read

constexpr std::string_view kind_of(const trace*) { return "trace"; }
constexpr std::string_view kind_of(const plan*) { return "plan"; }
constexpr std::string_view kind_of(const stall_analysis*) { return "stall analysis"; }
constexpr std::string_view kind_of(const stall_prediction*) { return "stall prediction"; }
constexpr std::string_view kind_of(const offer*) { return "offer"; }
constexpr std::string_view kind_of(const std::vector<offer>*) { return "price list"; }
constexpr std::string_view kind_of(const cache_placement*) { return "placement of caches"; }
constexpr std::string_view kind_of(const epoch_stalls*) { return "epoch's stalls"; }
constexpr std::string_view kind_of(const rate_baseline*) { return "baseline"; }
constexpr std::string_view kind_of(const timeline*) { return "timeline"; }
constexpr std::string_view kind_of(const batch_log*) { return "batch log"; }
constexpr std::string_view kind_of(const batch_report*) { return "batch report"; }

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
    members_of(x, [&](const char* name, const auto& each) { v[name] = out(each); });
    return v;
  }
}

// --- in; `where` is the path to the value, "operators[3].facts"

[[noreturn]] inline void complain(const std::string& where, const std::string& what) {
  throw std::invalid_argument("plumbline: json: " + where + (where.empty() ? "" : " ") + what);
}
/// Calls f. What it complains about begins with `begin` instead.
template <class F> auto complaining_as(const std::string& begin, F&& f) {
  try {
    return f();
  } catch (const std::invalid_argument& e) {
    const std::string_view said = e.what(), own = "plumbline: json: ";
    throw std::invalid_argument(begin + std::string(said.substr(own.size())));
  }
}
inline void need(bool is, const std::string& where, const value& v, const char* wanted) {
  if (!is) complain(where, "is " + excerpt(v.dump(), 40) + "; it must be " + wanted);
}
/// Complains about text with many values within values. The library copies and writes what is within a value by calling
/// itself, so they would take all of the stack.
inline void need_flat(std::string_view text) {
  constexpr int most = 100;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > most)
      complain("", "the text has more than " + std::to_string(most) + " arrays and objects within each other at byte " +
                       std::to_string(i + 1) + "; load what plumbline wrote");
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
}
/// Complains about values that are each of the right type, but do not fit together.
template <class T> void need_whole(const T& x) {
  if constexpr (requires { mistake_in(x); })
    if (const auto wrong = mistake_in(x); !wrong.empty()) complain("", wrong);
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
  } else if constexpr (std::signed_integral<T>) {
    const bool fits = v.is_number_integer() &&
                      (!v.is_number_unsigned() ||
                       v.template get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) &&
                      v.template get<std::int64_t>() >= std::numeric_limits<T>::min();
    need(fits, where, v, "a whole number that fits");
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
    x.clear();  // some arrays begin with a value of their own
    for (const auto& each : v) {
      const auto at = where + '[' + std::to_string(x.size()) + ']';
      in(each, x.emplace_back(), at);
    }
  } else {
    need(v.is_object(), where, v, "an object");
    members_of(x, [&](const char* name, auto& each) {
      const auto at = where + (where.empty() ? "" : ".") + name;
      if (!v.contains(name)) complain(at, "is missing");
      in(v[name], each, at);
    });
  }
}

}  // namespace detail::json

/// A trace, a plan, an analysis, a prediction, a price list (its offers are "list") or an offer, a placement of caches,
/// an epoch's stalls, a baseline, a batch log or its report, or a timeline as JSON text. Bytes of names that are not
/// UTF-8 are written as U+FFFD.
template <class T> std::string write_json(const T& x) {
  detail::json::value v{{"plumbline", detail::json::kind_of(&x)}, {"format", detail::json::format}};
  if constexpr (requires { typename T::value_type; })
    v["list"] = detail::json::out(x);
  else
    v.update(detail::json::out(x));
  return v.dump(1, ' ', false, detail::json::value::error_handler_t::replace);
}
/// Reads what write_json wrote: read_json<trace>(text).
template <class T> T read_json(std::string_view text) {
  using namespace detail::json;
  T x;
  const std::string kind(kind_of(&x));
  need_flat(text);
  value v;
  try {
    v = value::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    complain("", "the text is not JSON at byte " + std::to_string(e.byte) + "; was it written to the end?");
  } catch (const nlohmann::json::exception& e) {
    complain("", std::string("the text cannot be parsed: ") + e.what());
  }
  if (!v.is_object() || !v.contains("plumbline") || v["plumbline"] != kind)
    complain("", "this is not a " + kind + "; load what write_json or save wrote of one");
  if (!v.contains("format") || v["format"] != format)
    complain("format", "is not " + std::to_string(format) + "; it was written by another version, make it again");
  if constexpr (requires { typename T::value_type; }) {
    if (!v.contains("list")) complain("list", "is missing");
    in(v["list"], x, "list");
  } else {
    in(v, x, "");
  }
  need_whole(x);
  return x;
}

template <class T> void save(const T& x, const std::string& path) {
  const auto text = write_json(x) + '\n';  // before the file is opened, which empties it
  detail::write_text(text, path, "json");
}
template <class T> T load(const std::string& path) {
  const auto text = detail::read_text(path, "json");
  return detail::json::complaining_as("plumbline: json: " + path + ": ", [&] { return read_json<T>(text); });
}

}  // namespace plumbline
