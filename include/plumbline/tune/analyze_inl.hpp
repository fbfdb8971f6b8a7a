#pragma once
/// Definitions of tune/analyze.hpp.

#include <plumbline/model/caches.hpp>
#include <plumbline/model/interval.hpp>
#include <plumbline/model/machine.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/model/sizes.hpp>
#include <plumbline/tune/analyze.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <thread>

#include <ctime>

#include <fcntl.h>
#include <unistd.h>

namespace plumbline::detail {

/// Reads a file from start to end into `to`, piece after piece; returns its size, 0 if it cannot be read.
inline double read_through(const std::string& path, std::vector<char>& to) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  double all = 0;
  for (ssize_t n = 0; (n = ::read(fd, to.data(), to.size())) > 0;) all += static_cast<double>(n);
  ::close(fd);
  return all;
}

inline double process_cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The relative half-width of the mean's 95 % interval; 0 for fewer than four samples, which show none. Student's t is
/// by its expansion around the normal distribution (Abramowitz and Stegun, 26.7.5; 4 % low for four samples), as every
/// file that includes tune.hpp would otherwise compile Boost.Math.
inline double relative_error(const std::vector<double>& samples) {
  if (samples.size() < 4) return 0;
  const batch_means m(samples);
  constexpr double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
  const auto free = static_cast<double>(m.batches - 1);
  const double t = z + (z3 + z) / (4 * free) + (5 * z5 + 16 * z3 + 3 * z) / (96 * free * free);
  return t * m.error / std::abs(m.mean);
}

PLUMBLINE_INLINE measured_step measure_step(const std::function<void()>& step, double seconds) {
  using clock = std::chrono::steady_clock;
  const auto since = [](clock::time_point t) { return std::chrono::duration<double>(clock::now() - t).count(); };
  step();
  const auto begin = clock::now();
  const double cpu = process_cpu_seconds();
  double n = 0, passed = 0, before = 0;
  std::vector<double> times;
  do {
    step();
    ++n;
    passed = since(begin);
    if (times.size() < 100'000) times.push_back(passed - before);
    before = passed;
  } while (passed < seconds || n < 3);
  return {{n / passed, relative_error(times)}, (process_cpu_seconds() - cpu) / n, 0};
}

PLUMBLINE_INLINE double measure_training(const std::function<bool()>& train, double seconds) {
  using clock = std::chrono::steady_clock;
  auto begin = clock::now();
  const auto since = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  for (int n = 0; since() < seconds / 3 || n < 1;) n += train() ? 1 : 0;
  begin = clock::now();
  double n = 0;
  while (since() < seconds || n < 3) n += train() ? 1 : 0;
  return n / since();
}

/// Bytes a second that `threads` threads pass together; pass(i, room) passes those of file i.
inline measured_rate bytes_passed(std::size_t threads, double seconds,
                                  const std::function<double(std::size_t, std::vector<char>&)>& pass) {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t rounds = 5;
  std::atomic<std::size_t> next{0};
  const auto measure = [&](double& rate) {
    std::vector<char> room(std::size_t{1} << 20);
    double own = 0, passed = 0;
    const auto begin = clock::now();
    do {
      own += pass(next++, room);
      passed = std::chrono::duration<double>(clock::now() - begin).count();
    } while (passed < seconds / rounds);
    rate = own / passed;
  };
  std::vector<double> seen;
  for (std::size_t round = 0; round != rounds; ++round) {
    std::vector<double> rates(std::max<std::size_t>(threads, 1));
    {
      std::vector<std::jthread> workers;
      for (auto& rate : rates) workers.emplace_back([&measure, &rate] { measure(rate); });
    }
    seen.push_back(std::accumulate(rates.begin(), rates.end(), 0.0));
  }
  return {std::accumulate(seen.begin(), seen.end(), 0.0) / rounds, relative_error(seen)};
}

PLUMBLINE_INLINE measured_rate measure_reads(const std::vector<std::string>& paths, std::size_t threads,
                                             double seconds) {
  std::vector<char> room(std::size_t{1} << 20);
  for (const auto& path : paths) read_through(path, room);  // into memory
  return bytes_passed(threads, seconds,
                      [&](std::size_t i, std::vector<char>& to) { return read_through(paths[i % paths.size()], to); });
}

PLUMBLINE_INLINE measured_rate measure_copies(const std::vector<std::string>& paths, std::size_t threads,
                                              double seconds) {
  constexpr std::size_t most = std::size_t{64} << 20;  // more than most processors' caches hold
  std::vector<std::vector<char>> held;
  std::size_t bytes = 0;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    const auto size = static_cast<std::streamoff>(in.tellg());
    if (size <= 0) continue;
    held.emplace_back(std::min(static_cast<std::size_t>(size), most - bytes));
    in.seekg(0).read(held.back().data(), static_cast<std::streamsize>(held.back().size()));
    if ((bytes += held.back().size()) == most) break;
  }
  if (held.empty()) return {};
  return bytes_passed(threads, seconds, [&](std::size_t i, std::vector<char>& to) {
    const auto& from = held[i % held.size()];
    for (std::size_t at = 0; at < from.size(); at += to.size())  // in pieces, as they are read
      std::memcpy(to.data(), from.data() + at, std::min(to.size(), from.size() - at));
    return static_cast<double>(from.size());
  });
}

