#pragma once
/// The limits on a pipeline's throughput, each computed independently: all cores, each serial part, the disk, the I/O
/// threads, and the consumer, which takes one element at a time. The lowest is the bottleneck; once it is relieved, the
/// next one is.

#include <plumbline/model/demand.hpp>
#include <plumbline/model/disk_curve.hpp>

namespace plumbline {

/// A disk for caches.
struct cache_disk {
  double bytes = 0;        ///< that they may take; 0: there are none
  disk_curve curve{};      ///< reading from it; empty: no limit is known
  bool has_files = false;  ///< what the pipeline reads is on this disk, too: both share its bandwidth
};

/// The resources that the pipeline may use.
struct resources {
  double cores = 1;    ///< for the compute threads
  double threads = 0;  ///< number of compute threads; counts only above `cores`
  /// Cores of the whole machine, if that is more: I/O threads and the consumer may use the others. 0: same as `cores`.
  double all_cores = 0;
  double memory = std::numeric_limits<double>::infinity();  ///< bytes
  double io_threads = 64;
  double io_stated = 0;  ///< I/O threads that a run has whatever its plan says; 0: as the plan says
  disk_curve disk{};
  double read_burst = 0;  ///< bytes that a limit on reading lets through at once
  cache_disk for_caches{};
  double all() const { return std::max(cores, all_cores); }
  double all_threads() const { return std::max(cores, threads); }
};

enum class limit_kind : unsigned char {
  cores,
  serial_part,
  disk,
  io_threads,
  parallelism,
  consumer,
  cache_disk,
  shared_disk
};

struct rate_limit {
  limit_kind kind = limit_kind::cores;
  std::size_t part = 0;  ///< of a part: its index in demand::parts; of a cache: its candidate's index + parts.size()
  double rate = 0;       ///< minibatches per second
  std::string text;      ///< description for reports
};

/// Returns the limits in ascending order of rate. `kept`: what each site keeps. `caps`: for
/// each part, how many elements it may process at once; empty: no such limits. O(parts x groups).
inline std::vector<rate_limit> limits(const demand& d, const resources& have, const kept_shares& kept,
                                      const std::vector<double>& caps = {}) {
  std::vector<rate_limit> all;
  const auto alive = alive_with(d, kept);
  const bool by_curve = have.disk.known();
  double cpu = d.consumer_seconds, computing = 0, read = 0, waiting = 0, replayed = 0;
  bool only_reads = true;
  const auto add = [&](limit_kind k, std::size_t part, double rate, std::string text) {
    if (std::isfinite(rate)) all.push_back({k, part, rate, std::move(text)});
  };
  for (std::size_t i = 0; i != d.parts.size(); ++i) {
    const auto& p = d.parts[i];
    double own = 0;
    for (std::size_t g = 0; g != alive.size(); ++g) own += alive[g] * p.cpu[g];
    cpu += own;
    const double occupied = occupied_seconds(p, alive, by_curve);
    if (!p.blocks)
      computing += own;
    else if (!(p.reads && by_curve))
      waiting += occupied, only_reads = only_reads && (p.reads || occupied <= 0);
    // where the curve says how many reads are of use, only what the user stated
    const double most = caps.empty() || (p.reads && by_curve) ? p.cores_most : std::min(caps[i], p.cores_most);
    if (p.serial)
      add(limit_kind::serial_part, i, p.cores_most * detail::inverse(occupied),
          p.name + (occupied > 2 * own ? ": serial, and waits" : ": serial, one core"));
    else
      add(limit_kind::parallelism, i, most * detail::inverse(occupied),
          p.name + ": " + number_text(most) + " at a time");
  }
  for (std::size_t c = 0; c != kept.size(); ++c) {
    if (!(kept[c] > 0)) continue;
    cpu += kept[c] * d.sites[c].replay_seconds;
    computing += kept[c] * d.sites[c].replay_seconds;
    replayed += kept[c] * d.sites[c].disk_read;
    if (d.sites[c].serial)
      add(limit_kind::serial_part, d.parts.size() + c, detail::inverse(d.sites[c].replay_seconds),
          "the cache after operator " + std::to_string(d.sites[c].after) + ": serial, one core");
  }
  add(limit_kind::cores, 0, have.all() * detail::inverse(cpu), number_text(have.all()) + " cores");
  if (have.all() > have.cores)
    add(limit_kind::cores, 0, have.cores * detail::inverse(computing), number_text(have.cores) + " compute threads");
  add(limit_kind::consumer, 0, detail::inverse(d.consumer_seconds), "the consumer's next(): serial; batch more");
  for (std::size_t g = 0; g != alive.size(); ++g) read += alive[g] * d.bytes_read[g];
  const double reads = std::min(have.io_threads, d.reads_most), bandwidth = have.disk.at(reads);
  if (replayed > 0) {
    // compute threads read from it, and those that read do not compute; `others`: reads by I/O threads
    const auto replays = [&](limit_kind k, const disk_curve& curve, double bytes, double others,
                             const std::string& what) {
      double most = detail::infinite;
      for (const auto& p : curve.pieces())
        most = std::min(most, (p.at + p.slope * (have.all_threads() + others)) / (bytes + p.slope * computing));
      add(k, 0, most, rate_text(most * bytes) + what);
    };
    replays(limit_kind::cache_disk, have.for_caches.curve, replayed, 0, " of the caches' disk");
    if (have.for_caches.has_files)
      replays(limit_kind::shared_disk, have.disk, read + replayed, reads, " of the disk, for files and caches");
  }
  if (have.disk.known())  // the curve gives the bandwidth of concurrent reads; the trace's durations are not used
    add(limit_kind::disk, 0, bandwidth * detail::inverse(read),
        rate_text(bandwidth) + " of the disk" +
            (bandwidth < have.disk.most()
                 ? ", " + number_text(reads) + (reads == 1 ? " read at a time" : " reads at a time")
                 : ""));
  add(limit_kind::io_threads, 0, have.io_threads * detail::inverse(waiting),
      number_text(have.io_threads) + (only_reads ? " read" : " I/O thread") + (have.io_threads == 1 ? "" : "s") +
          (only_reads ? " at a time" : ""));
  std::stable_sort(all.begin(), all.end(), [](const rate_limit& a, const rate_limit& b) { return a.rate < b.rate; });
  return all;
}

}  // namespace plumbline
