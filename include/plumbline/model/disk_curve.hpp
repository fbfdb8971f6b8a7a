#pragma once
/// disk_curve: storage bandwidth as a function of the number of concurrent reads, as concave pieces: bandwidth <= at +
/// slope x reads for every piece. Fitted to points that measure_disk measures (tune/measure_disk.hpp). Plumber, section
/// 4.3: "fit with a piecewise linear curve to be injected into the optimizer".
///   const auto d = disk_curve::fit({{1, 90e6}, {2, 170e6}, {4, 200e6}, {8, 205e6}});
///   d.at(3);                   // bytes per second
///   d.least_reads(d.at(100));  // the fewest concurrent reads that reach the maximum

#include <plumbline/core/compiled.hpp>
#include <string>
#include <vector>

namespace plumbline {

/// Where the reads of a measurement were served from.
enum class page_cache : unsigned char {
  unknown,   ///< nothing was measured: the curve was given
  bypassed,  ///< from storage: O_DIRECT
  dropped,   ///< from storage: the system was advised to drop the files before each read, and did
  in_use     ///< from memory: neither was possible or effective; storage may be slower than the curve
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
  std::vector<point> measured{};  ///< the points that it was fitted to, reads ascending; empty: the curve was given
  page_cache cache = page_cache::unknown;
  std::string how{};  ///< description: what was read, and whether past the page cache

  friend bool operator==(const disk_curve&, const disk_curve&) = default;
  bool known() const { return !corners.empty(); }

  /// A limit that does not depend on the number of reads, such as that of a token bucket.
  static disk_curve flat(double bytes_per_second) { return {.corners = {{0, 0}, {1e-3, bytes_per_second}}}; }

  /// Returns the curve through the points where they are concave; where noise makes them not concave, the slopes of
  /// neighbours are averaged (pool adjacent violators), which keeps the curve within the points. More reads are never
  /// modelled as slower, as one need not make them. O(n log n). Throws std::invalid_argument if a point is not
  /// positive.
  static disk_curve fit(std::vector<point> points);

  /// The same storage with its bandwidth limited.
  disk_curve at_most(double bytes_per_second) const;

  /// Bytes per second with `reads` concurrent reads; infinite if not known.
  double at(double reads) const;
  /// The maximum bandwidth; infinite if not known.
  double most() const;
  /// The fewest concurrent reads that reach a bandwidth, or the maximum bandwidth if that is less.
  double least_reads(double bytes_per_second) const;
  std::vector<piece> pieces() const;
};

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/disk_curve_inl.hpp>
#endif
