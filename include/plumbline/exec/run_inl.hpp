#pragma once
/// Definitions of exec/run.hpp: options checked, and what is not stated chosen.

#include <plumbline/exec/run.hpp>
#include <plumbline/model/machine.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace plumbline::detail {

PLUMBLINE_INLINE void check_threads(const char* knob, std::size_t n, std::size_t most) {
  if (n > most)
    throw std::invalid_argument("plumbline: run: " + std::string(knob) + " is " + std::to_string(n) +
                                "; give at most " + std::to_string(most));
}

PLUMBLINE_INLINE void check_read_limit(const run_options& how) {
  const auto check = [](const char* knob, double x, double least) {
    if (!(x >= least) || std::isinf(x))
      throw std::invalid_argument("plumbline: run: " + std::string(knob) + " is " + std::to_string(x) +
                                  "; leave it out or give a finite number of at least " +
                                  std::to_string(static_cast<int>(least)));
  };
  check("read_bytes_per_second", how.read_bytes_per_second.value_or(1), 1);
  check("read_burst_bytes", how.read_burst_bytes.value_or(0), 0);
  if (how.read_burst_bytes && !how.read_bytes_per_second)
    throw std::invalid_argument(
        "plumbline: run: read_burst_bytes is stated without read_bytes_per_second, which it belongs to; state both");
}

/// A knob for an operator that is not there would be a knob without effect. `names`: of the operators there are.
PLUMBLINE_INLINE void check_parallelism(const std::vector<std::string_view>& names, const run_options& options) {
  for (const auto& [which, most] : options.parallelism) {
    const std::string what = "plumbline: run: parallelism of \"" + which + "\"";
    if (most == 0) throw std::invalid_argument(what + " is 0; leave it out or give at least 1");
    bool found = false;
    for (std::size_t i = 0; i != names.size(); ++i) found = found || means(which, names[i], i + 1);
    if (found) continue;
    std::string have;
    for (std::size_t i = 0; i != names.size(); ++i)
      have += (i == 0 ? "" : ", ") + std::to_string(i + 1) + " " + std::string(names[i]);
    throw std::invalid_argument(what + ": this pipeline has no such operator; it has " + have);
  }
}

/// The options' word on each operator; nothing, if they have none. The lowest counts.
PLUMBLINE_INLINE std::vector<std::size_t> stated_parallelism(const std::vector<std::string_view>& names,
                                                             const run_options& how) {
  std::vector<std::size_t> stated(names.size());
  for (const auto& [which, most] : how.parallelism)
    for (std::size_t i = 0; i != names.size(); ++i)
      if (means(which, names[i], i + 1)) stated[i] = stated[i] == 0 ? most : std::min(stated[i], most);
  return stated;
}

PLUMBLINE_INLINE run_setting setting_of(const std::vector<std::string_view>& names, run_options options) {
  if (options.chunk == std::size_t{0})
    throw std::invalid_argument("plumbline: run: chunk is 0; leave it out or give at least 1");
  if (options.io_threads == std::size_t{0})
    throw std::invalid_argument("plumbline: run: io_threads is 0; leave it out or give at least 1");
  if (options.prefetch == std::size_t{0})
    throw std::invalid_argument("plumbline: run: prefetch is 0; leave it out or give at least 1");
  check_threads("threads", options.threads.value_or(0), 1024);
  check_threads("io_threads", options.io_threads.value_or(0), 4096);
  check_read_limit(options);
  check_parallelism(names, options);
  run_setting env;
  env.threads = options.threads.value_or(machine::cores_here());
  env.io_threads = options.io_threads.value_or(std::max<std::size_t>(4, 2 * env.threads));
  env.stated = stated_parallelism(names, options);
  env.options = std::move(options);
  return env;
}

}  // namespace plumbline::detail
