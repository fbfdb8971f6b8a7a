#pragma once
/// Definitions of model/disk_curve.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/disk_curve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace plumbline {

PLUMBLINE_INLINE disk_curve disk_curve::fit(std::vector<point> points) {
  std::sort(points.begin(), points.end(), [](const point& a, const point& b) { return a.reads < b.reads; });
  disk_curve made;
  made.measured = points;
  struct run {
    double reads, bytes;  // its extent along both axes
    double slope() const { return bytes / reads; }
  };
  std::vector<run> runs;
  point last;
  for (const auto& p : points) {
    if (!(p.reads > 0) || !(p.bytes_per_second > 0) || !std::isfinite(p.reads + p.bytes_per_second))
      throw std::invalid_argument("plumbline: disk_curve: a measured point is " +
                                  detail::exact_number(p.bytes_per_second) + " bytes per second at " +
                                  detail::exact_number(p.reads) + " reads; both must be positive numbers");
    if (p.reads == last.reads) continue;
    runs.push_back({p.reads - last.reads, p.bytes_per_second - last.bytes_per_second});
    last = p;
    while (runs.size() > 1 && runs.back().slope() >= runs[runs.size() - 2].slope()) {
      const auto b = runs.back();
      runs.pop_back();
      runs.back() = {runs.back().reads + b.reads, runs.back().bytes + b.bytes};
    }
  }
  if (runs.empty()) return made;
  point at;
  made.corners.push_back(at);
  for (const auto& r : runs) {
    if (r.bytes <= 0) break;
    made.corners.push_back(at = {at.reads + r.reads, at.bytes_per_second + r.bytes});
  }
  return made;
}

PLUMBLINE_INLINE disk_curve disk_curve::at_most(double bytes_per_second) const {
  if (!known()) return flat(bytes_per_second);
  if (most() <= bytes_per_second) return *this;
  auto cut = *this;
  while (cut.most() >= bytes_per_second) cut.corners.pop_back();
  cut.corners.push_back({least_reads(bytes_per_second), bytes_per_second});
  return cut;
}

PLUMBLINE_INLINE double disk_curve::at(double reads) const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& p : pieces()) least = std::min(least, p.at + p.slope * reads);
  return least;
}

PLUMBLINE_INLINE double disk_curve::most() const {
  return known() ? corners.back().bytes_per_second : std::numeric_limits<double>::infinity();
}

PLUMBLINE_INLINE double disk_curve::least_reads(double bytes_per_second) const {
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const auto &a = corners[i - 1], &b = corners[i];
    if (bytes_per_second <= b.bytes_per_second)
      return a.reads + std::max(0.0, bytes_per_second - a.bytes_per_second) * (b.reads - a.reads) /
                           (b.bytes_per_second - a.bytes_per_second);
  }
  return known() ? corners.back().reads : 0;
}

PLUMBLINE_INLINE std::vector<disk_curve::piece> disk_curve::pieces() const {
  std::vector<piece> all;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const auto &a = corners[i - 1], &b = corners[i];
    const double slope = (b.bytes_per_second - a.bytes_per_second) / (b.reads - a.reads);
    all.push_back({a.bytes_per_second - slope * a.reads, slope});
  }
  if (known()) all.push_back({most(), 0});
  return all;
}

}  // namespace plumbline
