#pragma once
/// Definitions of tune/analyze.hpp.

#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/caches.hpp>
#include <plumbline/model/format.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/observed_prep.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/model/scaled_reads.hpp>
#include <plumbline/model/sizes.hpp>
#include <plumbline/tune/alternate.hpp>
#include <plumbline/tune/analyze.hpp>
#include <plumbline/tune/files_elsewhere.hpp>
#include <plumbline/tune/measure_reads.hpp>
#include <plumbline/tune/set_storage.hpp>
#include <plumbline/tune/trained_stream.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace plumbline::detail {

struct measured_step : measured_rate {
  double cpu_seconds = 0;
  bool computes = false;  ///< for more than a tenth of the time
};
/// Ends the stream, and calls the step with the epoch's first batch for about `seconds`, at least four times, after
/// once unmeasured.
inline measured_step measure_step(training& s, std::uint64_t epoch, double seconds) {
  s.keep_first(epoch);
  s.step();
  auto begin = wall_now();
  auto cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  double n = 0, passed = 0, before = 0;
  std::vector<double> times;
  do {
    if (s.batch_taken()) {  // what a copy takes is not the step's
      const auto wall_then = wall_now(), cpu_then = read_clock(CLOCK_PROCESS_CPUTIME_ID);
      s.renew();
      begin += wall_now() - wall_then, cpu += read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_then;
    }
    s.step();
    ++n;
    passed = seconds_since(begin);
    if (times.size() < 100'000) times.push_back(passed - before);
    before = passed;
  } while (passed < seconds || n < 4);  // fewer have no error
  const double error = relative_error(times), each = 1e-9 * double(read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu) / n;
  // of the median: a step in which other programs had the core for long would seem to wait, and so would all
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return {{n / passed, error}, each, each > 0.1 * *middle};
}

/// Observes the stream with its files in memory, and records the last part. Returns its rate, roughly.
inline double observe_in_memory(watched& s, double seconds) {
  const auto first = s.epoch();
  s.record(false);
  const auto seen = observe(s, "analyze", seconds / 3);
  s.record(true);
  if (seen.in_first_epoch != seen.count) {  // whole epochs were read
    s.restart();
    return observe(s, "analyze", 2 * seconds / 3).rate;
  }
  s.restart(first);
  return observe(s, "analyze", 2 * seconds / 3, true, seen.in_first_epoch).rate;
}

/// True if two rates differ by more than their errors, if these are known.
inline bool differ(const measured_rate& a, const measured_rate& b) {
  const bool known = a.error > 0 && b.error > 0;
  const double within = std::max(run_to_run * a.rate, std::hypot(a.error * a.rate, b.error * b.rate));
  return known && std::abs(a.rate - b.rate) > within;
}
PLUMBLINE_INLINE double other_rate(const measured_rate& a, const measured_rate& b) {
  return differ(a, b) ? b.rate : a.rate;
}
PLUMBLINE_INLINE void level_falls(std::vector<measured_rate>& rates) {
  struct level {
    measured_rate is;
    std::size_t of = 1;  // rates
  };
  std::vector<level> levels;
  for (const auto& r : rates) {
    levels.push_back({r});
    while (levels.size() > 1) {
      auto &low = levels[levels.size() - 2], &high = levels.back();
      const bool known = low.is.error > 0 && high.is.error > 0;
      if (high.is.rate >= low.is.rate || (known ? differ(low.is, high.is) : high.is.rate < 0.9 * low.is.rate)) break;
      const auto n = static_cast<double>(low.of), m = static_cast<double>(high.of);
      low.is.rate = (n * low.is.rate + m * high.is.rate) / (n + m);
      low.is.error = known ? std::min(low.is.error, high.is.error) : std::max(low.is.error, high.is.error);
      low.of += high.of;
      levels.pop_back();
    }
  }
  auto to = rates.begin();
  for (const auto& l : levels) to = std::fill_n(to, l.of, l.is);
}

PLUMBLINE_INLINE void refuse_to_copy() {
  throw std::invalid_argument(
      "plumbline: analyze: the step moves from its batch, which cannot be copied, so its rate on a batch already in "
      "memory cannot be measured; give a step that leaves the batch as it is, or steps_per_second{rate}");
}

/// The analysis, but for the rates of the step and with files elsewhere. `files`: to measure the storage with.
inline stall_analysis stalls_from(const trace& t, double prep, const files_read& files, const analyze_options& how) {
  auto r = rates(t);
  const auto size = sizes(t, how.files);
  scale_reads(r, t, size);
  stall_analysis out;
  out.prep = prep;
  const auto cores = machine::cores_here();  // more threads than cores use no more than these
  const auto threads = how.run.threads.value_or(cores);
  out.cores = static_cast<double>(std::clamp<std::size_t>(threads, 1, cores));
  out.all_cores = static_cast<double>(cores);
  out.waits_on_compute = std::any_of(r.parts.begin(), r.parts.end(), [](const auto& p) { return p.waits; });
  if (out.waits_on_compute)
    out.io_threads = threads > cores ? static_cast<double>(threads) : 0;
  else if (how.run.io_threads || threads > cores)
    out.io_threads = static_cast<double>(io_threads_of(how.run, threads));
  out.needs = demand_of(t, r, cache_sites(t, r, size, infinite));
  for (const auto& row : t.operators)
    if (is_cache(row)) out.caches.push_back({row.number, row.name});
  out.modelled_prep = modelled_prep(out.needs, resources_of(out));
  out.bytes_read = r.bytes_read;
  if (!(r.bytes_read > 0)) return out;
  out.data_bytes = how.files.bytes > 0 ? how.files.bytes : r.bytes_read * size.back().count;
  out.memory_bytes = bytes_in_cache(t, r, size);
  std::vector<std::string> paths;
  for (const auto& [path, read] : t.files) paths.push_back(path);
  const auto memory = measure_reads(paths, static_cast<std::size_t>(out.cores), 0.05 * how.seconds);
  out.memory_fetch = memory.rate / r.bytes_read;
  out.memory_error = memory.error;
  set_storage(out, t, r, files, how);
  return out;
}

PLUMBLINE_INLINE stall_analysis measure_stalls(const open_training& open, std::optional<double> step_rate,
                                               const analyze_options& how) {
  if (step_rate && !(*step_rate > 0 && std::isfinite(*step_rate)))
    throw std::invalid_argument("plumbline: analyze: the step's rate is " + exact_number(*step_rate) +
                                "; give batches a second, a finite number above 0");
  if (!(how.seconds > 0 && std::isfinite(how.seconds)))
    throw std::invalid_argument("plumbline: analyze: seconds is " + exact_number(how.seconds) +
                                "; give a finite number above 0");
  if (measures_storage(how)) check_disk_options(how.measure);
  auto in_memory = how.run;
  in_memory.read_bytes_per_second.reset();
  in_memory.read_burst_bytes.reset();
  auto opened = open(in_memory, nullptr);
  const auto first = opened->stream().epoch();
  const auto about = observe_in_memory(opened->stream(), 0.2 * how.seconds);
  const auto seen = opened->traced();
  measured_step step;
  if (step_rate) {
    step.rate = *step_rate;
  } else {
    step = measure_step(*opened, first, 0.1 * how.seconds);
    opened.reset();
    opened = open(in_memory, nullptr);
  }
  opened->stream().record(false);
  trained_stream here(std::move(opened), first);
  const double bytes_read = rates(seen).bytes_read, choosing = 0.075 * how.seconds;
  const auto threads = how.run.threads.value_or(machine::cores_here());
  const auto chosen = 4 * trained_stream::least(threads);  // more than come while buffers fill
  here.choose(bytes_read, choosing, chosen);
  std::vector<elsewhere> others;
  if (!seen.files.empty() && threads != 0)
    others = open_elsewhere(open, in_memory, first, bytes_read, choosing, chosen);

  std::vector<measurement> all;
  const auto add = [&](bool steps) {
    const auto least = trained_stream::least(threads, steps && step.computes);
    const auto measured = [=](trained_stream& s) {
      return [=, &s](double seconds) { return s.rate(steps, least, seconds); };
    };
    all.push_back(measured(here));
    for (auto& e : others) all.push_back(measured(e.stream));
  };
  add(false);
  if (!step_rate) add(true);
  const double each = 0.45 * how.seconds / static_cast<double>(all.size());
  const double fit = about * each / static_cast<double>(trained_stream::least(threads));
  const auto rounds = static_cast<std::size_t>(std::clamp(fit, 1.0, 5.0));
  const auto measured = alternate(all, rounds, 0.75 * each / static_cast<double>(rounds));

  const auto files =
      measures_storage(how) ? files_to_measure(seen, open, in_memory, how.seconds) : files_read(seen.files);
  auto out = stalls_from(seen, measured.front().rate, files, how);
  out.prep_error = measured.front().error;
  // those with a share of the files in a cache, from measurement `at` on
  const auto by_share = [&](std::size_t at) {
    const auto from = measured.begin() + static_cast<std::ptrdiff_t>(at);
    std::vector<measured_rate> rates(from, from + static_cast<std::ptrdiff_t>(others.size()));
    level_falls(rates);
    return rates;
  };
  const auto preps = by_share(1);
  for (std::size_t i = 0; i != others.size(); ++i) {
    const double rate = other_rate(measured.front(), preps[i]);
    out.cached.push_back(
        {.share = others[i].found(), .prep = rate, .error = rate == measured.front().rate ? 0 : preps[i].error});
  }
  out.step = step.rate;
  if (!step_rate) {
    out.step_error = step.error;
    out.step_cpu_seconds = step.cpu_seconds;
    out.together = measured[1 + others.size()].rate;
    out.together_error = measured[1 + others.size()].error;
    const auto trained = by_share(2 + others.size());
    for (std::size_t i = 0; i != others.size(); ++i)
      out.cached[i].together = trained[i].rate, out.cached[i].together_error = trained[i].error;
  }
  // of few files, or of those that a cache of the pipeline lacks, none may have been found
  const auto no_more = [](const cached_rates& a, const cached_rates& b) { return b.share <= a.share; };
  out.cached.erase(std::unique(out.cached.begin(), out.cached.end(), no_more), out.cached.end());
  return out;
}

}  // namespace plumbline::detail
