#pragma once
/// Definitions of watch/contract_measure.hpp.

#include <plumbline/data/pool.hpp>
#include <plumbline/exec/clocks.hpp>
#include <plumbline/exec/run_delay.hpp>
#include <plumbline/model/rates.hpp>
#include <plumbline/watch/calibration.hpp>
#include <plumbline/watch/contract_measure.hpp>
#include <plumbline/watch/ticker.hpp>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <time.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

namespace plumbline::detail {

inline constexpr std::size_t usual_rounds = 9, most_rounds = 27;

PLUMBLINE_INLINE bool certainly_below(const std::vector<double>& values, double limit) {
  const auto n = values.size();
  const auto above =
      static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double x) { return x >= limit; }));
  // the chance of so few values above a median that is not less than the limit: binomial, 1/2
  double chance = 0, each = std::pow(0.5, static_cast<double>(n));
  for (std::size_t k = 0; k <= above; ++k) {
    chance += each;
    each *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return n != 0 && chance <= 0.025;
}
PLUMBLINE_INLINE double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
PLUMBLINE_INLINE double without_delay(double cpu, double delayed, double busy) {
  if (cpu <= 0) return 1;
  busy = std::max(busy, cpu + delayed);
  return busy / (busy - delayed);
}

PLUMBLINE_INLINE double memory_in_use() {
  auto& pool = memory_pool::instance();
  const auto limit = pool.retained_limit();
  pool.retain_at_most(0);
  pool.retain_at_most(limit);
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
  return resident_bytes().value_or(0);
}

/// The largest resident memory while it exists, looked at every 5 ms.
class memory_peak {
 public:
  memory_peak() {
    looks_.start(0.005, [this] { look(); });
  }
  void look() {
    const auto now = resident_bytes().value_or(0);
    auto most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }
  double bytes() const { return most_.load(); }

 private:
  std::atomic<double> most_{0};
  ticker looks_;
};

/// Waits until the process's threads have nothing to do, at most 0.1 s.
inline void wait_until_idle() {
  const auto end = wall_now() + 100'000'000;
  for (;;) {
    const auto wall = wall_now(), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    if (wall > end) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu < (wall_now() - wall) / 5) return;
  }
}

/// The time of the threads that compute, so far.
struct computing {
  double cpu = 0;      ///< processor time
  double delayed = 0;  ///< time that they were ready to run but had no core, as other processes had it
  double busy = 0;     ///< time that they had work: computing, waiting in operators, or without a core
  static computing of(const measured_stream& s, const run_delay& consumer) {
    if (s.threads == 0) return {1e-9 * static_cast<double>(cpu_now()), 1e-9 * static_cast<double>(consumer.ns())};
    const auto t = s.traced();
    computing all{0, t.run_delay_seconds};
    for (const auto& p : t.parts) {
      all.cpu += p.blocks ? 0 : p.cpu_seconds;
      all.busy += p.blocks ? 0 : p.wall_seconds;
    }
    return all;
  }
};
struct round_rate {
  double seen = 0;  ///< elements per second
  double own = 0;   ///< the same, if other processes had taken no core
};
/// Takes elements for about `seconds` and returns the rate, without that of the first quarter, where elements come that
/// were ready. `whole_epoch`: goes on until the end of the epoch, for at most twenty times as long.
inline round_rate rate_of_round(const measured_stream& s, double seconds, bool whole_epoch = false) {
  run_delay consumer;
  consumer.add_thread();
  const auto begin = wall_now();
  const auto passed = [&] { return 1e-9 * static_cast<double>(wall_now() - begin); };
  std::uint64_t count = 0, first = 0, in_epoch = 0, skipped = 0, every = 1;
  double since = 0, last_look = 0;
  computing before;
  bool epoch_ended = !whole_epoch;
  int empty = 0;
  constexpr std::uint64_t few = 8;
  for (;;) {
    if (!s.next()) {
      // the last round may have taken the last element of an epoch; a second epoch without elements has none
      empty = in_epoch == 0 ? empty + 1 : 0;
      if (empty > 1)
        throw std::invalid_argument("plumbline: require: the pipeline has no elements; there is nothing to measure");
      in_epoch = 0;
      epoch_ended = true;
      s.restart();
      continue;
    }
    ++in_epoch, ++count;
    if (++skipped < every) continue;
    skipped = 0;
    const auto now = passed();
    every = now - last_look > 1e-3 ? 1 : now - last_look < 5e-5 ? std::min<std::uint64_t>(2 * every, 256) : every;
    last_look = now;
    if (since == 0) {
      if (now < 0.25 * seconds) continue;
      before = computing::of(s, consumer);
      since = now;
      first = count;
    } else if ((now > seconds && count - first >= few && epoch_ended) || now > 20 * seconds) {
      const auto after = computing::of(s, consumer);
      const double cpu = after.cpu - before.cpu, delayed = std::max(after.delayed - before.delayed, 0.0);
      const double rate = static_cast<double>(count - first) / (now - since);
      return {rate, rate * without_delay(cpu, delayed, std::max(after.busy - before.busy, now - since))};
    }
  }
}

