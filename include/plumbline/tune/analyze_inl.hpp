#pragma once
/// Definitions of tune/analyze.hpp.

#include <plumbline/model/caches.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/model/sizes.hpp>
#include <plumbline/tune/analyze.hpp>
#include <plumbline/tune/held_files.hpp>
#include <plumbline/tune/measure_reads.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace plumbline::detail {

struct measured_step : measured_rate {
  double cpu_seconds = 0;
};
/// Calls step() for about `seconds`, at least three times, after once unmeasured.
inline measured_step measure_step(training& s, double seconds) {
  s.step();
  const auto begin = wall_now();
  const auto cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  double n = 0, passed = 0, before = 0;
  std::vector<double> times;
  do {
    s.step();
    ++n;
    passed = seconds_since(begin);
    if (times.size() < 100'000) times.push_back(passed - before);
    before = passed;
  } while (passed < seconds || n < 3);
  return {{n / passed, relative_error(times)},
          1e-9 * static_cast<double>(read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu) / n};
}

/// A stream that is measured, and the batches that it is measured with: the first `most` of an epoch.
struct trained_on {
  std::unique_ptr<training> of;
  std::uint64_t first = 0, most = ~std::uint64_t{0};
};
/// Steps a second, for about `seconds`, at least three, after a third of it.
inline double measure_training(const trained_on& s, double seconds) {
  auto begin = wall_now();
  std::uint64_t this_epoch = 0;
  const auto train = [&] {
    if (this_epoch != s.most && s.of->train()) return ++this_epoch != 0;
    s.of->stream().restart(s.first);
    this_epoch = 0;
    return false;
  };
  s.of->stream().restart(s.first);
  for (int n = 0; seconds_since(begin) < seconds / 3 || n < 1;) n += train() ? 1 : 0;
  begin = wall_now();
  double n = 0;
  while (seconds_since(begin) < seconds || n < 3) n += train() ? 1 : 0;
  return n / seconds_since(begin);
}

/// Observes the stream with its files in memory, and records the last part. Returns its rate.
inline measured_rate observe_in_memory(watched& s, double seconds) {
  const auto first = s.epoch();
  const auto measured = [](const observed_rate& o) { return measured_rate{o.rate, relative_error(o.windows)}; };
  s.record(false);
  const auto seen = observe(s, seconds / 3);
  s.record(true);
  if (seen.in_first_epoch != seen.count) {  // whole epochs were read
    s.restart();
    return measured(observe(s, 2 * seconds / 3));
  }
  s.restart(first);
  return measured(observe(s, 2 * seconds / 3, true, seen.in_first_epoch));
}

PLUMBLINE_INLINE double other_rate(const measured_rate& a, const measured_rate& b) {
  const bool known = a.error > 0 && b.error > 0;
  // 3 %: what may change from one run to the next, as the clock rate
  const double within = std::max(0.03 * a.rate, std::hypot(a.error * a.rate, b.error * b.rate));
  return known && std::abs(a.rate - b.rate) > within ? b.rate : a.rate;
}

/// The measured points of a curve, relative to the fitted ones.
inline std::vector<double> scatter_of(const disk_curve& disk) {
  std::vector<double> all;
  for (const auto& p : disk.measured) all.push_back(p.bytes_per_second / disk.at(p.reads));
  return all;
}

/// The analysis, but for the rates of the step and with files elsewhere.
inline stall_analysis stalls_from(const trace& t, double prep, const analyze_options& how) {
  const auto r = rates(t);
  const auto size = sizes(t, how.files);
  stall_analysis out;
  out.prep = prep;
  out.cores = static_cast<double>(std::max<std::size_t>(how.run.threads.value_or(machine::cores_here()), 1));
  out.all_cores = static_cast<double>(machine::cores_here());
  out.needs = demand_of(t, r, cache_sites(t, r, size, infinite));
  out.modelled_prep = modelled_prep(out.needs, out.cores);
  out.bytes_read = r.bytes_read;
  if (!(r.bytes_read > 0)) return out;
  out.data_bytes = how.files.bytes > 0 ? how.files.bytes : r.bytes_read * size.back().count;
  for (std::size_t i = 0; i != t.operators.size(); ++i)
    if (t.counters[i].bytes_read > 0 && t.operators[i].how == form::element) out.memory_bytes += size[i].bytes;
  if (out.memory_bytes == 0) out.memory_bytes = out.data_bytes;  // its elements are not files
  std::vector<std::string> paths;
  for (const auto& [path, read] : t.files) paths.push_back(path);
  const auto threads = static_cast<std::size_t>(out.cores);
  const auto memory = measure_reads(paths, threads, 0.1 * how.seconds);
  out.memory_fetch = memory.rate / r.bytes_read;
  out.memory_error = memory.error;
  auto disk = how.disk;
  if (!disk.known() && !how.run.read_bytes_per_second) {
    double stored = 0;
    for (const auto& [path, read] : t.files) stored += static_cast<double>(read.size);
    if (stored < 0x1p20) return out;  // too little to measure, or to wait for
    disk = measure_disk(paths, how.measure);
  }
  const bool limited = how.run.read_bytes_per_second && *how.run.read_bytes_per_second < disk.most();
  out.storage_error = limited ? 0 : relative_error(scatter_of(disk));
  if (limited) disk = disk.at_most(*how.run.read_bytes_per_second);
  out.storage_fetch = disk.most() / r.bytes_read;
  const auto reads = how.run.io_threads ? static_cast<double>(*how.run.io_threads) : resources{}.io_threads;
  out.modelled_storage = disk.at(std::min(reads, out.needs.reads_most)) / r.bytes_read;
  return out;
}

PLUMBLINE_INLINE stall_analysis measure_stalls(const open_training& open, std::optional<double> step_rate,
                                               const analyze_options& how) {
  if (step_rate && !(*step_rate > 0))
    throw std::invalid_argument("plumbline: analyze: the step's rate is " + std::to_string(*step_rate) +
                                "; give batches a second, above 0");
  auto in_memory = how.run;
  in_memory.read_bytes_per_second.reset();
  in_memory.read_burst_bytes.reset();
  trained_on here{open(in_memory, nullptr)};
  here.first = here.of->stream().epoch();
  const auto prep = observe_in_memory(here.of->stream(), 0.4 * how.seconds);
  const auto seen = here.of->traced();
  here.of->stream().record(false);

  const double bytes_read = rates(seen).bytes_read;
  struct placed {
    double share;
    std::unique_ptr<held_files> memory;  // outlives the stream
    trained_on stream;
    measured_rate prep;
  };
  std::vector<placed> elsewhere;
  if (!seen.files.empty() && how.run.threads.value_or(1) != 0)
    for (const double share : {0.0, 0.5, 1.0}) {
      constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;  // more than processors' caches hold
      auto on_io_threads = in_memory;
      on_io_threads.read_bytes_per_second = 1e18;
      auto memory = share == 0 ? nullptr : std::make_unique<held_files>(share, most_bytes);
      trained_on stream{open(on_io_threads, memory.get()), here.first, 0};
      auto& s = stream.of->stream();
      s.record(false);
      const double batches = static_cast<double>(most_bytes) / bytes_read;
      const auto begin = wall_now();
      while (s.next())
        if (static_cast<double>(++stream.most) >= batches || seconds_since(begin) > 0.1 * how.seconds) break;
      if (memory && !memory->used()) break;  // files are not read whole
      s.shorten();
      s.restart(stream.first);
      const auto o = observe(s, 0.1 * how.seconds, true, stream.most);
      elsewhere.push_back({share, std::move(memory), std::move(stream), {o.rate, relative_error(o.windows)}});
    }
  auto out = stalls_from(seen, prep.rate, how);
  out.prep_error = prep.error;
  for (const auto& e : elsewhere) out.cached.push_back({e.share, other_rate(prep, e.prep)});
  if (step_rate) {
    out.step = *step_rate;
    return out;
  }
  out.together = measure_training(here, 0.1 * how.seconds);
  for (std::size_t i = 0; i != elsewhere.size(); ++i)
    out.cached[i].together = measure_training(elsewhere[i].stream, 0.05 * how.seconds);
  elsewhere.clear();
  here.of->keep_first(here.first);
  const auto step = measure_step(*here.of, 0.15 * how.seconds);
  out.step = step.rate;
  out.step_error = step.error;
  out.step_cpu_seconds = step.cpu_seconds;
  return out;
}

}  // namespace plumbline::detail
