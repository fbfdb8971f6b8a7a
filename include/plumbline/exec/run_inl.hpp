#pragma once
/// Definitions of exec/run.hpp: checks the options, and chooses those that are not set.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/model/machine.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace plumbline::detail {

PLUMBLINE_INLINE void check_threads(const char* option, std::size_t n, std::size_t most) {
  if (n > most)
    throw std::invalid_argument("plumbline: run: " + std::string(option) + " is " +
                                std::to_string(static_cast<std::make_signed_t<std::size_t>>(n)) + "; give 0 to " +
                                std::to_string(most));
}

PLUMBLINE_INLINE void check_read_limit(const run_options& how) {
  const auto check = [](const char* option, double x, double least) {
    if (!(x >= least) || std::isinf(x))
      throw std::invalid_argument("plumbline: run: " + std::string(option) + " is " + exact_number(x) +
                                  "; leave it out or give a finite number of at least " +
                                  std::to_string(static_cast<int>(least)));
  };
  check("read_bytes_per_second", how.read_bytes_per_second.value_or(1), 1);
  check("read_burst_bytes", how.read_burst_bytes.value_or(0), 0);
  if (how.read_burst_bytes && !how.read_bytes_per_second)
    throw std::invalid_argument(
        "plumbline: run: read_burst_bytes is set without read_bytes_per_second, which it belongs to; set both");
}

/// True if `which`, as the user wrote it, is the name or the number of this operator.
PLUMBLINE_INLINE bool means(const std::string& which, const operator_names& op, std::size_t number) {
  return which == op.shown || which == std::to_string(number);
}
/// Rejects options for operators that the pipeline does not have, or on which they have no effect. `names`: the
/// pipeline's operators.
PLUMBLINE_INLINE void check_operator(const std::vector<operator_names>& names, const std::string& which,
                                     const std::string& what) {
  std::string have;
  bool found = false, works = false;
  for (std::size_t i = 0; i != names.size(); ++i) {
    const bool meant = means(which, names[i], i + 1);
    found = found || meant;
    works = works || (meant && names[i].works);
    have += (i == 0 ? "" : ", ") + std::to_string(i + 1) + " " + std::string(names[i].shown);
  }
  if (!found)
    throw std::invalid_argument(what + ": this pipeline has no such operator; it has " + have +
                                (which.find('(') == which.npos
                                     ? ""
                                     : "; give the number that explain shows, or a name of its own with named()"));
  if (!works) throw std::invalid_argument(what + ": this operator only changes indices and runs no code; leave it out");
}
PLUMBLINE_INLINE void check_operators(const std::vector<operator_names>& names, const run_options& options) {
  for (const auto& [which, most] : options.parallelism) {
    const std::string what = "plumbline: run: parallelism of \"" + which + "\"";
    if (most == 0) throw std::invalid_argument(what + " is 0; leave it out or give at least 1");
    check_operator(names, which, what);
  }
  for (const auto& which : options.on_io_threads)
    check_operator(names, which, "plumbline: run: on_io_threads names \"" + which + "\"");
}

PLUMBLINE_INLINE std::vector<std::size_t> stated_parallelism(const std::vector<operator_names>& names,
                                                             const run_options& how) {
  std::vector<std::size_t> stated(names.size());
  for (const auto& [which, most] : how.parallelism)
    for (std::size_t i = 0; i != names.size(); ++i)
      if (means(which, names[i], i + 1)) stated[i] = stated[i] == 0 ? most : std::min(stated[i], most);
  return stated;
}

/// For each operator, whether the options put it on I/O threads.
PLUMBLINE_INLINE std::vector<bool> stated_waits(const std::vector<operator_names>& names, const run_options& how) {
  std::vector<bool> stated(names.size());
  for (const auto& which : how.on_io_threads)
    for (std::size_t i = 0; i != names.size(); ++i) stated[i] = stated[i] || means(which, names[i], i + 1);
  return stated;
}

PLUMBLINE_INLINE run_setting setting_of(const std::vector<operator_names>& names, run_options options) {
  if (options.chunk == std::size_t{0})
    throw std::invalid_argument("plumbline: run: chunk is 0; leave it out or give at least 1");
  if (options.io_threads == std::size_t{0})
    throw std::invalid_argument("plumbline: run: io_threads is 0; leave it out or give at least 1");
  if (options.prefetch == std::size_t{0})
    throw std::invalid_argument("plumbline: run: prefetch is 0; leave it out or give at least 1");
  if (options.timeline_bytes == 0)
    throw std::invalid_argument(
        "plumbline: run: timeline_bytes is 0, which keeps no events; leave it out or give bytes, 64 for each event");
  check_threads("threads", options.threads.value_or(0), 1024);
  check_threads("io_threads", options.io_threads.value_or(0), 4096);
  check_read_limit(options);
  check_operators(names, options);
  run_setting env;
  env.threads = options.threads ? *options.threads : machine::cores_here();
  env.io_threads = io_threads_of(options, env.threads);
  env.stated = stated_parallelism(names, options);
  env.waits = stated_waits(names, options);
  env.options = std::move(options);
  return env;
}

}  // namespace plumbline::detail
