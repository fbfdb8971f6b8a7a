#pragma once
/// Definitions of exec/stream_watch.hpp.

#include <plumbline/exec/engine.hpp>
#include <plumbline/exec/pipeline_info.hpp>
#include <plumbline/exec/stream_watch.hpp>
#include <plumbline/model/rates.hpp>

#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace plumbline {
namespace detail {

PLUMBLINE_INLINE std::optional<double> resident_bytes() {
  long long all = 0, resident = 0;
  auto* f = std::fopen("/proc/self/statm", "re");
  if (f == nullptr) return std::nullopt;
  const bool read = std::fscanf(f, "%lld %lld", &all, &resident) == 2;
  std::fclose(f);
  if (!read) return std::nullopt;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// One entry for each part that ends a segment; the streams that an operator has open are one.
PLUMBLINE_INLINE std::vector<queue_stats> queues_of(const engine& graph, const pipeline_info& of) {
  const auto names = of.names();
  std::vector<queue_stats> queues;
  std::vector<std::uint32_t> parts;
  for (const auto& c : graph.channels()) {
    auto i = static_cast<std::size_t>(std::find(parts.begin(), parts.end(), c->part) - parts.begin());
    if (i == parts.size()) {
      parts.push_back(c->part);
      queues.push_back({.after = c->after, .name = c->after == 0 ? "" : std::string(names[c->after - 1].shown)});
    }
    const auto load = c->load();
    auto& q = queues[i];
    q.capacity += c->credits();
    q.in_flight += load.in_flight;
    q.ready += load.ready;
    q.early += load.early;
    q.elements += load.elements;
  }
  for (auto q = queues.begin(); q != queues.end(); ++q)
    q->inside = q->after != 0 &&
                std::any_of(q + 1, queues.end(), [&](const queue_stats& later) { return later.after == q->after; });
  return queues;
}

/// The part that allows the lowest rate, and the operator in it that takes longest. A part on I/O threads is limited by
/// these or by its storage, not by its CPU time: if one is waited for, it is the answer.
inline std::optional<slowest_operator> slowest_in(const trace& t) {
  if (t.counters.empty() || t.counters.back().completions == 0 || !(t.wall_seconds > 0)) return std::nullopt;
  const auto r = rates(t);
  if (r.ranked.empty()) return std::nullopt;
  const auto& p = r.parts[r.ranked.front()];
  const auto takes = [&](std::uint32_t number) {
    const auto& o = r.operators[number - 1];
    return o.steady ? o.cpu_seconds + (p.blocks ? 0 : o.blocked_seconds) : 0;
  };
  const auto number =
      *std::max_element(p.operators.begin(), p.operators.end(), [&](auto a, auto b) { return takes(a) < takes(b); });
  // a live run may process more of its messages at a time than it has compute threads
  return slowest_operator{number, t.operators[number - 1].name, std::max(p.limit, r.observed)};
}

/// True if the operator has a cache, and elements that it finds are not made again by the operator before it. (Elements
/// of an indexed source are indices, which are always made.)
inline bool shows_hits(const trace& t, const layout_row& row) {
  if ((!row.replays && row.keeps_most == 0 && row.keeps_share == 0) || row.inputs.size() != 1) return false;
  const auto from = t.operators[row.inputs.front() - 1].how;
  return row.how != form::index_cache || from == form::element || from == form::index_cache;
}
/// True if what this cache misses may be found in another one upstream.
inline bool has_cache_before(const trace& t, std::size_t i) {
  while (t.operators[i].inputs.size() == 1) {
    i = t.operators[i].inputs.front() - 1;
    if (shows_hits(t, t.operators[i])) return true;
  }
  return false;
}
inline std::optional<cache_stats> caches_in(const trace& t) {
  cache_stats all{.bytes = 0};
  bool any = false;
  for (std::size_t i = 0; i != t.operators.size(); ++i) {
    const auto& row = t.operators[i];
    if (!shows_hits(t, row)) continue;
    any = true;
    const auto& own = t.counters[i];
    const auto made = t.counters[row.inputs.front() - 1].completions;
    if (!has_cache_before(t, i)) all.misses += std::min(made, own.completions);
    all.hits += own.completions - std::min(made, own.completions);
    if (row.persists || !all.bytes) {
      all.bytes.reset();
      continue;
    }
    if (own.completions == 0) continue;
    // an element that was refused is made in each epoch, but kept at most once
    auto kept = static_cast<double>(std::min(made, own.completions));
    if (row.facts.count.exact()) kept = std::min(kept, static_cast<double>(row.facts.count.least));
    if (row.keeps_share > 0) kept *= row.keeps_share;
    const double each = static_cast<double>(own.bytes) / static_cast<double>(own.completions);
    *all.bytes += row.keeps_most > 0 ? std::min(kept * each, row.keeps_most) : kept * each;
  }
  return any ? std::optional(all) : std::nullopt;
}

PLUMBLINE_INLINE counted_stats counted_in(trace t, const std::vector<queue_stats>& queues) {
  counted_stats now;
  now.slowest = slowest_in(t);
  for (std::size_t i = 0; i != t.operators.size(); ++i) {
    auto& c = t.counters[i];
    const auto recorded = c.completions;
    c.completions += c.unrecorded;
    c.bytes += c.unrecorded_bytes;
    now.operators.push_back({t.operators[i].number, t.operators[i].name, c.completions, c.bytes, c.cpu_seconds,
                             std::max(c.wall_seconds, c.cpu_seconds), recorded});
  }
  now.caches = caches_in(t);
  now.queued_bytes = 0;
  for (const auto& q : queues) {
    // a batch that is being filled in place has its elements' memory: they are counted when it is complete
    if (q.elements == 0 || (&q != &queues.back() && q.after == queues.back().after)) continue;
    const auto& c = t.counters[q.after - 1];
    if (c.completions == 0) {
      now.queued_bytes.reset();
      break;
    }
    *now.queued_bytes +=
        static_cast<double>(q.elements) * static_cast<double>(c.bytes) / static_cast<double>(c.completions);
  }
  return now;
}

/// Held while a thread looks at a stream, and during fork(): otherwise a child could have a lock that was taken by a
/// thread which it does not have.
inline std::mutex& looking() {
  static std::mutex one;
  [[maybe_unused]] static const int registered =
      pthread_atfork([] { looking().lock(); }, [] { looking().unlock(); }, [] { looking().unlock(); });
  return one;
}

inline void read_stats(const consumer_base& stream, stream_stats& now) {
  const auto& run = *stream.run;
  const auto stays = run.stays();
  epoch_log::sums sums;
  stream.position.read([&](const shown_position::values& at) {
    now.phase = at.phase;
    now.epoch = at.epoch;
    now.position = at.before + stream.at;
    sums = stream.log.so_far(run.totals(), now.position);
  });
  if (stream.stopped.load()) now.phase = stream_phase::stopped;
  if (sums.begun) now.this_epoch = sums.latest;
  now.elements = sums.elements;
  now.seconds = sums.seconds;
  now.waited_seconds = sums.waited;
  now.failures = sums.failures;
  if (sums.failures != 0) now.last_failure = std::move(sums.last_failure);
  if (const auto count = run.of().count(); count.exact()) now.size = count.least;
  if (const auto* graph = run.graph()) now.queues = queues_of(*graph, run.of());
  now.process_bytes = resident_bytes();
  if (auto t = run.counted(); !t.operators.empty()) now.counted = counted_in(std::move(t), now.queues);
}

PLUMBLINE_INLINE void look_at(const consumer_base& stream, stream_stats& now) {
  const std::scoped_lock lock(looking());
  read_stats(stream, now);
}

}  // namespace detail

PLUMBLINE_INLINE std::optional<stream_stats> stream_watch::stats() const {
  const std::scoped_lock lock(detail::looking(), of_->mutex);
  if (of_->to == nullptr || of_->to->process.lost()) return std::nullopt;
  stream_stats now;
  detail::read_stats(*of_->to, now);
  return now;
}

}  // namespace plumbline
