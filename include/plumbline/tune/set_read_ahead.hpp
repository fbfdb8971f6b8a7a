#pragma once
/// set_read_ahead: how far the reading of an analysed run may be ahead.

#include <plumbline/exec/options.hpp>
#include <plumbline/model/files_ahead.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/stalls.hpp>

namespace plumbline::detail {

/// Sets how far reading may be ahead of the preparation and of the step; nothing where files are not read whole.
/// `limited`: the limit on reading is the storage.
inline void set_read_ahead(stall_analysis& of, const trace& t, const pipeline_rates& r, const run_options& how,
                           bool limited) {
  const auto threads = how.threads.value_or(machine::cores_here());
  if (!(of.memory_bytes > 0) || threads == 0) return;
  const auto ahead = files_ahead_in(of.needs, r,
                                    {.threads = static_cast<double>(threads),
                                     .io_threads = static_cast<double>(io_threads_of(how, threads)),
                                     .prefetch = static_cast<double>(how.prefetch.value_or(2)),
                                     .read_burst = limited ? read_burst(how) : 0});
  if (!ahead) return;
  of.files_ahead = ahead->of_preparation;
  of.files_ahead_of_step = ahead->of_step;
  of.size_variation = size_variation(t.files);
}

}  // namespace plumbline::detail
