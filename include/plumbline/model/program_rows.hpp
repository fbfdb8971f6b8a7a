#pragma once
/// Parts of the planner's program (model/program.hpp): its columns, the rows of a disk for caches, shadow prices.

#include <plumbline/lp/problem.hpp>
#include <plumbline/lp/solution.hpp>
#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/limits.hpp>

#include <vector>

namespace plumbline::detail {

struct program_columns {
  static constexpr int none = -1;
  int rate = 0, reads = 0;
  int memory = none, shares = none, disk = none;  // rows: of whole caches, of shares, of shares on disk
  double for_shares = 0;                          // bytes that shares may take; below 0: messages take more
  bool fits = true;                               // what is always held fits into the memory
  std::vector<int> y, theta, z, replayed;
};

/// Of the caches on disk, each at its rate of replay: bytes that it takes if all elements are kept there, and bytes
/// read per minibatch.
struct replayed_from_disk {
  std::vector<lp::term> bytes, read;
};

/// Returns the variable for the compute threads that read from the disk, on average; `none` if nothing limits that.
inline int add_disk_of_caches(lp::problem& p, const resources& have, program_columns& at, replayed_from_disk by,
                              double cost) {
  const auto& disk = have.for_caches;
  if (by.bytes.empty()) return program_columns::none;
  by.bytes.push_back({at.rate, -disk.bytes});
  at.disk = p.add_row({.name = "caches on disk", .upper = 0}, by.bytes);
  if (!disk.curve.known() && !(disk.has_files && have.disk.known())) return program_columns::none;
  const int reading = p.add_variable({.name = "reads of caches", .upper = have.all_threads(), .cost = cost});
  for (const auto& piece : disk.curve.pieces()) {
    auto row = by.read;
    row.push_back({reading, -piece.slope});
    p.add_row({.name = "disk of caches", .upper = piece.at}, row);
  }
  return reading;
}

/// What the rate gains by one byte more for caches, of memory and of disk.
struct byte_prices {
  double memory = 0, disk = 0;
};
/// From the solution of a program whose objective is the rate X alone. A row sum of bytes x w <= memory x X, where
/// memory grows by one, is that row with X more on the right; a row of whole caches has the memory itself there.
inline byte_prices prices_of_bytes(const lp::solution& s, const program_columns& at) {
  const auto dual = [&](int row) { return row == at.none ? 0.0 : s.duals[static_cast<std::size_t>(row)]; };
  const double rate = s.x[static_cast<std::size_t>(at.rate)];
  return {dual(at.memory) + (at.for_shares >= 0 ? dual(at.shares) * rate : 0), dual(at.disk) * rate};
}

/// The I/O threads of a run that fills caches; 0: as many as the rate needs (has_io_threads).
inline double io_threads_to_fill(const demand& d, const resources& have) {
  const bool waits = std::any_of(d.parts.begin(), d.parts.end(), [](const auto& p) { return p.waits && !p.serial; });
  return waits ? 0 : static_cast<double>(buffering::default_io_threads(static_cast<std::size_t>(have.all_threads())));
}

/// Bytes of memory that a cache takes: its elements, what is in flight as it is filled, and the messages of the segment
/// that it ends if one thread replays it.
inline double bytes_of_cache(const demand& d, const site_demand& c, const resources& have, const in_flight_terms& t) {
  const double io = io_threads_to_fill(d, have);
  const bool blocks = std::any_of(d.parts.begin(), d.parts.end(), [](const auto& p) { return p.blocks; });
  return c.bytes + t.each_io * io +
         (c.serial ? c.message_bytes * buffering::default_messages(true, blocks, have.all_threads(), io) : 0);
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
