#pragma once
/// What predict says of several jobs on one machine, from the analysis of one, against as many processes that train:
/// each with a preparation and a cache of its own (what_if::jobs), with one cache in shared memory
/// (what_if::shared_memory), and with one preparation (what_if::shared_preparation).

#include <plumbline/image.hpp>
#include <plumbline/ops/cache_in_shared_memory.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/shared/run_shared.hpp>
#include <plumbline/tune.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "support/inputs.hpp"
#include "support/processes.hpp"
#include "support/recorded.hpp"
#include "support/report.hpp"

namespace bench {

enum class way { apart, shared_memory, shared_preparation };
inline constexpr std::array<const char*, 3> names_of_ways{"each with a preparation and a cache of its own",
                                                          "each with a preparation, one cache in shared memory",
                                                          "one preparation and one cache"};

struct jobs_setting {
  way how;
  std::size_t jobs;
  double share;                    ///< of the files' bytes that the machine's caches may keep together
  std::vector<double> ratios{};    ///< predicted by observed, a round each
  std::vector<double> observed{};  ///< batches a second of all jobs
};

class jobs_what_if {
 public:
  jobs_what_if(report& to, const options& o)
      : report_(to),
        rounds_(o.rounds_or(3, 1)),
        most_jobs_(o.quick ? 2 : 4),
        files_(photos()),
        prepared_(files_, [n = std::uint64_t{0}](const plumbline::file_contents& f) mutable {
          plumbline::rng random(1, n++);
          return plumbline::random_resized_crop<224, 224>()(plumbline::decode()(f), random);
        }) {}

  void measure(bool each) {
    const auto alone = analyse(1e9, 1e18);  // what the settings' rates are multiples of
    std::array<series, names_of_ways.size()> errors;
    double worst = 0;
    for (const double storage : {0.5, 2.0})
      for (const double step : {0.3, 2.0}) {
        std::vector<jobs_setting> settings;
        for (std::size_t jobs = 2; jobs <= most_jobs_; jobs *= 2)
          for (const auto how : {way::apart, way::shared_memory, way::shared_preparation})
            for (const double share : {0.4, 1.1}) settings.push_back({how, jobs, share});
        const double bytes_per_second = storage * alone.prep * alone.batch_bytes, steps = step * alone.prep;
        for (std::size_t r = 0; r != rounds_; ++r) {
          const auto now = analyse(steps, bytes_per_second, settings);
          for (std::size_t i = 0; i != settings.size(); ++i) {
            const double seen = train(settings[i], now, steps, bytes_per_second, now.predicted[i]);
            settings[i].observed.push_back(seen);
            settings[i].ratios.push_back(now.predicted[i] / seen);
          }
        }
        for (auto& s : settings) {
          const double ratio = series{s.ratios}.median(), error = std::abs(ratio - 1);
          const auto which = static_cast<std::size_t>(s.how);
          errors[which].rounds.push_back(100 * error);
          worst = std::max(worst, error);
          if (each)
            std::cout << "  " << s.jobs << " jobs, " << names_of_ways[which] << ", memory for "
                      << fixed(100 * s.share, 0) << " % of the files, storage " << storage << " and step " << step
                      << " times the preparation's rate: " << fixed(series{s.observed}.median(), 1)
                      << " batches/s, predicted " << fixed(ratio, 3) << " of it" << std::endl;
        }
      }
    std::vector<std::pair<std::string, series>> rows;
    series all;
    for (std::size_t i = 0; i != errors.size(); ++i) {
      rows.emplace_back(names_of_ways[i], errors[i]);
      all.rounds.insert(all.rounds.end(), errors[i].rounds.begin(), errors[i].rounds.end());
    }
    report_.table("what if: the rate predicted from one job's analysis, of settings", "percent off", 1, rows);
    report_.at_most("what if: percent off in the median", all.median(), 4, 1);
    report_.at_most("what if: percent off at worst", 100 * worst, 10, 1);
  }

