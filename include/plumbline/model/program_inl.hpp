#pragma once
/// Definitions of model/program.hpp: an allocation from the program's solution.

#include <plumbline/model/program.hpp>
#include <plumbline/model/program_of.hpp>

namespace plumbline {

PLUMBLINE_INLINE allocation allocate(const demand& d, const resources& have, const goal& want, lp::basis* last) {
  detail::byte_prices each_byte;
  detail::program_columns at;
  auto p = program_to_solve(d, have, want, at, each_byte);
  const bool again =
      last != nullptr && last->variables.size() == p.variables.size() && last->rows.size() == p.rows.size();
  const lp::options how{.keep_tree = true};  // the proof, if there are whole caches
  auto s = again ? lp::solve(p, how, *last) : lp::solve(p, how);
  if (last != nullptr) *last = s.basis;
  const bool proven = s.status == lp::status::optimal || s.status == lp::status::infeasible;
  if (!s.has_x && s.status != lp::status::infeasible) {  // no proof was found; solve without caches
    for (const int z : at.z)
      if (z != at.none) p.variables[static_cast<std::size_t>(z)].upper = 0;
    s = lp::solve(p);
  }
  allocation a;
  a.proven = proven;
  a.rate_per_byte = each_byte.memory;
  a.rate_per_byte_on_disk = each_byte.disk;
  a.kept.assign(d.sites.size(), 0);
  a.cores.assign(d.parts.size(), 0);
  if (!at.fits || !s.has_x) return a;
  a.rate = s.x[static_cast<std::size_t>(at.rate)];
  for (std::size_t c = 0; c != at.z.size(); ++c)
    if (at.z[c] != at.none)
      a.kept[c] = s.x[static_cast<std::size_t>(at.z[c])] > 0.5 ? 1 : 0;
    else
      a.kept[c] = std::clamp(s.x[static_cast<std::size_t>(at.replayed[c])] * detail::inverse(a.rate), 0.0, 1.0);
  const auto hard = limits(d, have, a.kept);
  if (!hard.empty()) a.rate = std::min(a.rate, hard.front().rate);
  a.feasible = want.rate == 0 || a.rate >= want.rate * (1 - 1e-9);
  const auto alive = alive_with(d, a.kept);
  double total = 0, reading = 0, computing = 0, on_io = 0;
  a.at_once.assign(d.parts.size(), 0);
  for (std::size_t i = 0; i != d.parts.size(); ++i) {
    const auto& part = d.parts[i];
    for (std::size_t g = 0; g != alive.size(); ++g) a.cores[i] += alive[g] * part.cpu[g] * a.rate;
    if (part.reads && have.disk.known())
      reading += part.serial ? 0 : 1;
    else if (part.blocks)
      a.at_once[i] = occupied_seconds(part, alive, false) * a.rate;
    total += a.cores[i];
    if (!part.blocks) computing += a.cores[i];
  }
  for (std::size_t g = 0; g != alive.size(); ++g) a.bytes_per_second += alive[g] * d.bytes_read[g] * a.rate;
  for (std::size_t c = 0; c != a.kept.size(); ++c) {
    a.replay_cores += a.kept[c] * d.sites[c].replay_seconds * a.rate;
    a.memory += a.kept[c] * d.sites[c].bytes;
    a.on_disk += a.kept[c] * d.sites[c].disk_bytes;
  }
  if (have.disk.known()) a.reads = have.disk.least_reads(a.bytes_per_second);
  for (std::size_t i = 0; i != d.parts.size(); ++i) {  // the parts that read from the disk share its reads
    const auto& part = d.parts[i];
    if (part.reads && have.disk.known() && !part.serial) a.at_once[i] = a.reads / reading;
    if (part.reads && !have.disk.known()) a.reads += a.at_once[i];
    on_io += a.at_once[i];
  }
  a.memory += in_flight(d, computing + a.replay_cores, on_io, want.prefetch, a.kept);
  a.cost = want.price.core * (total + a.replay_cores) + want.price.gigabyte * 1e-9 * a.memory +
           want.price.gigabyte_per_second * 1e-9 * a.bytes_per_second + want.price.gigabyte_on_disk * 1e-9 * a.on_disk;
  return a;
}

}  // namespace plumbline
