#pragma once
/// What predict says of several servers (what_if::servers), from the analysis of one, against as many processes that
/// train, each with its shard, its own limit on reading, and a part of a cache on memcached servers. That is done on
/// one machine, so the preparation of a file and a step wait instead of computing.

#include <plumbline/ext/memcached.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/processes.hpp"
#include "support/report.hpp"
#include "tests/support/memcached_servers.hpp"

namespace bench {

struct servers_setting {
  std::size_t servers;
  double share;                     ///< of the files' bytes that the servers' memory is for
  std::vector<double> ratios{};     ///< predicted by observed, a round each
  std::vector<double> observed{};   ///< batches a second of all processes
  std::vector<double> waiting{};    ///< of their time, the share in which they waited
  std::vector<double> predicted{};  ///< the same
};

class servers_what_if {
 public:
  /// `files`: a pattern, of so many files of one size.
  servers_what_if(report& to, std::string files, std::size_t count, double file_bytes)
      : report_(to), files_(std::move(files)), count_(count), file_bytes_(file_bytes) {}

  void measure(std::size_t rounds, std::size_t most_servers, bool each) {
    const double prep = analyse(1e9, 1e18, {}, 0).prep, batch_bytes = in_batch * file_bytes_;
    series rate_errors, waiting_errors;
    for (const double storage : {0.5, 2.0})
      for (const double step : {0.3, 2.0}) {
        std::vector<servers_setting> settings;
        for (std::size_t n = 2; n <= most_servers; ++n)
          for (const double share : {0.0, 0.4, 0.8, 1.5}) settings.push_back({n, share});
        const double bytes_per_second = storage * prep * batch_bytes, steps = step * prep;
        for (std::size_t r = 0; r != rounds; ++r) round(settings, steps, bytes_per_second);
        for (const auto& s : settings) {
          const double ratio = series{s.ratios}.median();
          const double waited = series{s.waiting}.median(), expected = series{s.predicted}.median();
          rate_errors.rounds.push_back(100 * std::abs(ratio - 1));
          waiting_errors.rounds.push_back(100 * std::abs(waited - expected));
          if (each)
            std::cout << "  " << s.servers << " servers, memory for " << fixed(100 * s.share, 0)
                      << " % of the files, storage " << storage << " and step " << step
                      << " times the preparation's rate: " << fixed(series{s.observed}.median(), 1)
                      << " batches/s, predicted " << fixed(ratio, 3) << " of it; waited " << fixed(100 * waited, 1)
                      << " %, predicted " << fixed(100 * expected, 1) << " %" << std::endl;
        }
      }
    report_.table("what if: several servers, from one's analysis", "percent off; points off", 1,
                  {{"rate, of settings", rate_errors}, {"share of waiting, of settings", waiting_errors}});
    report_.at_most("what if: percent off in the median", rate_errors.median(), 4, 1);
    report_.at_most("what if: percent off at worst", rate_errors.high(), 10, 1);
    report_.at_most("what if: points off at worst, of the share of waiting", waiting_errors.high(), 3, 1);
  }

 private:
  static constexpr std::size_t threads = 1, io_threads = 4, most_settings = 16, in_batch = 8;
  static constexpr std::chrono::milliseconds preparation{2};  ///< of a file
  struct figures {
    double prep = 0;
    std::array<double, most_settings> held{};                  ///< observed: the share found on the servers
    std::array<double, most_settings> predicted{}, waiting{};  ///< batches a second of all; of their time
  };
  struct meeting : meeting_point {
    figures seen;
    std::array<double, most_processes> seconds, waited, read;
  };

