#pragma once
/// A sweep: the rate of training that analyze predicts, against the rate of a training loop, at several cache sizes,
/// bandwidths, numbers of cores and speeds of the step. Analysis and loops are run alternately: one analysis serves all
/// cache sizes. The loops of one setting are also predicted from the analysis of another: more threads, other steps and
/// bandwidths.

#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "stalls/loops.hpp"
#include "support/measure.hpp"
#include "support/recorded.hpp"
#include "support/report.hpp"

namespace bench {

struct sweep {
  std::vector<double> shares, bandwidths;
  double seconds;      ///< of each loop
  std::size_t rounds;  ///< of analysis and loops; each figure is the median
  bool each;           ///< print every setting
  double analysis;     ///< seconds of each analysis
  bool recorded;       ///< the step that computes takes a fixed processor time
};

/// A knee is the first cache size with so much of the best rate. The loops differ by some percent from one round to
/// another, so where rates rise by less than that over several sizes, chance decides which size is the first.
inline constexpr std::array<double, 2> knee_at{0.97, 0.95};

/// An analysis, and the loops after it, at each size of the cache.
struct round_of_loops {
  pl::stall_analysis a;
  std::vector<observed> seen, never_slow;
};
/// The median of f(round).
template <class F> double median_of(const std::vector<round_of_loops>& rounds, F&& f) {
  series x;
  for (const auto& r : rounds) x.rounds.push_back(f(r));
  return x.median();
}
/// How much the loops of one size of the cache differ: the largest rate of all rounds by the smallest, less one.
inline double spread(const std::vector<round_of_loops>& rounds, std::size_t i) {
  const auto of = [&](auto member) {
    const auto less = [&](const auto& a, const auto& b) { return (a.*member)[i].rate < (b.*member)[i].rate; };
    const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end(), less);
    return ((*most).*member)[i].rate / ((*least).*member)[i].rate - 1;
  };
  return std::max(of(&round_of_loops::seen), of(&round_of_loops::never_slow));
}
/// A setting with a step that sleeps.
struct setting {
  std::size_t threads;
  double bandwidth, step;
  std::vector<round_of_loops> rounds;
};
/// Errors of the rates that the analyses of `from` predict for the loops of `to`, at each size of the cache: what other
/// hardware changes.
inline void add_errors(std::vector<double>& errors, const setting& from, const setting& to,
                       const std::vector<double>& shares) {
  const bool same_step = from.threads == to.threads && from.step == to.step;
  for (std::size_t i = 0; i != shares.size(); ++i) {
    series ratio;
    for (std::size_t r = 0; r != to.rounds.size(); ++r) {
      const auto &a = from.rounds[r].a, &there = to.rounds[r].a;
      const pl::what_if other{.cores = static_cast<double>(to.threads),
                              .memory = shares[i] * there.memory_bytes,
                              .storage = there.storage_fetch * there.bytes_read / (a.storage_fetch * a.bytes_read),
                              // as measured, since a sleep takes longer than it should
                              .step = same_step ? 1 : there.step / a.step};
      ratio.rounds.push_back(pl::predict(a, other).rate / to.rounds[r].seen[i].rate);
    }
    errors.push_back(std::abs(ratio.median() - 1));
  }
}

