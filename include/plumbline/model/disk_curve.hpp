#pragma once
/// disk_curve: bytes per second against reads at a time, as concave pieces: bandwidth <= at + slope x reads for every
/// piece. Fitted to measured points (Plumber, section 4.3: "fit with a piecewise linear curve to be injected into the
/// optimizer"), which measure_disk takes (tune/measure_disk.hpp).
///   const auto d = disk_curve::fit({{1, 90e6}, {2, 170e6}, {4, 200e6}, {8, 205e6}});
///   d.at(3);                   // bytes per second
///   d.least_reads(d.at(100));  // the fewest reads at a time that reach the most

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumbline {

/// Where the reads of a measurement were served from.
enum class page_cache : unsigned char {
  unknown,   ///< nothing was measured: the curve was given
  bypassed,  ///< from storage: O_DIRECT
  dropped,   ///< from storage: the system was advised to drop the files before each read, and did
  in_use     ///< from memory: neither was possible, or had an effect; storage may be slower than the curve
};

struct disk_curve {
  struct point {
    double reads = 0, bytes_per_second = 0;
    friend bool operator==(const point&, const point&) = default;
  };
  struct piece {
    double at = 0, slope = 0;
  };
  /// Corners of the curve, from (0, 0), reads ascending; beyond the last it is flat. Empty: no limit is known.
  std::vector<point> corners{};
  std::vector<point> measured{};  ///< what the corners were fitted to, reads ascending; empty: the curve was given
  page_cache cache = page_cache::unknown;
  std::string how{};  ///< in words: what was read, and past the page cache or not

  friend bool operator==(const disk_curve&, const disk_curve&) = default;
  bool known() const { return !corners.empty(); }

  /// A limit whatever the number of reads, as of a token bucket.
  static disk_curve flat(double bytes_per_second) { return {.corners = {{0, 0}, {1e-3, bytes_per_second}}}; }

  /// The points themselves where they are concave; where noise makes them not, the slopes of neighbours are averaged
  /// (pool adjacent violators), which keeps the curve within the points. More reads are never modelled as slower: one
  /// need not make them. O(n log n). Throws std::invalid_argument if a point is not positive.
  static disk_curve fit(std::vector<point> points) {
    std::sort(points.begin(), points.end(), [](const point& a, const point& b) { return a.reads < b.reads; });
    disk_curve made;
    made.measured = points;
    struct run {
      double reads, bytes;  // how far it goes
      double slope() const { return bytes / reads; }
    };
    std::vector<run> runs;
    point last;
    for (const auto& p : points) {
      if (!(p.reads > 0) || !(p.bytes_per_second > 0) || !std::isfinite(p.reads + p.bytes_per_second))
        throw std::invalid_argument("plumbline: disk_curve: a measured point is " + std::to_string(p.bytes_per_second) +
                                    " bytes per second at " + std::to_string(p.reads) +
                                    " reads; both must be positive numbers");
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

  /// The same storage, read through a limit.
  disk_curve at_most(double bytes_per_second) const {
    if (!known()) return flat(bytes_per_second);
    if (most() <= bytes_per_second) return *this;
    auto cut = *this;
    while (cut.most() >= bytes_per_second) cut.corners.pop_back();
    cut.corners.push_back({least_reads(bytes_per_second), bytes_per_second});
    return cut;
  }

  /// Bytes per second with so many reads at a time; infinite if not known.
  double at(double reads) const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& p : pieces()) least = std::min(least, p.at + p.slope * reads);
    return least;
  }
  /// The most there is.
  double most() const { return known() ? corners.back().bytes_per_second : std::numeric_limits<double>::infinity(); }
  /// The fewest reads at a time that reach a bandwidth, or the most if that is less.
  double least_reads(double bytes_per_second) const {
    for (std::size_t i = 1; i < corners.size(); ++i) {
      const auto &a = corners[i - 1], &b = corners[i];
      if (bytes_per_second <= b.bytes_per_second)
        return a.reads + std::max(0.0, bytes_per_second - a.bytes_per_second) * (b.reads - a.reads) /
                             (b.bytes_per_second - a.bytes_per_second);
    }
    return known() ? corners.back().reads : 0;
  }
  std::vector<piece> pieces() const {
    std::vector<piece> all;
    for (std::size_t i = 1; i < corners.size(); ++i) {
      const auto &a = corners[i - 1], &b = corners[i];
      const double slope = (b.bytes_per_second - a.bytes_per_second) / (b.reads - a.reads);
      all.push_back({a.bytes_per_second - slope * a.reads, slope});
    }
    if (known()) all.push_back({most(), 0});
    return all;
  }
};

}  // namespace plumbline
