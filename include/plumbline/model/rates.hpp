#pragma once
/// Resource-accounted rates: from a trace, the cost of a minibatch (one element of the root) at each operator and in
/// each part of the flow graph, and the rates that this allows.
///   const auto r = rates(stream.traced());
///   r.parts[r.ranked.front()];  // the bottleneck
///
/// Definitions: Plumber (Kuchnik et al., MLSys 2022), sections 4.3, 4.4 and appendix A. Times in seconds, sizes in
/// bytes.

#include <plumbline/model/visits.hpp>

#include <limits>
#include <numeric>

namespace plumbline {

struct operator_rates {
  double visits = 0;           ///< elements of this operator per minibatch
  double cpu_seconds = 0;      ///< CPU time per minibatch
  double rate = 0;             ///< R: minibatches per second and core, 1 / cpu_seconds; infinite where that is 0
  double cores = 0;            ///< cores kept busy on average
  double observed = 0;         ///< rate of its elements, in minibatches per second
  double blocked_seconds = 0;  ///< blocked time in its calls, per minibatch; not for lack of a core
  double bytes = 0;            ///< yielded per minibatch
  double bytes_read = 0;       ///< from storage, per minibatch
  bool steady = true;          ///< false: upstream of a cache, so it costs nothing in the long run
};

struct part_rates {
  std::vector<std::uint32_t> operators;  ///< their numbers
  bool serial = false, blocks = false;
  std::size_t copies = 1;  ///< serial parts of the same operators in parallel: the open streams of a nest
  /// Messages that it may process at once: one per copy if it is serial, else as many as the user states; infinite:
  /// any.
  double at_once = std::numeric_limits<double>::infinity();
  double cpu_seconds = 0;        ///< per minibatch, with the executor's own; of all copies
  double wall_seconds = 0;       ///< the same with blocked time, not with run delay: its demand for I/O threads
  double overhead_seconds = 0;   ///< the executor's own share of the CPU time
  bool waits = false;            ///< on compute threads, and an operator in it waits for longer than it computes
  double messages = 0;           ///< per minibatch
  double queued_seconds = 0;     ///< mean time that a message waited in front of it
  double rate = 0;               ///< minibatches per second and core
  double limit = 0;              ///< minibatches per second with all cores, or with `at_once` of them
  std::vector<double> shares{};  ///< shares of its CPU seconds, as in `operators`; the rest is overhead
};

struct pipeline_rates {
  std::vector<operator_rates> operators;
  std::vector<part_rates> parts;      ///< those that cost something in the long run
  std::vector<std::size_t> ranked;    ///< parts by limit, the bottleneck first
  double observed = 0;                ///< minibatches per second
  double cpu_seconds = 0;             ///< per minibatch, of all operators: also the least time that one takes alone
  double cores = 0, utilisation = 0;  ///< cores kept busy, and that as a share of the compute threads
  double bytes_read = 0;              ///< per minibatch
  double consumer_seconds = 0;        ///< of the consumer's calls, per minibatch
};

namespace detail {

inline double inverse(double x) { return x > 0 ? 1 / x : std::numeric_limits<double>::infinity(); }

/// The seconds that compute threads, or I/O threads, were without a core, for each second of their CPU time. Each
/// operator is assumed to have its share of them.
inline double run_delay_ratio(const trace& t, bool io = false) {
  double computed = 0;
  for (const auto& p : t.parts) computed += p.blocks == io ? p.cpu_seconds : 0;
  return computed > 0 ? (io ? t.io_run_delay_seconds : t.run_delay_seconds) / computed : 0;
}
/// A part's wall time without the time that it was without a core.
inline double wall_on_cores(const part_counters& p, double delay_ratio) {
  return std::max(p.wall_seconds - delay_ratio * p.cpu_seconds, std::min(p.wall_seconds, p.cpu_seconds));
}

/// True if an operator of a part on compute threads waits for longer than it computes (it sleeps, asks a service), and
/// that is more than a twentieth of the part's time: more of its messages than there are cores can then be processed at
/// once.
inline bool waits(const part_counters& p, const std::vector<operator_rates>& ops) {
  double waited = 0, all = 0;
  for (const auto number : p.operators) {
    const auto& o = ops[number - 1];
    all += o.cpu_seconds + o.blocked_seconds;
    if (o.blocked_seconds > o.cpu_seconds) waited += o.blocked_seconds;
  }
  return !p.blocks && waited > all / 20;
}

/// The rates of the parts of a trace; copies of one part are combined.
inline std::vector<part_rates> part_figures(const trace& t, const std::vector<operator_rates>& ops) {
  std::vector<part_rates> parts;
  std::vector<double> messages;
  const double delay = run_delay_ratio(t), io_delay = run_delay_ratio(t, true);
  for (const auto& p : t.parts) {
    // minibatches that this part has processed: they may not have reached the root yet
    double minibatches = 0, all = 0, steady = 0;
    bool counts = false;
    for (const auto number : p.operators) {
      const auto& o = ops[number - 1];
      all += o.cpu_seconds;
      if (!o.steady) continue;
      counts = true;
      steady += o.cpu_seconds;
      if (o.visits > 0)
        minibatches = std::max(minibatches, static_cast<double>(t.counters[number - 1].completions) / o.visits);
    }
    if (!counts || minibatches == 0) continue;
    const double scale = (all > 0 ? steady / all : 1) / minibatches;
    auto it = std::find_if(parts.begin(), parts.end(), [&](const part_rates& q) {
      return p.serial && q.serial && q.blocks == p.blocks && q.operators == p.operators;
    });
    const bool copy = it != parts.end();
    if (!copy) {
      it = parts.insert(it, {.operators = p.operators, .serial = p.serial, .blocks = p.blocks, .copies = 0});
      messages.push_back(0);
    }
    auto& sent = messages[static_cast<std::size_t>(it - parts.begin())];
    const auto own = static_cast<double>(p.messages);
    ++it->copies;
    it->waits = it->waits || waits(p, ops);
    it->cpu_seconds += p.cpu_seconds * scale;
    it->wall_seconds += wall_on_cores(p, p.blocks ? io_delay : delay) * scale;
    it->overhead_seconds += p.overhead_seconds * scale;
    it->messages += own / minibatches;
    it->queued_seconds = sent + own > 0 ? (it->queued_seconds * sent + p.queued_seconds) / (sent + own) : 0;
    sent += own;
  }
  for (auto& p : parts) {
    p.rate = inverse(p.cpu_seconds);
    // waiting on compute threads occupies them
    const double each = p.blocks ? p.cpu_seconds : std::max(p.cpu_seconds, p.wall_seconds);
    for (const auto number : p.operators)
      if (const auto most = t.operators[number - 1].at_once; most != 0)
        p.at_once = std::min(p.at_once, static_cast<double>(most));
    if (p.serial) p.at_once = static_cast<double>(p.copies);
    const auto threads = static_cast<double>(std::max<std::size_t>(t.threads, 1));
    p.limit = inverse(each) * (p.serial ? p.at_once : std::min(p.at_once, threads));
    double all = 0;
    for (const auto number : p.operators) {
      const auto& o = ops[number - 1];
      p.shares.push_back(o.steady ? o.cpu_seconds : 0);
      all += p.shares.back();
    }
    const double known = p.cpu_seconds > 0 ? 1 - p.overhead_seconds / p.cpu_seconds : 0;
    for (auto& s : p.shares) s = all > 0 ? s / all * known : known / static_cast<double>(p.shares.size());
  }
  return parts;
}

}  // namespace detail

/// O(operators x parts). Throws std::invalid_argument if the trace is not a tree, or the root has yielded nothing yet.
inline pipeline_rates rates(const trace& t) {
  pipeline_rates r;
  const auto visits = visit_ratios(t);
  const double delay = detail::run_delay_ratio(t), io_delay = detail::run_delay_ratio(t, true);
  std::vector<bool> on_io(visits.size());
  for (const auto& p : t.parts)
    for (const auto number : p.operators) on_io[number - 1] = on_io[number - 1] || p.blocks;
  const auto below = detail::below_replay(t.operators, detail::downstream_of(t.operators));
  if (t.counters.back().completions == 0 || !(t.wall_seconds > 0))
    detail::complain_of_trace("nothing has come out of " + t.operators.back().name + "; trace for longer");
  for (std::size_t i = 0; i != visits.size(); ++i) {
    const auto& c = t.counters[i];
    const double minibatches = visits[i] > 0 ? static_cast<double>(c.completions) / visits[i] : 0;
    const double each = minibatches > 0 ? 1 / minibatches : 0;
    operator_rates o{
        .visits = visits[i],
        .cpu_seconds = c.cpu_seconds * each,
        .rate = c.cpu_seconds > 0 ? minibatches / c.cpu_seconds : detail::inverse(0),
        .cores = c.cpu_seconds / t.wall_seconds,
        .observed = minibatches / t.wall_seconds,
        .blocked_seconds = std::max(c.wall_seconds - c.cpu_seconds * (1 + (on_io[i] ? io_delay : delay)), 0.0) * each,
        .bytes = static_cast<double>(c.bytes) * each,
        .bytes_read = static_cast<double>(c.bytes_read) * each,
        .steady = !below[i]};
    r.cores += o.cores;
    if (o.steady) {
      r.cpu_seconds += o.cpu_seconds;
      r.bytes_read += o.bytes_read;
    }
    r.operators.push_back(o);
  }
  r.observed = r.operators.back().observed;
  r.consumer_seconds = t.consumer_seconds / static_cast<double>(t.counters.back().completions);
  r.utilisation = r.cores / static_cast<double>(std::max<std::size_t>(t.threads, 1));
  r.parts = detail::part_figures(t, r.operators);
  r.ranked.resize(r.parts.size());
  std::iota(r.ranked.begin(), r.ranked.end(), std::size_t{0});
  std::stable_sort(r.ranked.begin(), r.ranked.end(),
                   [&](std::size_t a, std::size_t b) { return r.parts[a].limit < r.parts[b].limit; });
  return r;
}

}  // namespace plumbline