  static std::int64_t prepared(const plumbline::file_contents& f) {
    std::this_thread::sleep_for(preparation);
    return static_cast<std::int64_t>(f.data.size());
  }
  template <class P> static auto batches(const P& read) {
    namespace pl = plumbline;
    return read | pl::map(prepared) | pl::batch<in_batch>();
  }
  static plumbline::run_options run_with(double bytes_per_second) {
    return {.threads = threads, .io_threads = io_threads, .read_bytes_per_second = bytes_per_second};
  }
  /// In a process of its own, as those that train are forked from one without threads. `steps`: a second.
  figures analyse(double steps, double bytes_per_second, const std::vector<servers_setting>& settings, double seconds) {
    namespace pl = plumbline;
    in_processes(1, at_, [&](std::size_t, auto) {
      const auto once = batches(pl::files(files_) | pl::shuffle(1) | pl::read_file());
      pl::analyze_options how{.run = run_with(bytes_per_second)};
      if (seconds > 0) how.seconds = seconds;
      const auto a = pl::analyze(once, pl::steps_per_second{steps}, how);
      at_.seen.prep = a.prep;
      for (std::size_t i = 0; i != settings.size(); ++i) {
        const auto n = settings[i].servers;
        const auto p =
            pl::predict(a, {.memory = at_.seen.held[i] * a.memory_bytes / static_cast<double>(n), .servers = n});
        at_.seen.predicted[i] = p.rate;
        at_.seen.waiting[i] = p.prep + p.fetch;
      }
    });
    return at_.seen;
  }
  void round(std::vector<servers_setting>& settings, double steps, double bytes_per_second) {
    std::vector<double> seen;
    for (std::size_t i = 0; i != settings.size(); ++i) {
      seen.push_back(train(settings[i], steps, bytes_per_second, at_.seen.held[i]));
      double time = 0, waited = 0;
      for (std::size_t k = 0; k != settings[i].servers; ++k) time += at_.seconds[k], waited += at_.waited[k];
      settings[i].waiting.push_back(waited / time);
    }
    const auto now = analyse(steps, bytes_per_second, settings, 5);
    for (std::size_t i = 0; i != settings.size(); ++i) {
      settings[i].observed.push_back(seen[i]);
      settings[i].ratios.push_back(now.predicted[i] / seen[i]);
      settings[i].predicted.push_back(now.waiting[i]);
    }
  }
  /// Batches a second of all processes, after an epoch that fills the cache. `held`: the share that was found there.
  double train(const servers_setting& s, double steps, double bytes_per_second, double& held) {
    namespace pl = plumbline;
    const auto n = static_cast<double>(s.servers);
    const double data = file_bytes_ * static_cast<double>(count_) / (1 << 20);
    std::optional<plumbline_test::memcached_servers> at;
    if (s.share > 0)
      at.emplace(static_cast<int>(s.servers), static_cast<int>(s.share * data / n), PLUMBLINE_SOURCE_DIR);
    const std::size_t in_epoch = count_ / s.servers / in_batch;  // of a process, at least
    const double slowest = std::min(steps, bytes_per_second / file_bytes_ / in_batch);
    const auto epochs = static_cast<std::size_t>(std::ceil(3 * slowest / static_cast<double>(in_epoch)));
    in_processes(s.servers, at_, [&](std::size_t rank, auto wait) {
      const auto go = [&](const auto& read, auto&& sources) {
        auto stream = pl::run(batches(read), run_with(bytes_per_second));
        const auto take = [&](std::size_t batches) {
          double waited = 0;
          for (std::size_t i = 0; i != batches; ++i) {
            waited += seconds([&] {
              if (!stream.next()) throw std::runtime_error("the stream ended");
            });
            std::this_thread::sleep_for(std::chrono::duration<double>(1 / steps));
          }
          return waited;
        };
        take(in_epoch + 1);
        wait();
        const double before = sources();
        at_.seconds[rank] = seconds([&] { at_.waited[rank] = take(in_epoch * epochs); });
        at_.read[rank] = (sources() - before) / static_cast<double>(in_epoch * epochs * in_batch);
        wait();
      };
      const auto read =
          pl::files(files_) | pl::shuffle(1) | pl::shard(s.servers, rank) | pl::repeat(100'000) | pl::read_file();
      if (!at)
        return go(read, [n = 0.0, all = static_cast<double>(in_epoch * epochs * in_batch)]() mutable {
          return all * n++;  // all is read
        });
      const auto kept = pl::cache(pl::servers(at->addresses()), {.timeout = std::chrono::seconds(5)});
      go(read | kept, [&] {
        double missing = 0;
        for (const auto& c : kept.counts()) missing += static_cast<double>(c.missing + c.not_asked);
        return missing;
      });
    });
    double rate = 0, read = 0;
    for (std::size_t i = 0; i != s.servers; ++i) {
      rate += static_cast<double>(in_epoch * epochs) / at_.seconds[i];
      read += at_.read[i] / n;
    }
    held = std::clamp(1 - read, 0.0, 1.0);
    return rate;
  }

  report& report_;
  std::string files_;
  std::size_t count_;
  double file_bytes_;
  meeting& at_ = shared_by_processes<meeting>();
};

}  // namespace bench
