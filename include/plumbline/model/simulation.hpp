#pragma once
/// simulation: the input of simulator.hpp, as plain data: the segments of an executor with the costs of their parts, on
/// a machine of any size. simulation_of makes it from a traced pipeline.

#include <plumbline/core/buffering.hpp>
#include <plumbline/core/exact_number.hpp>
#include <plumbline/model/planner.hpp>

#include <utility>

namespace plumbline {

struct simulated_part {
  double seconds = 0;          ///< on a core, per message
  double blocked_seconds = 0;  ///< if it blocks: on an I/O thread without a core, per message
  bool blocks = false;
  std::size_t parallelism = 1;  ///< messages processed at once, at most
};
struct simulated_segment {
  /// The producer first, then the stages, in the order in which messages pass them. A producer without cost yields
  /// indices.
  std::vector<simulated_part> parts;
  std::size_t credits = 4;            ///< messages in flight, at most
  double messages = 1;                ///< per minibatch
  std::vector<std::size_t> inputs{};  ///< the segments, all earlier, whose channels the producer takes from
};
struct simulation {
  std::vector<simulated_segment> segments;  ///< the last one ends at the consumer
  std::size_t cores = 1, io_threads = 64;
  double epoch = 0;             ///< minibatches per epoch; 0: it never ends
  double consumer_seconds = 0;  ///< of the consumer's work per minibatch, on a core of its own
  double variation = 0.2;       ///< standard deviation of a message's cost, relative (lognormal)
  std::uint64_t seed = 1;
};

struct simulated_run {
  double rate = 0;                        ///< minibatches per second, after the warm-up
  double cores_busy = 0;                  ///< mean number of busy cores
  std::vector<std::vector<double>> busy;  ///< mean number of messages being processed, by segment and part
};

/// Throws std::invalid_argument if the simulation cannot run: nothing in it, segments out of order, nothing that takes
/// time, or an invalid number.
inline void check(const simulation& s) {
  const auto complain = [](const std::string& what) { throw std::invalid_argument("plumbline: simulate: " + what); };
  const auto number = [](double x) { return x >= 0 && !std::isinf(x); };
  if (!number(s.consumer_seconds) || !number(s.variation) || s.variation > 100)
    complain("consumer_seconds and variation are numbers, 0 or more; variation at most 100");
  std::vector<std::size_t> downstream(s.segments.size(), s.segments.size());
  if (!(s.epoch >= 0) || std::isinf(s.epoch))
    complain("an epoch of " + detail::exact_number(s.epoch) + " minibatches; give how many, or 0 where it never ends");
  if (s.segments.empty() || s.cores == 0 || s.io_threads == 0)
    complain("no segments, cores or I/O threads; give at least one of each");
  bool costs = s.consumer_seconds > 0;
  for (std::size_t l = 0; l != s.segments.size(); ++l) {
    const auto& segment = s.segments[l];
    const auto who = "segment " + std::to_string(l);
    if (segment.parts.empty() || segment.credits == 0 || !(segment.messages > 0))
      complain(who + " has no parts, credits or messages; give it some");
    if (segment.credits > 1'000'000 || std::isinf(segment.messages))
      complain(who + " has more than a million credits, or endless messages; give it fewer");
    for (const auto from : segment.inputs) {
      if (from >= l)
        complain(who + " takes from segment " + std::to_string(from) +
                 ", which is not earlier; order them upstream first");
      if (std::exchange(downstream[from], l) < l)
        complain("two segments take from segment " + std::to_string(from) + "; give each one of its own");
    }
    for (const auto& p : segment.parts) {
      if (!number(p.seconds) || !number(p.blocked_seconds)) complain(who + ": seconds are numbers, 0 or more");
      costs = costs || p.seconds > 0 || p.blocked_seconds > 0;
    }
  }
  if (!costs) complain("nothing takes time; give a part some seconds");
}

/// Returns the simulation of the traced pipeline as planned, with the plan's threads, parallelism and caches. The
/// operators that caches save are left out; replay is charged to the producer that takes the elements or, with access
/// by index, to the stage. Message costs and sizes are those of the trace, the epoch length is that of `made`.
/// O(operators x parts). Throws std::invalid_argument if the plan is for another pipeline.
inline simulation simulation_of(const trace& t, const planning& made) {
  const auto& rows = t.operators;
  check(made.best, rows);
  const auto alive = alive_with(made.demand, made.share.kept);
  struct stage {
    simulated_part part{};  // its seconds are per minibatch at first
    bool serial = false;
    double messages = 0;
    std::vector<std::uint32_t> before{};  // stages that it takes from
    std::size_t segment = 0;
    double replay = 0, replay_in_order = 0;  // seconds per minibatch of a cache before it: on all threads, on one
  };
  std::vector<stage> stages(1);  // [0]: operators that run nowhere
  for (const auto& r : rows)
    stages.resize(std::max({stages.size(), r.stage + std::size_t{1}, r.handed_on + std::size_t{1}}));
  for (std::size_t i = 0; i != made.demand.parts.size(); ++i) {
    const auto& p = made.demand.parts[i];
    const auto& last = rows[p.operators.back() - 1];
    auto& s = stages[p.serial && last.handed_on != 0 ? last.handed_on : last.stage];
    double cpu = 0, wall = 0;
    for (std::size_t g = 0; g != alive.size(); ++g) cpu += alive[g] * p.cpu[g], wall += alive[g] * p.wall[g];
    s.part.seconds += cpu;
    s.part.blocks = s.part.blocks || p.blocks;
    if (p.blocks) s.part.blocked_seconds += std::max(wall - cpu, 0.0);
    s.part.parallelism = std::max(s.part.parallelism, made.best.parts[i].parallelism);
    s.serial = p.serial;
    s.messages = std::max(s.messages, made.rates.parts[i].messages);
  }
  for (const auto& r : rows) {
    if (r.handed_on != 0) stages[r.handed_on].before.push_back(r.stage);
    for (const auto from : r.inputs) {
      const auto* up = &rows[from - 1];
      while (up->stage == 0 && !up->inputs.empty()) up = &rows[up->inputs.front() - 1];  // it only renumbers
      const auto s = up->handed_on != 0 ? up->handed_on : up->stage;
      if (s != 0 && s != r.stage) stages[r.stage].before.push_back(s);
    }
  }
  const auto by = detail::downstream_of(rows);
  double from_cache = 0;
  for (std::size_t c = 0; c != made.share.kept.size(); ++c) {
    const auto& cache = made.demand.sites[c];
    const double replay = made.share.kept[c] * cache.replay_seconds;
    if (!(replay > 0)) continue;
    const auto downstream = by[cache.after - 1];
    if (downstream == rows.size())
      from_cache += replay / (cache.serial ? 1 : static_cast<double>(made.best.threads));
    else
      (cache.serial ? stages[rows[downstream].stage].replay_in_order : stages[rows[downstream].stage].replay) += replay;
  }
  simulation sim{
      .segments = {}, .cores = made.best.threads, .io_threads = std::max<std::size_t>(made.best.io_threads, 1)};
  sim.consumer_seconds = made.demand.consumer_seconds;
  if (const double n = made.sizes.back().count; n > 0 && !std::isinf(n)) sim.epoch = n;
  for (std::size_t i = 1; i != stages.size(); ++i) {
    auto& s = stages[i];
    if (s.part.seconds <= 0 && s.part.blocked_seconds <= 0) s.messages = 0;  // saved by a cache, or never run
    // an upstream stage without cost passes its input on (prefetch) or has no input (saved by a cache)
    bool handed_on = false;
    for (const auto b : std::exchange(s.before, {})) {
      if (stages[b].messages > 0) {
        s.before.push_back(b);
      } else {
        handed_on = handed_on || !stages[b].before.empty();
        s.before.insert(s.before.end(), stages[b].before.begin(), stages[b].before.end());
      }
    }
    if (s.messages <= 0) continue;
    if (s.serial || s.before.empty() || handed_on) {
      s.segment = sim.segments.size();
      sim.segments.push_back({.parts = {}, .messages = s.messages});
      for (const auto b : s.before) sim.segments.back().inputs.push_back(stages[b].segment);
      // a producer of indices; or the open streams of a nest, which run in parallel
      if (!s.serial || s.part.parallelism > 1) sim.segments.back().parts.emplace_back();
    } else {
      s.segment = stages[s.before.front()].segment;
    }
    auto& segment = sim.segments[s.segment];
    s.part.seconds += s.replay;
    for (auto* seconds : {&s.part.seconds, &s.part.blocked_seconds, &s.replay_in_order}) *seconds /= segment.messages;
    segment.parts.push_back(s.part);
    segment.parts.front().seconds += s.replay_in_order;
    if (segment.parts.size() > 1)
      segment.credits =
          std::max(segment.credits, buffering::default_messages(true, s.part.blocks, sim.cores, sim.io_threads));
  }
  if (from_cache > 0) sim.segments.push_back({.parts = {{.seconds = from_cache}}});  // only the cache is left
  return sim;
}

}  // namespace plumbline