 private:
  static constexpr std::size_t threads = 2, most_settings = 32, in_batch = 8;
  struct figures {
    double prep = 0, batch_bytes = 0, memory_bytes = 0;
    std::array<double, most_settings> predicted{};  ///< batches a second of all jobs
  };
  struct meeting : meeting_point {
    figures seen;
    std::array<double, most_processes> rate;
  };

  auto read(std::uint64_t seed) const {
    namespace pl = plumbline;
    return pl::files(files_) | pl::shuffle(seed) | pl::repeat(100'000) | pl::read_file();
  }
  template <class P> auto batches(const P& read) const {
    namespace pl = plumbline;
    return read | pl::map(prepared_) | pl::batch<in_batch>();
  }
  /// In a process of its own, as those that train are forked from one without threads. `steps`: a second.
  figures analyse(double steps, double bytes_per_second, const std::vector<jobs_setting>& settings = {}) {
    namespace pl = plumbline;
    in_processes(1, at_, [&](std::size_t, auto) {
      const auto once = batches(pl::files(files_) | pl::shuffle(1) | pl::read_file());
      pl::analyze_options how{.run = {.threads = threads, .read_bytes_per_second = bytes_per_second}};
      const auto a = pl::analyze(once, pl::steps_per_second{steps}, how);
      at_.seen = {a.prep, a.bytes_read, a.memory_bytes};
      for (std::size_t i = 0; i != settings.size(); ++i) {
        const auto& s = settings[i];
        const auto p = pl::predict(a, {.memory = s.share * a.memory_bytes,
                                       .jobs = s.jobs,
                                       .shared_preparation = s.how == way::shared_preparation,
                                       .shared_memory = s.how == way::shared_memory});
        at_.seen.predicted[i] = p.rate * static_cast<double>(s.jobs);
      }
    });
    return at_.seen;
  }
  /// Batches a second of all jobs, each of which takes as many, after an epoch that fills the caches. The machine's
  /// threads and its storage are divided among those that prepare.
  double train(const jobs_setting& s, const figures& machine, double steps, double bytes_per_second, double predicted) {
    namespace pl = plumbline;
    const auto jobs = static_cast<double>(s.jobs);
    const auto name = "bench_jobs what if " + std::to_string(::getpid());
    const auto all_bytes = pl::bytes(static_cast<std::uint64_t>(s.share * machine.memory_bytes));
    const auto fill = (files_.size() + in_batch - 1) / in_batch;
    const auto n = static_cast<std::size_t>(std::max(10.0, 2 * predicted / jobs));  // for about 2 s
    in_processes(s.jobs, at_, [&](std::size_t rank, auto wait) {
      const auto go = [&](auto&& stream) {
        for (std::size_t i = 0; i != fill; ++i) (void)stream.next();
        const auto take = [&](std::size_t count) {
          return seconds([&] {
            for (std::size_t i = 0; i != count; ++i) {
              (void)stream.next();
              std::this_thread::sleep_for(std::chrono::duration<double>(1 / steps));
            }
          });
        };
        wait();
        take(n / 3);  // buffers fill
        at_.rate[rank] = static_cast<double>(n) / take(n);
        wait();
      };
      pl::run_options how{.threads = std::max<std::size_t>(1, threads / s.jobs),
                          .read_bytes_per_second = bytes_per_second / jobs};
      if (s.how == way::apart)
        go(pl::run(batches(read(rank) | pl::cache(pl::bytes(all_bytes.count / s.jobs))), how));
      else if (s.how == way::shared_memory)
        go(pl::run(batches(read(rank) | pl::cache(pl::shared_memory(name), all_bytes)), how));
      else
        go(pl::run_shared(
            batches(read(1) | pl::cache(all_bytes)),
            {.name = name, .jobs = s.jobs, .run = {.threads = threads, .read_bytes_per_second = bytes_per_second}}));
    });
    double rate = 0;
    for (std::size_t i = 0; i != s.jobs; ++i) rate += at_.rate[i];
    return rate;
  }

  report& report_;
  std::size_t rounds_, most_jobs_;
  plumbline::file_list files_;
  recorded<plumbline::fixed_image<224, 224, 3>> prepared_;
  meeting& at_ = shared_by_processes<meeting>();
};

}  // namespace bench
