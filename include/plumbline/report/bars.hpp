#pragma once
/// bars: rows of horizontal bars for pages, as HTML, so that labels wrap instead of being cut. Lengths are logarithmic,
/// as values may differ by many powers of ten; an axis names the decades.

#include <plumbline/report/svg.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace plumbline::detail {

/// One bar, with a label before it and text after it.
struct bar {
  std::string label, after;
  double value = 0;
  std::string kind = "bar";
};

/// A logarithmic axis over whole decades that holds all positive values.
struct decades {
  int low = 0, high = 1;

  explicit decades(const std::vector<bar>& bars) {
    double least = 0, most = 0;
    for (const auto& b : bars) {
      if (!(b.value > 0)) continue;
      least = least > 0 ? std::min(least, b.value) : b.value;
      most = std::max(most, b.value);
    }
    if (!(most > 0)) return;
    low = static_cast<int>(std::floor(std::log10(least / 1.5)));  // the shortest bar can be seen
    high = std::max(low + 1, static_cast<int>(std::ceil(std::log10(most) - 1e-9)));
  }
  double percent(double value) const { return value > 0 ? 100 * (std::log10(value) - low) / (high - low) : 0; }
};

/// Draws bars below each other. `name`: text for a value on the axis.
template <class Name> void draw_bars(std::string& page, const std::vector<bar>& bars, Name&& name) {
  const decades axis(bars);
  const auto percent = [](double x) { return number_text(x, "%.2f") + "%"; };
  const int all = axis.high - axis.low, step = (all + 5) / 6;
  page += "<div class=\"chart\" style=\"--decade:" + percent(100.0 * step / all) + "\">";
  for (const auto& b : bars)
    page += "<div class=\"row\"><span class=\"name\">" + escaped(b.label) + "</span><span class=\"track\"><b class=\"" +
            b.kind + "\" style=\"width:" + percent(axis.percent(b.value)) + "\"></b></span><span class=\"value\">" +
            escaped(b.after) + "</span></div>";
  page += "<div class=\"row axis\"><span></span><span class=\"track\">";
  for (int d = axis.low; d <= axis.high; d += step)
    page +=
        "<i style=\"left:" + percent(100.0 * (d - axis.low) / all) + "\">" + escaped(name(std::pow(10, d))) + "</i>";
  page += "</span><span></span></div></div>\n";
}

}  // namespace plumbline::detail
