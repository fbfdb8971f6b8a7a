#pragma once
/// box_plot: distributions as boxes over a common logarithmic axis: the quartiles with the median, and lines to the
/// least and the most.

#include <plumbline/model/distribution.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/report/svg.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace plumbline::detail {

struct box_row {
  std::string label, after;
  distribution of;
};

/// Values in seconds. Values below a thousandth of the largest median's decade are drawn at the left end.
inline void draw_boxes(std::string& page, const std::vector<box_row>& boxes) {
  double least = 0, most = 0;
  for (const auto& b : boxes) {
    if (!(b.of.most > 0)) continue;
    const double low = b.of.least > 0 ? b.of.least : b.of.q25 > 0 ? b.of.q25 : b.of.most;
    least = least > 0 ? std::min(least, low) : low;
    most = std::max(most, b.of.most);
  }
  if (!(most > 0)) return;
  const int high = static_cast<int>(std::ceil(std::log10(most) - 1e-9));
  const int low = std::clamp(static_cast<int>(std::floor(std::log10(least) + 1e-9)), high - 9, high - 1);
  const double left = 190, right = 720, row = 26, top = 8, bottom = top + row * static_cast<double>(boxes.size());
  const auto x = [&](double v) {
    return v > 0 ? left + (right - left) * std::clamp((std::log10(v) - low) / (high - low), 0.0, 1.0) : left;
  };
  svg d(page, 960, bottom + 26);
  for (int k = low; k <= high; ++k) {
    const double at = left + (right - left) * (k - low) / (high - low);
    d.path("M" + svg::at(at) + " " + svg::at(top) + "V" + svg::at(bottom), "grid");
    d.words(at, bottom + 16, time_text(std::pow(10, k)), "text-anchor=\"middle\" class=\"s\"");
  }
  for (std::size_t i = 0; i != boxes.size(); ++i) {
    const auto& b = boxes[i];
    const double y = top + row * static_cast<double>(i), middle = y + row / 2;
    d.words(left - 10, middle + 4, shortened(b.label, 26), "text-anchor=\"end\"");
    d.words(right + 14, middle + 4, b.after, "class=\"s\"");
    if (b.of.count == 0) continue;
    d.path("M" + svg::at(x(b.of.least)) + " " + svg::at(middle) + "H" + svg::at(x(b.of.most)), "way");
    for (const double end : {b.of.least, b.of.most})
      d.path("M" + svg::at(x(end)) + " " + svg::at(middle - 4) + "v8", "way");
    d.rectangle(x(b.of.q25), y + 5, x(b.of.q75) - x(b.of.q25), row - 10, "bar");
    d.path("M" + svg::at(x(b.of.median)) + " " + svg::at(y + 3) + "v" + svg::at(row - 6), "middle");
  }
}

}  // namespace plumbline::detail
