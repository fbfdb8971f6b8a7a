#pragma once
/// Definitions of tune/live.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/tune/live.hpp>

namespace plumbline::detail {

PLUMBLINE_INLINE live_setting live_setting_of(const live_options& how) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("plumbline: run_live: " + what); };
  if (how.run.threads == std::size_t{0})
    refuse("run.threads is 0, and without threads there is nothing to adjust; give at least 1, or use run");
  if (!(how.every >= 0.001 && how.every <= 3600))
    refuse("every is " + exact_number(how.every) + "; give the seconds between looks, 0.001 to 3600");
  if (how.memory && !(*how.memory >= 0)) refuse("memory is " + exact_number(*how.memory) + "; give bytes, 0 or more");
  live_setting s;
  s.every = how.every;
  s.batches = how.batches;
  s.on_change = how.on_change;
  s.threads_stated = how.run.threads.has_value();
  s.budget.io_stated = how.run.io_threads.has_value();
  s.budget.places_stated = !how.run.on_io_threads.empty();
  s.budget.chunk_stated = how.run.chunk.has_value();
  s.budget.have.all_cores = static_cast<double>(machine::cores_here());
  if (how.run.io_threads) s.budget.have.io_threads = static_cast<double>(*how.run.io_threads);
  return s;
}

}  // namespace plumbline::detail