/// `plain`: the pipeline that is analysed. `endless`: the same, without end. `with_cache(bytes)`: that with a cache of
/// so many bytes for its files; not called with 0, as a stage with an empty cache runs in another way than one without.
template <class Plain, class Endless, class Cached>
void measure(report& report, const std::string& name, const Plain& plain, const Endless& endless, Cached&& with_cache,
             const sweep& over) {
  std::vector<double> rates, preps, fetches, live;  // errors
  std::vector<double> spreads;                      // of the loops of one setting
  std::vector<setting> sleeping;
  double worst = 0, knees = 0, least_right = 0;
  std::array<double, 2> knees_right{};
  std::string worst_at;
  const bool caches = over.shares.size() > 1;
  // One step and one bandwidth, at each size of the cache. The shares of waiting are observed by differences, as in
  // DS-Analyzer: to the step alone, and to training with storage that is never slow. (Training with all files in memory
  // would have no reads on I/O threads, whose cost belongs to preparation.)
  // `alone`: by whose P and batches bandwidths are stated. The analysis finds S by the same limit as the loops have.
  const auto compare = [&](auto&& analysis, const pl::stall_analysis& alone, double bandwidth, auto&& step,
                           const std::string& where) {
    using round = round_of_loops;
    std::vector<round> rounds;
    const auto sizes = over.shares.size();
    const double limit = bandwidth * alone.prep * alone.bytes_read;
    for (std::size_t r = 0; r != over.rounds; ++r) {
      auto& now = rounds.emplace_back();
      now.a = analysis(limit);
      const auto& a = now.a;
      for (const double share : over.shares) {
        pl::run_options how{.threads = static_cast<std::size_t>(a.cores)};
        const auto rate = [&](double bytes_per_second) {
          how.read_bytes_per_second = bytes_per_second;
          const double fill = caches ? std::ceil(a.data_bytes / a.bytes_read) : 1;
          if (share == 0) return train(endless, how, step, fill, over.seconds);
          const auto p = with_cache(pl::bytes(static_cast<std::uint64_t>(share * a.memory_bytes)));
          return train(p, how, step, fill, over.seconds);
        };
        now.seen.push_back(rate(limit));
        now.never_slow.push_back(share == 1 ? now.seen.back() : rate(1e18));
      }
    }
    const auto median = [&](auto&& f) { return median_of(rounds, f); };
    std::vector<double> predicted_rates, seen_rates;  // by those of the largest cache, in the same rounds
    const auto& a = rounds.front().a;
    const auto predicted_at = [&](const round& r, std::size_t size) {
      return pl::predict(r.a, {.memory = over.shares[size] * r.a.memory_bytes});
    };
    for (std::size_t i = 0; i != sizes; ++i) {
      const auto predicted = [&](const round& r) { return predicted_at(r, i); };
      const auto seen_fetch = [&](const round& r) { return std::max(0.0, 1 - r.seen[i].rate / r.never_slow[i].rate); };
      const auto seen_prep = [&](const round& r) {
        return std::max(0.0, 1 - r.seen[i].rate / r.a.step - seen_fetch(r));
      };
      const auto by_largest = [&](auto&& rate_at) {
        return median([&](const round& r) { return rate_at(r, i) / rate_at(r, sizes - 1); });
      };
      const double rate = median([&](const round&r) { return r.seen[i].rate; }),
                   predicted_rate = median([&](const round&r) { return predicted(r).rate; }),
                   says_prep = median([&](const round&r) { return r.seen[i].stalls.prep(); }),
                   says_io = median([&](const round&r) { return r.seen[i].stalls.io(); }), prep = median(seen_prep),
                   fetch = median(seen_fetch);
      seen_rates.push_back(by_largest([](const round& r, std::size_t size) { return r.seen[size].rate; }));
      predicted_rates.push_back(
          by_largest([&](const round& r, std::size_t size) { return predicted_at(r, size).rate; }));
      // an analysis is compared with the loops of its round: from one to the next the machine changes more
      const double error = std::abs(median([&](const round& r) { return predicted(r).rate / r.seen[i].rate; }) - 1);
      rates.push_back(error);
      preps.push_back(std::abs(median([&](const round& r) { return predicted(r).prep - seen_prep(r); })));
      fetches.push_back(std::abs(median([&](const round& r) { return predicted(r).fetch - seen_fetch(r); })));
      spreads.push_back(spread(rounds, i));
      // a step that competes for the cores also waits for preparation while it runs, which the stream cannot see
      if (a.step_cpu_seconds * a.step < 0.1)
        live.push_back(std::abs(median([&](const round& r) { return r.seen[i].stalls.io() - seen_fetch(r); })));
      const auto shares = [](double of_prep, double of_fetch) {
        return " (waiting " + fixed(100 * of_prep, 0) + " and " + fixed(100 * of_fetch, 0) + " %)";
      };
      const auto text = fixed(a.cores, 0) + " threads, " + where + ", storage " + fixed(bandwidth, 1) +
                        " times the preparation's rate, " + fixed(100 * over.shares[i], 0) +
                        " % cached: " + fixed(rate, 1) + shares(prep, fetch) + " observed, " +
                        fixed(predicted_rate, 1) +
                        shares(median([&](const round& r) { return predicted(r).prep; }),
                               median([&](const round& r) { return predicted(r).fetch; })) +
                        " predicted; the stream says" + shares(says_prep, says_io);
      if (over.each) std::cout << "  " << fixed(100 * error, 1) << " % off: " << text << std::endl;
      if (error > worst) {
        worst = error;
        worst_at = text;
      }
    }
    // the first cache size with which the rate is nearly what it is with the largest
    const auto knee = [](const std::vector<double>& x, double nearly) {
      return std::find_if(x.begin(), x.end(), [&](double each) { return each >= nearly; }) - x.begin();
    };
    ++knees;
    for (std::size_t i = 0; i != knee_at.size(); ++i)
      if (std::abs(knee(predicted_rates, knee_at[i]) - knee(seen_rates, knee_at[i])) <= 1) ++knees_right[i];
    // and by least_memory: the first size that holds as much; if none suffices, the largest
    const double least = median([](const round& r) { return pl::least_memory(r.a) / r.a.memory_bytes; });
    const auto first = std::find_if(over.shares.begin(), over.shares.end() - 1, [&](double x) { return x >= least; }) -
                       over.shares.begin();
    if (std::abs(first - knee(seen_rates, knee_at[0])) <= 1) ++least_right;
    return rounds;
  };
  for (const std::size_t threads : {1U, 2U}) {
    const pl::run_options in_memory{.threads = threads, .read_bytes_per_second = 1e9};
    const auto a = pl::analyze(plain, pl::steps_per_second{1}, {.run = in_memory, .seconds = over.analysis});
    std::string others;
    for (const auto& p : a.cached) others += ", " + fixed(p.prep, 1) + " with " + fixed(100 * p.share, 0) + " % cached";
    report.note(name + ", " + std::to_string(threads) + " threads",
                fixed(a.prep, 1) + " batches a second from the page cache" + others + ", " +
                    fixed(a.bytes_read / 1000, 0) + " kB each, " + fixed(a.data_bytes / 1e6, 1) + " MB in all");
    // one that computes, at about the preparation's rate
    const auto batch = *pl::run(plain, {.threads = threads}).next();
    training_step once(100);
    training_step model(std::max(1, static_cast<int>(100 * rate_of([&] { once(batch); }) / a.prep)));
    const auto analysed = [&](auto& step) {
      return [&](double limit) {
        const pl::run_options how{.threads = threads, .read_bytes_per_second = limit};
        return pl::analyze(plain, step, {.run = how, .seconds = over.analysis});
      };
    };
    for (const double bandwidth : over.bandwidths) {
      for (const double step : {0.5, 0.9, 2.0}) {
        const sleeping_step sleep{1 / (step * a.prep)};
        sleeping.push_back(
            {threads, bandwidth, step, compare(analysed(sleep), a, bandwidth, sleep, "step " + fixed(step, 1))});
      }
      const auto computing = [&](auto&& with) { compare(analysed(with), a, bandwidth, with, "a step that computes"); };
      if (over.recorded)
        computing(spinning_step{1 / a.prep});
      else
        computing(model);
    }
  }
  // what-ifs: the loops of one setting, predicted from the analyses of another
  std::vector<double> cores, steps, storage;
  for (const auto& from : sleeping)
    for (const auto& to : sleeping) {
      const bool same_threads = from.threads == to.threads, same_step = from.step == to.step;
      if (from.bandwidth != to.bandwidth) {
        if (same_threads && same_step) add_errors(storage, from, to, over.shares);
        continue;
      }
      if (same_step && from.threads == 1 && to.threads == 2) add_errors(cores, from, to, over.shares);
      if (same_threads && from.step == 0.9 && to.step != 0.9) add_errors(steps, from, to, over.shares);
    }
  const auto summary = [](std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return fixed(100 * x[x.size() / 2], 1) + " in the median, " + fixed(100 * x[x.size() * 9 / 10], 1) +
           " in the worst tenth, " + fixed(100 * x.back(), 1) + " at worst";
  };
  const auto of_shares = [&](const std::vector<double>& x) {
    return summary(x) + ", " + std::to_string(std::count_if(x.begin(), x.end(), [](double e) { return e > 0.03; })) +
           " above 3";
  };
  std::cout << "\n"
            << name << ", " << rates.size() << " settings\n  rate, percent: error " << summary(rates)
            << (over.rounds > 1 ? "\n  the loops themselves, one round to another, percent: " + summary(spreads) : "")
            << "\n  share of waiting for preparation, points: error " << of_shares(preps)
            << "\n  for fetching: " << of_shares(fetches) << "\n  for fetching, as the stream says: " << summary(live)
            << (caches ? "\n  knee, at 97 and 95 % of the best rate, within one cache size: " +
                             fixed(knees_right[0], 0) + " and " + fixed(knees_right[1], 0) + " of " + fixed(knees, 0) +
                             "\n  the same by least_memory: " + fixed(least_right, 0) + " of " + fixed(knees, 0)
                       : "")
            << "\n  what if, rate with 2 threads from the analysis with 1, percent: error " << summary(cores)
            << "\n  what if, rate with steps 0.5 and 2.0 from the analysis with 0.9: error " << summary(steps)
            << "\n  what if, rate with each bandwidth from the analyses with the others: error " << summary(storage)
            << "\n  worst: " << worst_at << std::endl;
  const auto target = [&](const std::string& what, std::vector<double> x, double at_median, double at_worst) {
    std::sort(x.begin(), x.end());
    if (at_median > 0) report.at_most(name + ": " + what + ", in the median", 100 * x[x.size() / 2], at_median, 1);
    report.at_most(name + ": " + what + ", at worst", 100 * x.back(), at_worst, 1);
  };
  target("percent that the rate is off", rates, 4, 10);
  target("points that the share of waiting for preparation is off", preps, 0, 3);
  target("points that the share of waiting for fetching is off", fetches, 0, 3);
  if (caches) report.at_least(name + ": knees within one cache size, share", knees_right[0] / knees, 1);
}

}  // namespace bench
