#pragma once
/// line_chart: lines over a common axis for pages, with marks on the axis.

#include <plumbline/report/svg.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::detail {

struct chart_line {
  std::string label;
  std::vector<std::pair<double, double>> points;  ///< x ascending; a value that is not finite is left out
};
struct chart_mark {
  double x = 0;
  std::string label;
};
struct chart_axes {
  double width = 1, height = 1;  ///< the largest values shown, above 0
  std::string x_name, y_name;
  std::function<std::string(double)> x_text;
  std::function<std::string(double)> y_text = [](double y) { return number_text(y, "%.3g"); };
};

/// Draws at most three lines in colours of their own, and dashed verticals at the marks.
inline void draw_lines(std::string& page, const chart_axes& of, const std::vector<chart_line>& lines,
                       const std::vector<chart_mark>& marks) {
  const double left = 90, right = 760, top = 30, bottom = 270;
  const auto x = [&](double v) { return left + (right - left) * v / of.width; };
  const auto y = [&](double v) { return bottom - (bottom - top) * std::min(v / of.height, 1.0); };
  const auto at = svg::at;
  svg d(page, 960, bottom + 48);
  d.path("M" + at(left) + " " + at(top) + "V" + at(bottom) + "H" + at(right), "way");
  d.words(left, top - 12, of.y_name, "class=\"s\"");
  d.words(right, bottom + 36, of.x_name, "text-anchor=\"end\" class=\"s\"");
  for (int i = 0; i <= 5; ++i) {
    d.words(x(of.width * i / 5), bottom + 17, of.x_text(of.width * i / 5), "text-anchor=\"middle\" class=\"s\"");
    d.words(left - 8, y(of.height * i / 5) + 4, of.y_text(of.height * i / 5), "text-anchor=\"end\" class=\"s\"");
  }
  double named = -1e9;  // where the last label is, so that labels do not overlap
  std::vector<std::pair<double, std::size_t>> ends;
  for (std::size_t i = 0; i != lines.size(); ++i) {
    const auto kind = std::to_string(i % 3);
    std::string way;
    double last = 0;
    for (const auto& [px, py] : lines[i].points) {
      if (!std::isfinite(py)) continue;
      way += (way.empty() ? "M" : "L") + at(x(px)) + " " + at(y(py));
      last = y(py);
    }
    if (way.empty()) continue;
    d.path(way, "l" + kind);
    ends.emplace_back(last, i);
  }
  std::sort(ends.begin(), ends.end());
  for (const auto& [end, i] : ends) {
    named = std::max(end + 4, named + 15);
    d.words(right + 8, named, lines[i].label, ("class=\"t" + std::to_string(i % 3) + "\"").c_str());
  }
  double label = top - 4;  // one below the other
  for (const auto& m : marks) {
    if (!std::isfinite(m.x) || m.x > of.width) continue;
    d.path("M" + at(x(m.x)) + " " + at(top) + "V" + at(bottom), "knee");
    const bool ends_there = x(m.x) > (left + right) / 2;
    d.words(x(m.x) + (ends_there ? -6 : 6), label += 14, m.label,
            ends_there ? "text-anchor=\"end\" class=\"s\"" : "class=\"s\"");
  }
}

}  // namespace plumbline::detail