inline bool keeps_something(const trace& t) {
  return std::any_of(t.operators.begin(), t.operators.end(), [](const auto& row) {
    return row.replays || row.persists || row.keeps_most > 0 || row.keeps_share > 0;
  });
}
/// The cores that the run would keep busy if it had them.
inline std::size_t cores_wanted(const trace& t, std::size_t threads) {
  double cpu = t.run_delay_seconds + t.consumer_seconds;
  for (const auto& p : t.parts) cpu += p.cpu_seconds;
  const auto cores = t.wall_seconds > 0 ? static_cast<std::size_t>(cpu / t.wall_seconds + 0.5) : 1;
  return std::clamp<std::size_t>(cores, 1, std::max<std::size_t>(threads, 1));
}

PLUMBLINE_INLINE contract_figures measure(const measured_stream& s, const requirement& of, const rate_baseline* before,
                                          double memory_before) {
  contract_figures seen;
  memory_peak memory;
  const double each = of.seconds / static_cast<double>(usual_rounds + 1), calibrating = each / 4,
               running = each * 3 / 4;
  rate_of_round(s, running, keeps_something(s.traced()));  // warm-up; fills caches
  auto& now = seen.now;
  now.threads = s.threads;
  now.calibration_threads = before != nullptr ? before->calibration_threads : cores_wanted(s.traced(), s.threads);
  const auto too_low = [&](auto&& test) {
    return (of.at_least > 0 && test(seen.rates, of.at_least)) ||
           (before != nullptr && test(now.ratios, (1 - of.within) * median(before->ratios)));
  };
  std::vector<double> unit;
  wait_until_idle();
  auto last = calibrate(now.calibration_threads, calibrating);
  for (std::size_t round = 0; round != most_rounds; ++round) {
    // certainty is asked for twice, here and of all rounds: more looks would find by chance what is not there
    if (round >= usual_rounds && !too_low([](const auto& x, double limit) { return median(x) < limit; })) break;
    if (round == usual_rounds && too_low(certainly_below)) break;
    const auto rate = rate_of_round(s, running);
    wait_until_idle();
    const auto next = calibrate(now.calibration_threads, calibrating);
    unit.push_back((last + next) / 2);
    seen.rates.push_back(rate.seen);
    now.ratios.push_back(rate.own * unit.back());
    last = next;
  }
  seen.unit_seconds = median(unit);
  memory.look();
  seen.memory = std::max(memory.bytes() - memory_before, 0.0);
  const auto t = s.traced();
  const auto r = rates(t);
  seen.words = words_for(t.operators);
  for (std::size_t i = 0; i != t.operators.size(); ++i)
    now.operators.push_back({t.operators[i].name,
                             r.operators[i].steady ? r.operators[i].cpu_seconds / seen.unit_seconds : 0,
                             r.operators[i].steady ? r.operators[i].blocked_seconds : 0});
  if (auto stats = s.stats(); stats.counted) seen.counted = std::move(*stats.counted);
  return seen;
}

}  // namespace plumbline::detail
