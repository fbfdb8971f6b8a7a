#pragma once
/// The cost of planning: optimize with its default settings; the linear program and the plan; and, in the simulator
/// with costs measured here, the number of steps to the optimum on 16, 32 and 96 cores, where each step gives one more
/// core to the bottleneck or to a random part (Plumber, figure 6).

#include <plumbline/model/simulator.hpp>
#include <plumbline/tune.hpp>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "baselines/caps.hpp"
#include "support/report.hpp"
#include "support/stream_rate.hpp"

namespace planning_bench {
namespace pl = plumbline;

/// The number of steps to 95 % of the rate with all cores for every part, for a pipeline with long epochs.
inline void steps(bench::report& report, const bench::options& o, const std::string& name, const pl::trace& t) {
  for (const double cores : {16.0, 32.0, 96.0}) {
    const pl::resources have{.cores = cores};
    auto made = pl::make_plan(t, have, {.cache_sites = std::vector<std::uint32_t>{}});
    const auto& d = made.demand;
    const auto rate = [&](const baselines::part_caps& caps) {
      for (std::size_t i = 0; i != caps.size(); ++i) made.best.parts[i].parallelism = static_cast<std::size_t>(caps[i]);
      auto s = pl::simulation_of(t, made);
      s.epoch = 0;
      return pl::simulate(s, o.quick ? 100 : 400).rate;
    };
    const double best = rate(baselines::heuristic_caps(d, have));
    constexpr int most = 1000;
    const auto steps_by = [&](auto&& step) {
      auto caps = baselines::naive_caps(d);
      int n = 0;
      for (; n != most && rate(caps) < 0.95 * best; ++n) step(caps);
      return static_cast<double>(n);
    };
    const double informed = steps_by([&](auto& caps) { baselines::bottleneck_step(caps, d, have); });
    bench::series walks;
    std::mt19937_64 random(7);
    for (std::size_t i = 0; i != o.rounds_or(9, 3); ++i)
      walks.rounds.push_back(steps_by([&](auto& caps) { baselines::random_step(caps, d, have, random); }));
    report.table(name + ", " + bench::fixed(cores, 0) + " cores: one core each " +
                     bench::fixed(rate(baselines::naive_caps(d)), 1) + ", all cores everywhere " +
                     bench::fixed(best, 1) + " minibatches/s",
                 "steps", 0, {{"by the bottleneck", {{informed}}}, {"at random", walks}});
    report.at_least("steps of the random walk / informed, " + name + ", " + bench::fixed(cores, 0) + " cores",
                    walks.median() / std::max(informed, 1.0), 1, 2);
  }
}

inline void all(bench::report& report, const bench::options& o, const std::string& photos) {
  const auto p = pl::files(photos, {.ignore_case = true}) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
                 pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::random_flip()) |
                 pl::map(pl::normalize({0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F})) | pl::map(pl::to_planar()) |
                 pl::batch<32>();
  pl::optimize_options how;
  how.run.threads = 2;
  how.progress = [](const std::string&) {};
  bench::series took;
  std::optional<pl::tuning> why;
  for (std::size_t i = 0; i != o.rounds_or(5, 3); ++i)
    took.rounds.push_back(bench::seconds([&] { why = pl::optimize(p, how).why(); }));
  report.table("optimize(photos), 2 threads, default settings", "s", 2, {{"tracing and planning", took}});
  report.at_most("tracing and planning of the photo pipeline, s", took.median(), 3, 2);

  bench::series planned;
  for (int i = 0; i != 201; ++i)
    planned.rounds.push_back(1e3 * bench::seconds([&] { pl::make_plan(why->seen, {.cores = 2, .memory = 1e9}); }));
  report.table("the linear program and the plan, from the trace", "ms", 3, {{"make_plan", planned}});
  report.at_most("the linear program and the plan, ms", planned.median(), 1, 3);

  steps(report, o, "photos", why->seen);
  // each operator in a segment of its own, so that nothing is fused
  const auto apart = pl::files(photos, {.ignore_case = true}) | pl::shuffle(1) | pl::read_file() | pl::prefetch(64) |
                     pl::map(pl::decode()) | pl::prefetch(64) | pl::map(pl::random_resized_crop<224, 224>()) |
                     pl::prefetch(64) | pl::map(pl::random_flip()) | pl::prefetch(64) |
                     pl::map(pl::normalize({0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F})) | pl::prefetch(64) |
                     pl::map(pl::to_planar()) | pl::batch<32>();
  auto s = pl::run<pl::tracing::counters>(apart, {.threads = 2});
  bench::rate_of(s, o.quick ? 1 : 3);
  steps(report, o, "photos, operators apart", s.traced());
}

}  // namespace planning_bench
