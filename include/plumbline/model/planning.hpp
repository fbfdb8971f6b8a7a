#pragma once
/// planning: a plan, and what it was derived from.

#include <plumbline/model/plan.hpp>
#include <plumbline/model/program.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/model/read_ahead.hpp>
#include <plumbline/model/sizes.hpp>

#include <optional>
#include <vector>

namespace plumbline {

struct planning {
  plan best;
  pipeline_rates rates;
  std::vector<materialised> sizes;
  std::vector<cache_site> sites;
  plumbline::demand demand;
  allocation share;
  cache_disk for_caches{};  ///< that it was made for
  /// The share of the rate that 1e9 bytes more for caches add, in memory and on disk; nullopt: not asked for
  /// (goal::gains), no cache is possible there, or memory has no limit.
  std::optional<double> gain_of_a_gigabyte{}, gain_of_a_gigabyte_on_disk{};
  /// The share of the rate that each byte more adds at first: the program's shadow prices of memory and of disk. 0:
  /// nothing, or the plan keeps no shares.
  double gain_per_byte = 0, gain_per_byte_on_disk = 0;
  std::vector<rate_limit> limits;        ///< by the machine and by serial parts, with the plan's caches; ascending
  std::vector<rate_limit> as_planned{};  ///< the same, and by its numbers of threads
  detail::fetching reading{};            ///< the share that is read, where caches keep a part, and how far ahead
};

}  // namespace plumbline
