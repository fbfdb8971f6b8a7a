#pragma once
/// in_flight: the bytes that a run holds at once beside its caches, at most: the credits of its channels times the
/// sizes of the messages that were traced, and what operators keep within themselves.

#include <plumbline/core/buffering.hpp>
#include <plumbline/model/demand.hpp>

namespace plumbline {

namespace detail {
/// The messages of a segment that exist at once, at most. `prefetch`: minibatches kept ready for the consumer.
inline double messages_at_once(const demand& d, const segment_demand& s, double threads, double io_threads,
                               double prefetch) {
  bool has_stages = false, blocks = false;
  for (const auto i : s.parts) {
    has_stages = has_stages || !d.parts[i].serial;
    blocks = blocks || (!d.parts[i].serial && d.parts[i].blocks);
  }
  if (s.output)  // as graph_run::output_buffer
    return static_cast<double>(buffering::of_elements(static_cast<std::uint64_t>(std::max(prefetch, 1.0))).messages) +
           (has_stages ? threads : 0);
  return s.messages != 0 ? static_cast<double>(s.messages)
                         : buffering::default_messages(has_stages, blocks, threads, io_threads);
}
}  // namespace detail

/// With so many threads and minibatches prefetched, of mean sizes. (A begun group is part of the message that it
/// becomes.) Linear in the threads. `kept`: what each site keeps. O(parts + sites).
inline double in_flight(const demand& d, double threads, double io_threads, double prefetch,
                        const kept_shares& kept = {}) {
  double all = d.held, beside = 0, beside_io = 0;  // a message that a stage works on is what it takes and what it makes
  bool any_blocks = false;
  for (const auto& s : d.segments) {
    double most = 0, taken = 0;
    for (const auto i : s.parts) {
      const auto& p = d.parts[i];
      most = std::max(most, p.message_bytes);
      any_blocks = any_blocks || (!p.serial && p.blocks);
    }
    for (const auto i : s.parts) {
      auto& more = d.parts[i].blocks ? beside_io : beside;
      more = std::max(more, taken + d.parts[i].message_bytes - most);
      taken = d.parts[i].message_bytes;
    }
    const double messages = detail::messages_at_once(d, s, threads, io_threads, prefetch);
    if (s.output) {
      const auto size = buffering::of_elements(static_cast<std::uint64_t>(std::max(prefetch, 1.0)));
      const auto elements = static_cast<double>(size.elements);
      all += messages * std::max(most * std::min(1.0, elements / s.elements), elements * d.root_bytes);
      continue;
    }
    all += messages * most;
    if (s.streams != 0)  // some are opened before their turn, each with two messages
      all += 2 * most * static_cast<double>(s.streams + std::min<std::size_t>(s.streams, 4));
  }
  for (std::size_t c = 0; c != kept.size(); ++c)  // a cache that one thread replays ends a segment
    if (kept[c] > 0 && d.sites[c].serial)
      all += d.sites[c].message_bytes * buffering::default_messages(true, any_blocks, threads, io_threads);
  return all + threads * beside + io_threads * beside_io;
}

/// The same as terms: bytes held with any number of threads, and by each thread that computes or waits.
struct in_flight_terms {
  double always, each_thread, each_io;
  in_flight_terms(const demand& d, double prefetch)
      : always(in_flight(d, 0, 0, prefetch)),
        each_thread(in_flight(d, 1, 0, prefetch) - always),
        each_io(in_flight(d, 0, 1, prefetch) - always) {}
  double with(double threads, double io_threads) const { return always + each_thread * threads + each_io * io_threads; }
  /// With the fewest threads.
  double least() const { return with(1, each_io > 0 ? 1 : 0); }
};

}  // namespace plumbline
