#pragma once
/// price_list: the machines on which training at a given rate stalls at most 1 % of the time, cheapest first: a share
/// of the files in memory needs less bandwidth, a cache of prepared elements also fewer cores. From an analysis,
/// without running again.
///   for (const auto& o : pl::price_list(stalls, {.core = 25, .gigabyte = 3, .gigabyte_per_second = 40}))
///     std::cout << o.what << ": " << o.cost << "\n";

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/program.hpp>
#include <plumbline/model/stalls.hpp>

#include <string>
#include <vector>

namespace plumbline {

struct offer {
  std::string what;                     ///< what is kept in memory
  double cores = 0;                     ///< for preparation, a whole number, and for the step if it computes
  double memory = 0;                    ///< bytes, for caches
  double storage_bytes_per_second = 0;  ///< from storage
  double cost = 0;                      ///< at the prices
};

/// `rate`: batches a second; 0: the step's own rate. With each tenth of the files in memory (or none, if they cannot be
/// kept), and with the caches that the planner chooses if it must reach the rate at the least cost (model/program.hpp):
/// those that keep all elements of a place, and those that keep any part, of which several may divide the elements.
/// The bandwidth is that with which bursts of misses (model/read_ahead.hpp) take at most 1 % of the time. Caches on
/// disk are not offered, so prices::gigabyte_on_disk does not count. Empty if the rate is above the step's, or cannot
/// be reached with any number of cores. Throws std::invalid_argument for a price that is not finite or below 0.
std::vector<offer> price_list(const stall_analysis& of, const prices& each = {}, double rate = 0);
/// Why price_list is empty, as text; empty if it is not.
std::string why_no_offer(const stall_analysis& of, double rate = 0);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/price_list_inl.hpp>
#endif
