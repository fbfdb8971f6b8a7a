#pragma once
/// What limits a pipeline's rate, each limit by itself: all cores, each serial part, the disk, the I/O threads, and the
/// consumer, who takes one element after another. The least is the bottleneck; relieving it gives the next.

#include <plumbline/model/demand.hpp>
#include <plumbline/model/disk_curve.hpp>

namespace plumbline {

/// What the pipeline may use.
struct resources {
  double cores = 1;  ///< of the compute threads
  /// Of the machine, where these are more: those of I/O threads and of the consumer beside them. 0: no more than
  /// `cores`.
  double all_cores = 0;
  double memory = std::numeric_limits<double>::infinity();  ///< bytes
  double io_threads = 64;
  disk_curve disk{};
  double all() const { return std::max(cores, all_cores); }
};

enum class limit_kind : unsigned char { cores, serial_part, disk, io_threads, parallelism, consumer };

struct rate_limit {
  limit_kind kind = limit_kind::cores;
  std::size_t part = 0;  ///< index into demand::parts, of those that are about one
  double rate = 0;       ///< minibatches per second
  std::string text;      ///< in words
};

/// In ascending order. `cached`: by candidate. `caps`: elements at work at once by part; empty: none is stated.
/// O(parts x groups).
inline std::vector<rate_limit> limits(const demand& d, const resources& have, const std::vector<bool>& cached,
                                      const std::vector<double>& caps = {}) {
  std::vector<rate_limit> all;
  const auto alive = alive_with(d, cached);
  double cpu = d.consumer_seconds, computing = 0, read = 0, waiting = 0;
  const auto add = [&](limit_kind k, std::size_t part, double rate, std::string text) {
    if (std::isfinite(rate)) all.push_back({k, part, rate, std::move(text)});
  };
  for (std::size_t i = 0; i != d.parts.size(); ++i) {
    const auto& p = d.parts[i];
    double own = 0, wall = 0;
    for (std::size_t g = 0; g != alive.size(); ++g) {
      if (!alive[g]) continue;
      own += p.cpu[g];
      wall += p.wall[g];
    }
    cpu += own;
    (p.blocks ? waiting : computing) += p.blocks ? wall : own;
    if (p.serial)
      add(limit_kind::serial_part, i, p.cores_most * detail::inverse(own), p.name + ": serial, one core");
    else if (!caps.empty() && !(p.blocks && have.disk.known()))
      add(limit_kind::parallelism, i, caps[i] * detail::inverse(p.blocks ? wall : own),
          p.name + ": " + number_text(caps[i]) + " at a time");
  }
  for (std::size_t c = 0; c != cached.size(); ++c) {
    if (!cached[c]) continue;
    cpu += d.candidates[c].replay_seconds;
    computing += d.candidates[c].replay_seconds;
    if (d.candidates[c].serial)
      add(limit_kind::serial_part, d.parts.size() + c, detail::inverse(d.candidates[c].replay_seconds),
          "the cache after operator " + std::to_string(d.candidates[c].after) + ": serial, one core");
  }
  add(limit_kind::cores, 0, have.all() * detail::inverse(cpu), number_text(have.all()) + " cores");
  if (have.all() > have.cores)
    add(limit_kind::cores, 0, have.cores * detail::inverse(computing), number_text(have.cores) + " compute threads");
  add(limit_kind::consumer, 0, detail::inverse(d.consumer_seconds), "the consumer's next(): serial; batch more");
  for (std::size_t g = 0; g != alive.size(); ++g) read += alive[g] ? d.bytes_read[g] : 0;
  const double reads = std::min(have.io_threads, d.reads_most), bandwidth = have.disk.at(reads);
  if (have.disk.known())  // the curve says what reads at a time give; how long they took in the trace does not count
    add(limit_kind::disk, 0, bandwidth * detail::inverse(read),
        rate_text(bandwidth) + " of the disk" +
            (bandwidth < have.disk.most()
                 ? ", " + number_text(reads) + (reads == 1 ? " read at a time" : " reads at a time")
                 : ""));
  else
    add(limit_kind::io_threads, 0, have.io_threads * detail::inverse(waiting),
        number_text(have.io_threads) + " reads at a time");
  std::stable_sort(all.begin(), all.end(), [](const rate_limit& a, const rate_limit& b) { return a.rate < b.rate; });
  return all;
}

}  // namespace plumbline
