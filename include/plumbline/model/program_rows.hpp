#pragma once
/// Parts of the planner's program (model/program.hpp): its columns, and the rows of a disk for caches.

#include <plumbline/lp/problem.hpp>
#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/limits.hpp>

#include <vector>

namespace plumbline::detail {

struct program_columns {
  static constexpr int none = -1;
  int rate = 0, reads = 0;
  bool fits = true;  // what is always held fits into the memory
  std::vector<int> y, theta, z, replayed;
};

/// Of the caches on disk, each at its rate of replay: bytes that it takes if all elements are kept there, and bytes
/// read per minibatch.
struct replayed_from_disk {
  std::vector<lp::term> bytes, read;
};

/// Returns the variable for the compute threads that read from the disk, on average; `none` if nothing limits that.
inline int add_disk_of_caches(lp::problem& p, const resources& have, int rate, replayed_from_disk by, double cost) {
  const auto& disk = have.for_caches;
  if (by.bytes.empty()) return program_columns::none;
  by.bytes.push_back({rate, -disk.bytes});
  p.add_row({.name = "caches on disk", .upper = 0}, by.bytes);
  if (!disk.curve.known() && !(disk.has_files && have.disk.known())) return program_columns::none;
  const int reading = p.add_variable({.name = "reads of caches", .upper = have.cores, .cost = cost});
  for (const auto& piece : disk.curve.pieces()) {
    auto row = by.read;
    row.push_back({reading, -piece.slope});
    p.add_row({.name = "disk of caches", .upper = piece.at}, row);
  }
  return reading;
}

/// The I/O threads of a run that fills caches; 0: as many as the rate needs (has_io_threads).
inline double io_threads_to_fill(const demand& d, const resources& have) {
  const bool waits = std::any_of(d.parts.begin(), d.parts.end(), [](const auto& p) { return p.waits && !p.serial; });
  return waits ? 0 : static_cast<double>(buffering::default_io_threads(static_cast<std::size_t>(have.cores)));
}

/// Bytes of memory that a cache takes: its elements, what is in flight as it is filled, and the messages of the segment
/// that it ends if one thread replays it.
inline double bytes_of_cache(const demand& d, const site_demand& c, const resources& have, const in_flight_terms& t) {
  const double io = io_threads_to_fill(d, have);
  const bool blocks = std::any_of(d.parts.begin(), d.parts.end(), [](const auto& p) { return p.blocks; });
  return c.bytes + t.each_io * io +
         (c.serial ? c.message_bytes * buffering::default_messages(true, blocks, have.cores, io) : 0);
}

/// An upper bound of the I/O threads that a run at this rate has, which fills caches.
inline double io_threads_at_most(const demand& d, const resources& have, double rate) {
  double reads = 1, waits = 0;
  for (const auto& p : d.parts) {
    if (!p.blocks) continue;
    if (p.reads && have.disk.known())
      reads = std::max(1.0, std::min(d.reads_most, have.disk.corners.back().reads));
    else
      for (const double each : p.wall) waits += each * rate;
  }
  return std::max({std::min(have.io_threads, reads + waits), io_threads_to_fill(d, have), have.io_stated});
}

}  // namespace plumbline::detail
