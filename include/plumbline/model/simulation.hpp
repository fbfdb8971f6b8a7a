#pragma once
/// simulation: what simulator.hpp runs, as plain data: the segments of an executor with the costs of their parts, on a
/// machine of any size. simulation_of makes it from a traced pipeline.

#include <plumbline/model/planner.hpp>

#include <utility>

namespace plumbline {

struct simulated_part {
  double seconds = 0;          ///< on a core, for a message
  double blocked_seconds = 0;  ///< if it blocks: with an I/O thread and no core, for a message
  bool blocks = false;
  std::size_t parallelism = 1;  ///< messages at work at once
};
struct simulated_segment {
  /// The producer first, then the stages, as messages pass them. A producer of no cost makes numbers.
  std::vector<simulated_part> parts;
  std::size_t credits = 4;            ///< messages on their way at most
  double messages = 1;                ///< for a minibatch
  std::vector<std::size_t> inputs{};  ///< the segments whose channels the producer takes from: earlier ones
};
struct simulation {
  std::vector<simulated_segment> segments;  ///< the last one ends at the consumer
  std::size_t cores = 1, io_threads = 64;
  double epoch = 0;             ///< minibatches in one; 0: it never ends
  double consumer_seconds = 0;  ///< that the consumer works on a minibatch, on no core of these
  double variation = 0.2;       ///< standard deviation of a message's cost, relative (lognormal)
  std::uint64_t seed = 1;
};

struct simulated_run {
  double rate = 0;                        ///< minibatches per second, after the warm-up
  double cores_busy = 0;                  ///< mean
  std::vector<std::vector<double>> busy;  ///< mean messages at work, by segment and part
};

/// Throws std::invalid_argument if it could not run: nothing there, segments out of order, nothing that takes time, or
/// no length of an epoch.
inline void check(const simulation& s) {
  const auto complain = [](const std::string& what) { throw std::invalid_argument("plumbline: simulate: " + what); };
  const auto number = [](double x) { return x >= 0 && !std::isinf(x); };
  if (!number(s.consumer_seconds) || !number(s.variation) || s.variation > 100)
    complain("consumer_seconds and variation are numbers, 0 or more; variation at most 100");
  std::vector<std::size_t> taker(s.segments.size(), s.segments.size());
  if (!(s.epoch >= 0) || std::isinf(s.epoch))
    complain("an epoch of " + std::to_string(s.epoch) + " minibatches; give how many, or 0 where it never ends");
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
      if (std::exchange(taker[from], l) < l)
        complain("segment " + std::to_string(from) + " is taken from by two; give each a segment of its own");
    }
    for (const auto& p : segment.parts) {
      if (!number(p.seconds) || !number(p.blocked_seconds)) complain(who + ": seconds are numbers, 0 or more");
      costs = costs || p.seconds > 0 || p.blocked_seconds > 0;
    }
  }
  if (!costs) complain("nothing takes time; give a part some seconds");
}

/// The traced pipeline as planned: the plan's threads, parallelism and caches (what they save is left out,
/// giving elements again is work of the producer that takes them, or, by number, of the stage). Costs of messages are
/// those of the trace, as is their size, and an epoch is as long as `made` says. O(operators x parts). Throws
/// std::invalid_argument if the plan is for another pipeline.
inline simulation simulation_of(const trace& t, const planning& made) {
  const auto& rows = t.operators;
  check(made.best, rows);
  const auto alive = alive_with(made.demand, made.share.cached);
  struct stage {
    simulated_part part{};  // its seconds are first those for a minibatch
    bool serial = false;
    double messages = 0;
    std::vector<std::uint32_t> before{};  // stages that it takes from
    std::size_t segment = 0;
    double replay = 0, replay_in_order = 0;  // seconds for a minibatch that a cache before it takes: by all, by one
  };
  std::vector<stage> stages(1);  // [0]: nowhere
  for (const auto& r : rows)
    stages.resize(std::max({stages.size(), r.stage + std::size_t{1}, r.handed_on + std::size_t{1}}));
  for (std::size_t i = 0; i != made.demand.parts.size(); ++i) {
    const auto& p = made.demand.parts[i];
    const auto& last = rows[p.operators.back() - 1];
    auto& s = stages[p.serial && last.handed_on != 0 ? last.handed_on : last.stage];
    double cpu = 0, wall = 0;
    for (std::size_t g = 0; g != alive.size(); ++g) cpu += alive[g] ? p.cpu[g] : 0, wall += alive[g] ? p.wall[g] : 0;
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
      while (up->stage == 0 && !up->inputs.empty()) up = &rows[up->inputs.front() - 1];  // where only numbers change
      const auto s = up->handed_on != 0 ? up->handed_on : up->stage;
      if (s != 0 && s != r.stage) stages[r.stage].before.push_back(s);
    }
  }
  const auto by = detail::takers(rows);
  double from_cache = 0;
  for (std::size_t c = 0; c != made.share.cached.size(); ++c) {
    if (!made.share.cached[c]) continue;
    const auto& cache = made.demand.candidates[c];
    const auto taker = by[cache.after - 1];
    if (taker == rows.size())
      from_cache += cache.replay_seconds / (cache.serial ? 1 : static_cast<double>(made.best.threads));
    else
      (cache.serial ? stages[rows[taker].stage].replay_in_order : stages[rows[taker].stage].replay) +=
          cache.replay_seconds;
  }
  simulation sim{
      .segments = {}, .cores = made.best.threads, .io_threads = std::max<std::size_t>(made.best.io_threads, 1)};
  sim.consumer_seconds = made.demand.consumer_seconds;
  if (const double n = made.sizes.back().count; n > 0 && !std::isinf(n)) sim.epoch = n;
  for (std::size_t i = 1; i != stages.size(); ++i) {
    auto& s = stages[i];
    if (s.part.seconds <= 0 && s.part.blocked_seconds <= 0) s.messages = 0;  // saved by a cache, or never reached
    // what costs nothing hands on what comes (prefetch), or nothing comes to it (what a cache saves)
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
      // a producer of numbers; or the open streams of a nest, which run beside each other
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
      segment.credits = std::max(segment.credits, 2 * sim.cores + 2 + (s.part.blocks ? sim.io_threads : 0));
  }
  if (from_cache > 0) sim.segments.push_back({.parts = {{.seconds = from_cache}}});  // nothing else is left
  return sim;
}

}  // namespace plumbline
