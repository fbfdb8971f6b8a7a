#pragma once
/// Formatting of numbers, sizes and times for messages and reports.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline {

/// Formats x as printf does in the C locale, whatever the program's locale is; "-" if x is infinite. `format`: "%.4g",
/// "%8.2f", that is a width or none, a precision, and f or g.
inline std::string number_text(double x, const char* format = "%.4g") {
  if (std::isinf(x)) return "-";
  const char* at = format + 1;
  const auto number = [&] {
    int n = 0;
    for (; *at >= '0' && *at <= '9'; ++at) n = 10 * n + (*at - '0');
    return n;
  };
  const auto width = static_cast<std::size_t>(number());
  if (*at == '.') ++at;
  const int precision = number();
  char text[400];
  const auto how = *at == 'f' ? std::chars_format::fixed : std::chars_format::general;
  const std::string_view is(
      text, static_cast<std::size_t>(std::to_chars(text, text + sizeof text, x, how, precision).ptr - text));
  return std::string(width - std::min(width, is.size()), ' ').append(is);
}
/// A number of which the first two digits matter: "0.12", "1.5", "190", "2.3e+05".
inline std::string short_text(double x) { return number_text(x, x >= 99.5 && x < 9999.5 ? "%.0f" : "%.2g"); }
/// A number of bytes: "148 GB", "1.5 kB", "1e+285 PB".
inline std::string bytes_text(double size) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t u = 0;
  for (; size >= 999.5 && u != 5; ++u) size /= 1000;
  return number_text(size, size >= 9999.5 ? "%.4g" : u == 0 || size >= 99.95 ? "%.0f" : "%.1f") + " " + units[u];
}
/// Bytes per second: "1.5 MB/s".
inline std::string rate_text(double bytes_per_second) { return bytes_text(bytes_per_second) + "/s"; }
/// A share: "14 %"; never "-0 %".
inline std::string percent_text(double share) { return number_text(std::nearbyint(100 * share) + 0.0, "%.0f") + " %"; }
/// A time: "1.5 s", "27.2 us".
inline std::string time_text(double seconds) {
  if (seconds == 0) return "0";
  const char* const units[] = {"s", "ms", "us", "ns"};
  std::size_t u = 0;
  for (; seconds < 0.9995 && u != 3; ++u) seconds *= 1000;
  return number_text(seconds, "%.3g") + " " + units[u];
}

}  // namespace plumbline
