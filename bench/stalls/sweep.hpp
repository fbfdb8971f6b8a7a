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
  std::size_t again;   ///< so many rounds more where a figure is off by more than wanted, for those sizes of the cache
  bool each;           ///< print every setting
  double analysis;     ///< seconds of each analysis
  int attempts;        ///< for each analysis and loop, while others use the cores
  bool recorded;       ///< the step that computes takes a fixed processor time
};

/// A knee is the first cache size with so much of the best rate. The loops differ by some percent from one round to
/// another, so where rates rise by less than that over several sizes, chance decides which size is the first.
inline constexpr std::array<double, 2> knee_at{0.97, 0.95};

/// How far a figure may be off: rates and shares of waiting.
inline constexpr double rate_within = 0.1, share_within = 0.03;

/// An analysis, and the loops after it, at each size of the cache.
struct round_of_loops {
  pl::stall_analysis a;
  std::vector<observed> seen, never_slow;  ///< a rate of 0: that size had no loop in this round
  bool has(std::size_t size) const { return seen[size].rate > 0; }
};
/// The median of f(round) over the rounds that have loops of this size of the cache.
template <class F> double median_of(const std::vector<round_of_loops>& rounds, std::size_t size, F&& f) {
  series x;
  for (const auto& r : rounds)
    if (r.has(size)) x.rounds.push_back(f(r));
  return x.median();
}
/// How much the loops of one size of the cache differ: the largest rate of all rounds by the smallest, less one.
inline double spread(const std::vector<round_of_loops>& rounds, std::size_t i) {
  const auto of = [&](auto member) {
    series x;
    for (const auto& r : rounds)
      if (r.has(i)) x.rounds.push_back((r.*member)[i].rate);
    return x.high() / x.low() - 1;
  };
  return std::max(of(&round_of_loops::seen), of(&round_of_loops::never_slow));
}
/// The errors of one setting, in the median of the rounds: an analysis is compared with the loops of its round, as from
/// one to the next the machine changes more.
struct setting_errors {
  double rate, prep, fetch;
  bool within() const { return rate <= rate_within && prep <= share_within && fetch <= share_within; }
};
/// How many loops were within the predicted intervals of the rate and of the two shares of waiting.
struct intervals {
  std::array<std::size_t, 3> held{};
  std::size_t all = 0;
  void add(const std::array<bool, 3>& inside) {
    ++all;
    for (std::size_t i = 0; i != inside.size(); ++i) held[i] += inside[i] ? 1 : 0;
  }
  std::string percent(std::size_t i) const {
    return fixed(100 * static_cast<double>(held[i]) / static_cast<double>(all), 0);
  }
};
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
  std::vector<double> rates, preps, fetches, live;      // errors
  std::vector<double> spreads;                          // of the loops of one setting
  std::vector<double> modelled_prep, modelled_storage;  // errors of the model's P and S, against the measured
  intervals covered;
  std::vector<setting> sleeping;
  double worst = 0, knees = 0, least_right = 0;
  std::array<double, 2> knees_right{};
  std::string worst_at;
  std::ptrdiff_t off_at_first = 0;  ///< settings that had more rounds
  const bool caches = over.shares.size() > 1;
  undisturbed quiet(over.attempts);
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
    const auto add_round = [&](const std::vector<bool>& wanted) {
      auto& now = rounds.emplace_back();
      now.a = quiet([&] { return analysis(limit); });
      const auto& a = now.a;
      for (std::size_t i = 0; i != sizes; ++i) {
        const double share = over.shares[i];
        // each round reads the files in a different order
        pl::run_options how{.threads = static_cast<std::size_t>(a.cores), .first_epoch = 2 * rounds.size()};
        const auto rate = [&](double bytes_per_second) {
          how.read_bytes_per_second = bytes_per_second;
          const auto epoch = caches ? static_cast<std::size_t>(std::ceil(a.data_bytes / a.bytes_read)) : 1;
          return quiet([&] {
            if (share == 0) return train(endless, how, step, epoch, over.seconds);
            const auto p = with_cache(pl::bytes(static_cast<std::uint64_t>(share * a.memory_bytes)));
            return train(p, how, step, epoch, over.seconds);
          });
        };
        now.seen.push_back(wanted[i] ? rate(limit) : observed{});
        now.never_slow.push_back(share == 1 || !wanted[i] ? now.seen.back() : rate(1e18));
      }
    };
    const auto predicted_at = [&](const round& r, std::size_t size) {
      return pl::predict(r.a, {.memory = over.shares[size] * r.a.memory_bytes});
    };
    const auto fetch_at = [](const round& r, std::size_t i) {
      return std::max(0.0, 1 - r.seen[i].rate / r.never_slow[i].rate);
    };
    const auto prep_at = [&](const round& r, std::size_t i) {
      return std::max(0.0, 1 - r.seen[i].rate / r.a.step - fetch_at(r, i));
    };
    const auto errors_at = [&](std::size_t i) {
      const auto off = [&](auto&& f) { return std::abs(median_of(rounds, i, f)); };
      return setting_errors{off([&](const round& r) { return predicted_at(r, i).rate / r.seen[i].rate - 1; }),
                            off([&](const round& r) { return predicted_at(r, i).prep - prep_at(r, i); }),
                            off([&](const round& r) { return predicted_at(r, i).fetch - fetch_at(r, i); })};
    };
    // rates by those of the largest cache, in the same rounds
    const auto by_largest = [&](auto&& rate_at) {
      std::vector<double> all;
      for (std::size_t i = 0; i != sizes; ++i)
        all.push_back(median_of(rounds, i, [&](const round& r) {
          const double largest = rate_at(r, r.has(sizes - 1) ? sizes - 1 : i);
          return rate_at(r, i) / largest;
        }));
      return all;
    };
    // the first cache size with which the rate is nearly what it is with the largest
    const auto knee = [](const std::vector<double>& x, double nearly) {
      return std::find_if(x.begin(), x.end(), [&](double each) { return each >= nearly; }) - x.begin();
    };
    const auto seen_rate = [](const round& r, std::size_t i) { return r.seen[i].rate; };
    const auto knee_within = [&](double nearly) {
      const auto predicted = by_largest([&](const round& r, std::size_t i) { return predicted_at(r, i).rate; });
      return std::abs(knee(predicted, nearly) - knee(by_largest(seen_rate), nearly)) <= 1;
    };
    for (std::size_t r = 0; r != over.rounds; ++r) add_round(std::vector<bool>(sizes, true));
    // chance may be the reason: loops are short, and a share is a difference of two
    std::vector<bool> off;
    for (std::size_t i = 0; i != sizes; ++i) off.push_back(!errors_at(i).within());
    if (caches && !knee_within(knee_at[0])) off.assign(sizes, true);
    if (const auto n = std::count(off.begin(), off.end(), true); over.again != 0 && n != 0) {
      off_at_first += n;
      off.back() = true;                                             // knees are relative to the largest
      for (std::size_t r = 0; r != over.again; ++r) add_round(off);  // all of them, whatever comes
    }
    for (const auto& r : rounds) {
      modelled_prep.push_back(std::abs(r.a.modelled_prep / r.a.prep - 1));
      modelled_storage.push_back(std::abs(r.a.modelled_storage / r.a.storage_fetch - 1));
      for (std::size_t i = 0; i != sizes; ++i) {
        if (!r.has(i)) continue;
        const auto x = predicted_at(r, i);
        covered.add({std::abs(x.rate - r.seen[i].rate) <= x.rate_error,
                     std::abs(x.prep - prep_at(r, i)) <= x.prep_error,
                     std::abs(x.fetch - fetch_at(r, i)) <= x.fetch_error});
      }
    }
    const auto& a = rounds.front().a;
    for (std::size_t i = 0; i != sizes; ++i) {
      const auto median = [&](auto&& f) { return median_of(rounds, i, f); };
      const auto predicted = [&](auto member) {
        return median([&](const round& r) { return predicted_at(r, i).*member; });
      };
      const auto off = errors_at(i);
      rates.push_back(off.rate), preps.push_back(off.prep), fetches.push_back(off.fetch);
      spreads.push_back(spread(rounds, i));
      // a step that competes for the cores also waits for preparation while it runs, which the stream cannot see
      if (a.step_cpu_seconds * a.step < 0.1)
        live.push_back(std::abs(median([&](const round& r) { return r.seen[i].stalls.io() - fetch_at(r, i); })));
      const auto shares = [](double of_prep, double of_fetch) {
        return " (waiting " + fixed(100 * of_prep, 0) + " and " + fixed(100 * of_fetch, 0) + " %)";
      };
      const auto text = fixed(a.cores, 0) + " threads, " + where + ", storage " + fixed(bandwidth, 1) +
                        " times the preparation's rate, " + fixed(100 * over.shares[i], 0) +
                        " % cached: " + fixed(median([&](const round& r) { return r.seen[i].rate; }), 1) +
                        shares(median([&](const round& r) { return prep_at(r, i); }),
                               median([&](const round& r) { return fetch_at(r, i); })) +
                        " observed, " + fixed(predicted(&pl::stall_prediction::rate), 1) +
                        shares(predicted(&pl::stall_prediction::prep), predicted(&pl::stall_prediction::fetch)) +
                        " predicted; the stream says" +
                        shares(median([&](const round& r) { return r.seen[i].stalls.prep(); }),
                               median([&](const round& r) { return r.seen[i].stalls.io(); }));
      if (over.each)
        std::cout << "  " << fixed(100 * off.rate, 1) << " % off, shares " << fixed(100 * off.prep, 1) << " and "
                  << fixed(100 * off.fetch, 1) << " points: " << text << std::endl;
      if (off.rate > worst) {
        worst = off.rate;
        worst_at = text;
      }
    }
    ++knees;
    for (std::size_t i = 0; i != knee_at.size(); ++i)
      if (knee_within(knee_at[i])) ++knees_right[i];
    // and by least_memory: the first size that holds as much; if none suffices, the largest
    const double least =
        median_of(rounds, sizes - 1, [](const round& r) { return pl::least_memory(r.a) / r.a.memory_bytes; });
    const auto first = std::find_if(over.shares.begin(), over.shares.end() - 1, [&](double x) { return x >= least; }) -
                       over.shares.begin();
    if (std::abs(first - knee(by_largest(seen_rate), knee_at[0])) <= 1) ++least_right;
    rounds.resize(over.rounds);
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
        sleeping_step sleep(1 / (step * a.prep));
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
    return summary(x) + ", " +
           std::to_string(std::count_if(x.begin(), x.end(), [](double e) { return e > share_within; })) + " above 3";
  };
  std::cout << "\n"
            << name << ", " << rates.size() << " settings"
            << (over.again > 0 ? ", " + std::to_string(off_at_first) + " of them with " + std::to_string(over.again) +
                                     " rounds more"
                               : "")
            << "\n  rate, percent: error " << summary(rates)
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
            << "\n  P as the model predicts it, percent: error " << summary(modelled_prep)
            << "\n  S as the model predicts it: error " << summary(modelled_storage)
            << "\n  loops within the predicted 95 % interval, percent: rate " << covered.percent(0)
            << ", waiting for preparation " << covered.percent(1) << ", for fetching " << covered.percent(2) << " of "
            << covered.all << "\n  analyses and loops: " << quiet.text() << "\n  worst: " << worst_at << std::endl;
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