PLUMBLINE_INLINE measured_rate observe_in_memory(watched& s, double seconds) {
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

PLUMBLINE_INLINE double from_storage(const measured_rate& on_compute_threads, const measured_rate& on_io_threads) {
  const auto &a = on_compute_threads, &b = on_io_threads;
  const bool known = a.error > 0 && b.error > 0;
  // 3 %: what may change from one run to the next, as the clock rate
  const double within = std::max(0.03 * a.rate, std::hypot(a.error * a.rate, b.error * b.rate));
  return known && std::abs(a.rate - b.rate) > within ? b.rate : 0;
}

/// The measured points of a curve, relative to the fitted ones.
inline std::vector<double> scatter_of(const disk_curve& disk) {
  std::vector<double> all;
  for (const auto& p : disk.measured) all.push_back(p.bytes_per_second / disk.at(p.reads));
  return all;
}

PLUMBLINE_INLINE stall_analysis stalls_from(const trace& t, const measured_rate& prep, const measured_step& step,
                                            const analyze_options& how) {
  if (!(step.rate > 0))
    throw std::invalid_argument("plumbline: analyze: the step's rate is " + std::to_string(step.rate) +
                                "; give batches a second, above 0");
  const auto r = rates(t);
  const auto size = sizes(t, how.files);
  stall_analysis out;
  out.step = step.rate;
  out.step_error = step.error;
  out.prep = prep.rate;
  out.prep_error = prep.error;
  out.step_cpu_seconds = step.cpu_seconds;
  out.together = step.together;
  out.together_from_storage = step.together_from_storage;
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
  // an element in a cache is copied instead of read, which is faster if the cores limit the rate
  const auto all = limits(out.needs, {.cores = out.cores}, kept_shares(out.needs.sites.size()));
  if (!all.empty() && all.front().kind == limit_kind::cores) {
    const auto copied = measure_copies(paths, threads, 0.05 * how.seconds);
    const double saved = r.bytes_read * (inverse(memory.rate) - inverse(copied.rate));
    if (saved > 0) out.prep_cached = inverse(std::max(inverse(out.prep) - saved, 0.5 * inverse(out.prep)));
  }
  auto disk = how.disk;
  if (!disk.known() && !how.run.read_bytes_per_second) disk = measure_disk(paths, how.measure);
  const bool limited = how.run.read_bytes_per_second && *how.run.read_bytes_per_second < disk.most();
  out.storage_error = limited ? 0 : relative_error(scatter_of(disk));
  if (limited) disk = disk.at_most(*how.run.read_bytes_per_second);
  out.storage_fetch = disk.most() / r.bytes_read;
  const auto reads = how.run.io_threads ? static_cast<double>(*how.run.io_threads) : resources{}.io_threads;
  out.modelled_storage = disk.at(std::min(reads, out.needs.reads_most)) / r.bytes_read;
  return out;
}

}  // namespace plumbline::detail
