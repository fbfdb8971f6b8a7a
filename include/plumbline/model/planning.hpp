#pragma once
/// planning: a plan, and what it was derived from.

#include <plumbline/model/plan.hpp>
#include <plumbline/model/program.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/model/read_ahead.hpp>
#include <plumbline/model/sizes.hpp>

#include <vector>

namespace plumbline {

struct planning {
  plan best;
  pipeline_rates rates;
  std::vector<materialised> sizes;
  std::vector<cache_site> sites;
  plumbline::demand demand;
  allocation share;
  double with_a_gigabyte_more = 0;          ///< of a plan with shares: its rate with 1e9 bytes more; 0: there are none
  cache_disk for_caches{};                  ///< that it was made for
  double with_a_gigabyte_more_on_disk = 0;  ///< the same of disk; 0: it keeps nothing there
  /// The share of the rate that each byte more adds at first: the program's shadow prices of memory and of disk.
  double gain_per_byte = 0, gain_per_byte_on_disk = 0;
  std::vector<rate_limit> limits;        ///< by the machine and by serial parts, with the plan's caches; ascending
  std::vector<rate_limit> as_planned{};  ///< the same, and by its numbers of threads
  detail::fetching reading{};            ///< the share that is read, where caches keep a part, and how far ahead
};

}  // namespace plumbline
