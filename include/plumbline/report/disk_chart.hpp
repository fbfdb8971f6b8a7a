#pragma once
/// Report of the disk: its curve as text and as a drawing, and the position of a plan on it.

#include <plumbline/model/planner.hpp>
#include <plumbline/report/svg.hpp>
#include <plumbline/report/table.hpp>

namespace plumbline::detail {

/// "The plan reads 41.2 MB/s, 34 % of what the disk gives, with 3.5 reads at a time."
inline std::string place_on_disk(const planning& made) {
  const auto& a = made.share;
  const auto most = made.best.disk.most();
  return "The plan reads " + rate_text(a.bytes_per_second) + ", " +
         number_text(100 * a.bytes_per_second / most, "%.0f") + " % of what the disk gives" +
         (a.reads >= 1 ? ", with " + number_text(a.reads, "%.3g") + " reads at a time" : "") + ".";
}
/// Returns the curve and the plan's position as text; empty if no curve is known.
inline std::string disk_text(const planning& made) {
  const auto& disk = made.best.disk;
  if (!disk.known()) return {};
  const bool measured = !disk.measured.empty();
  std::vector<std::vector<std::string>> cells{{"reads at a time", measured ? "measured" : "given", "fitted"}};
  if (!measured) cells[0].pop_back();
  for (const auto& p : measured ? disk.measured : disk.corners) {
    if (p.reads < 1) continue;
    cells.push_back({number_text(p.reads), rate_text(p.bytes_per_second)});
    if (measured) cells.back().push_back(rate_text(disk.at(p.reads)));
  }
  if (cells.size() == 1) cells = {{"however many reads: at most " + rate_text(disk.most())}};
  std::string text = "\nthe disk" + (disk.how.empty() ? "" : ": " + disk.how) + "\n";
  text += cells.size() == 1 ? cells[0][0] + "\n" : table(cells);
  return text + place_on_disk(made) + "\n";
}

/// Draws the measured points, the fitted pieces and the plan.
inline void draw_disk(std::string& page, const planning& made) {
  const auto& disk = made.best.disk;
  const double left = 90, right = 900, top = 20, bottom = 250;
  double reads = std::max({disk.corners.back().reads, made.share.reads, 1.0}), bytes = disk.most();
  for (const auto& p : disk.measured) {
    reads = std::max(reads, p.reads);
    bytes = std::max(bytes, p.bytes_per_second);
  }
  reads *= 1.05;
  const auto x = [&](double r) { return left + (right - left) * r / reads; };
  const auto y = [&](double b) { return bottom - (bottom - top) * b / bytes; };
  const auto point = [&](double r, double b) { return svg::at(x(r)) + " " + svg::at(y(b)); };
  svg d(page, 960, bottom + 40);
  d.path("M" + point(0, bytes) + "L" + point(0, 0) + "L" + point(reads, 0), "way");
  d.words(left - 8, y(bytes) + 4, rate_text(bytes), "text-anchor=\"end\" class=\"s\"");
  d.words(left - 8, bottom, "0", "text-anchor=\"end\" class=\"s\"");
  d.words(right, bottom + 32, "reads at a time", "text-anchor=\"end\" class=\"s\"");
  double labelled = -1e9;  // position of the last label, so that labels do not overlap
  for (const auto& p : disk.measured.empty() ? disk.corners : disk.measured) {
    if (p.reads < 1 || x(p.reads) < labelled + 18) continue;
    labelled = x(p.reads);
    d.words(labelled, bottom + 16, number_text(p.reads), "text-anchor=\"middle\" class=\"s\"");
  }
  std::string way;
  for (const auto& c : disk.corners) way += (way.empty() ? "M" : "L") + point(c.reads, c.bytes_per_second);
  d.path(way + "L" + point(reads, disk.most()), "fit");
  for (const auto& p : disk.measured) d.circle(x(p.reads), y(p.bytes_per_second), 4, "bar");
  const double here = made.share.bytes_per_second;
  d.path("M" + point(0, here) + "L" + point(made.share.reads, here) + "L" + point(made.share.reads, 0), "way serial");
  d.circle(x(made.share.reads), y(here), 6, "worst");
  d.words(x(made.share.reads) + 10, y(here) + 18, "the plan");
}

}  // namespace plumbline::detail
