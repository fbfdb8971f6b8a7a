#pragma once
/// Parts of the planner's program (model/program.hpp): its columns, and the rows of a disk for caches.

#include <plumbline/lp/problem.hpp>
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

}  // namespace plumbline::detail
