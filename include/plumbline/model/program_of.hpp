#pragma once
/// program_of: the planner's program (model/program.hpp) as plain data, and with it what allocate() solves.

#include <plumbline/lp/solve.hpp>
#include <plumbline/model/goal.hpp>
#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/program_rows.hpp>
#include <plumbline/model/rate_bound.hpp>

namespace plumbline {

/// Builds the program as plain data; `at` gets the columns of its variables. `above`: an upper bound of the rate.
/// `rate_only`: the other objectives, which decide between plans of equal rate, are left out.
inline lp::problem program_of(const demand& d, const resources& have, const goal& want, detail::program_columns& at,
                              double above, bool rate_only = false) {
  using lp::infinity;
  constexpr int none = detail::program_columns::none;
  lp::problem p{.goal = lp::sense::maximise};
  // in order of priority: the rate; then cores; then memory and bandwidth
  const bool fixed = want.rate > 0;
  const auto& w = want.price;
  const double prices = w.core * have.cores + w.gigabyte + w.gigabyte_per_second;
  const double small = fixed ? 1 : rate_only || !(prices > 0) ? 0 : 1e-3 * above / prices;
  const double per_core = small * w.core;
  const double per_price = small * (fixed ? 1e-9 : 1e-3 / std::clamp(have.memory, 1.0, 1e15));
  const double per_byte = per_price * w.gigabyte, per_disk_byte = per_price * w.gigabyte_on_disk;
  at.rate = p.add_variable({.name = "rate", .lower = fixed ? want.rate : 0, .upper = above, .cost = fixed ? 0.0 : 1.0});
  std::vector<lp::term> cores, computing, memory, loads;
  const in_flight_terms flight(d, want.prefetch);
  const auto keeps_share = [&](const site_demand& c) {
    return c.on_disk() || (!c.serial && std::find(want.share_sites.begin(), want.share_sites.end(), c.after) !=
                                            want.share_sites.end());
  };
  std::vector<lp::term> replayed_bytes;  // in place of the share: rate x share x bytes
  detail::replayed_from_disk on_disk;
  for (const auto& c : d.sites) {
    const auto name = "cache after " + std::to_string(c.after);
    if (keeps_share(c)) {
      const double cost =
          per_core * c.replay_seconds + (per_byte * c.bytes + per_disk_byte * c.disk_bytes) * detail::inverse(above);
      const int served = p.add_variable({.name = name, .upper = above, .cost = -cost});
      at.z.push_back(none);
      at.replayed.push_back(served);
      cores.push_back({served, c.replay_seconds});
      computing.push_back(cores.back());
      replayed_bytes.push_back({served, c.bytes});
      if (c.on_disk()) on_disk.bytes.push_back({served, c.disk_bytes}), on_disk.read.push_back({served, c.disk_read});
      continue;
    }
    const int z = p.add_variable({.name = name, .upper = 1, .cost = -per_byte * c.bytes, .integer = true});
    const int y = p.add_variable({.name = name + " replayed", .upper = above, .cost = -per_core * c.replay_seconds});
    p.add_row({.name = name, .lower = -above}, {{y, 1}, {at.rate, -1}, {z, -above}});
    if (c.serial) p.add_row({.name = name + ": one core", .upper = 1}, {{y, c.replay_seconds}});
    at.z.push_back(z);
    at.replayed.push_back(y);
    cores.push_back({y, c.replay_seconds});
    computing.push_back(cores.back());
    memory.push_back({z, detail::bytes_of_cache(d, c, have, flight)});
    replayed_bytes.push_back({y, c.bytes});
  }
  for (std::size_t g = 0; g != d.groups.size(); ++g) {
    if (d.groups[g].empty()) {
      at.y.push_back(at.rate);
      continue;
    }
    const int y = p.add_variable({.name = "rate below caches", .upper = above});
    std::vector<lp::term> row{{y, 1}, {at.rate, -1}}, one, shares{{at.rate, -1}};
    for (const auto c : d.groups[g]) {
      if (at.z[c] == none) {
        row.push_back({at.replayed[c], 1});
        shares.push_back(row.back());
      } else {
        row.push_back({at.z[c], above});
        one.push_back({at.z[c], 1});
      }
    }
    p.add_row({.name = "saved by caches", .lower = 0}, row);
    if (!one.empty()) p.add_row({.name = "one cache on each path", .upper = 1}, one);
    if (shares.size() > 1) {
      p.add_row({.name = "shares of one whole", .upper = 0}, shares);
      if (!one.empty()) {  // and none beside a whole cache
        for (auto& z : one) z.value = above;
        one.insert(one.end(), shares.begin() + 1, shares.end());
        p.add_row({.name = "shares or a cache", .upper = above}, one);
      }
    }
    at.y.push_back(y);
  }
  for (const auto& part : d.parts) {
    const double most = std::min(part.cores_most, part.blocks ? have.all() : have.cores);
    const int theta = p.add_variable({.name = part.name, .upper = most, .cost = -per_core});
    std::vector<lp::term> row{{theta, 1}}, waits;
    for (std::size_t g = 0; g != d.groups.size(); ++g) {
      if (part.cpu[g] > 0) row.push_back({at.y[g], -part.cpu[g]});
      if (part.blocks && !(part.reads && have.disk.known()) && part.wall[g] > 0)
        waits.push_back({at.y[g], part.wall[g]});
    }
    if (std::isfinite(part.cores_most) && !waits.empty())
      p.add_row({.name = part.name + ": at once", .upper = part.cores_most}, waits);
    loads.insert(loads.end(), waits.begin(), waits.end());
    p.add_row({.name = part.name, .lower = 0}, row);
    at.theta.push_back(theta);
    cores.push_back({theta, 1});
    if (!part.blocks) computing.push_back(cores.back());
  }
  if (d.consumer_seconds > 0) {
    cores.push_back({at.rate, d.consumer_seconds});
    p.add_row({.name = "consumer", .upper = 1}, {cores.back()});
  }
  p.add_row({.name = "cores", .upper = have.all()}, cores);
  const int reading = detail::add_disk_of_caches(p, have, at, on_disk, -1e-3 * per_core);
  if (reading != none) computing.push_back({reading, 1});
  if ((have.all() > have.cores || reading != none) && !computing.empty())
    p.add_row({.name = "compute threads", .upper = have.all_threads()}, computing);
  std::vector<lp::term> read;
  for (std::size_t g = 0; g != d.groups.size(); ++g) {
    if (!(d.bytes_read[g] > 0)) continue;
    read.push_back({at.y[g], d.bytes_read[g]});
  }
  at.reads =
      p.add_variable({.name = "reads", .upper = std::min(have.io_threads, d.reads_most), .cost = -1e-3 * per_core});
  if (have.for_caches.has_files) read.insert(read.end(), on_disk.read.begin(), on_disk.read.end());
  if (have.disk.known() && !read.empty()) {
    for (const auto& piece : have.disk.pieces()) {
      auto row = read;
      row.push_back({at.reads, -piece.slope});
      if (have.for_caches.has_files && reading != none) row.push_back({reading, -piece.slope});
      p.add_row({.name = "disk", .upper = piece.at}, row);
    }
  }
  std::vector<lp::term> on_io{{at.reads, 1}};
  if (!loads.empty()) {
    const int waiting = p.add_variable({.name = "waiting", .upper = have.io_threads, .cost = -1e-3 * per_core});
    // two parts may wait in the same group: their terms are added
    std::vector<lp::term> row{{waiting, -1}};
    for (const auto& l : loads) {
      const auto same =
          std::find_if(row.begin(), row.end(), [&](const lp::term& x) { return x.variable == l.variable; });
      if (same == row.end())
        row.push_back(l);
      else
        same->value += l.value;
    }
    p.add_row({.name = "I/O threads, waiting", .upper = 0}, row);
    on_io.push_back({waiting, 1});
    p.add_row({.name = "I/O threads", .upper = have.io_threads}, on_io);
  }
  if (std::isfinite(have.memory)) {
    const double least = flight.least();
    for (std::size_t c = 0; c != at.z.size(); ++c)  // it does not fit together with what is always held
      if (at.z[c] != none && d.sites[c].bytes > have.memory - least)
        p.variables[static_cast<std::size_t>(at.z[c])].upper = 0;
    at.fits = least <= have.memory;
    const auto add_threads = [&](const std::vector<lp::term>& threads, double each, double most) {
      if (each * most > 1e-6 * have.memory)  // else it does not matter
        for (const auto& t : threads) memory.push_back({t.variable, each * t.value});
    };
    add_threads(computing, flight.each_thread, have.all_threads());
    add_threads(on_io, flight.each_io, have.io_threads);
    if (!memory.empty() && at.fits)
      at.memory = p.add_row({.name = "memory", .upper = have.memory - flight.always}, memory);
    if (!want.share_sites.empty() && at.fits) {  // messages in flight as with all threads
      const double held = flight.with(have.all_threads(), detail::io_threads_at_most(d, have, above));
      at.for_shares = have.memory - held;
      replayed_bytes.push_back({at.rate, -std::max(at.for_shares, 0.0)});
      at.shares = p.add_row({.name = "memory of shares", .upper = 0}, replayed_bytes);
    }
  }
  if (fixed)
    for (const auto& b : read)
      p.variables[static_cast<std::size_t>(b.variable)].cost -= small * w.gigabyte_per_second * 1e-9 * b.value;
  return p;
}

/// Returns the program that allocate() solves, with the least upper bound of the rate that is known. `each_byte` gets
/// the shadow prices, if the rate is maximised with shares.
inline lp::problem program_to_solve(const demand& d, const resources& have, const goal& want,
                                    detail::program_columns& at, detail::byte_prices& each_byte) {
  double above = want.rate > 0 ? want.rate : detail::rate_above(d, have);
  if (want.rate == 0 && !want.share_sites.empty()) {
    above = detail::rate_above_shares(d, have);
    // the bound counts on caches that memory may hold little of, and the other objectives are scaled by it
    detail::program_columns its;
    const auto most = lp::solve(program_of(d, have, want, its, above, true));
    if (most.has_x) above = std::min(above, most.x[static_cast<std::size_t>(its.rate)] * (1 + 1e-6));
    if (most.status == lp::status::optimal) each_byte = detail::prices_of_bytes(most, its);
  }
  return program_of(d, have, want, at, above);
}

}  // namespace plumbline
