#pragma once
/// How fast training goes on while a server of its cache is killed, started again empty, stopped (SIGSTOP) and
/// continued: as many processes as servers, each with a limit on its reads from storage. Each process checks that every
/// epoch has each of its elements once.

#include <plumbline/ext/memcached.hpp>
#include <plumbline/plumbline.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_set>

#include "support/processes.hpp"
#include "support/report.hpp"
#include "tests/support/memcached_servers.hpp"

namespace bench {

class server_faults {
 public:
  /// `files`: a pattern. `bytes_per_second`: each process' limit.
  server_faults(report& to, std::string files, std::size_t elements, double element_bytes, double bytes_per_second)
      : report_(to),
        files_(std::move(files)),
        elements_(elements),
        storage_(static_cast<double>(processes) * bytes_per_second / element_bytes),
        bytes_per_second_(bytes_per_second),
        megabytes_(static_cast<int>(2 * element_bytes * static_cast<double>(elements) / (1 << 20) / processes)) {}

  void measure(std::size_t rounds, double seconds) {
    series before, killed, empty, stopped, continued, killed_of, stopped_of;
    for (std::size_t r = 0; r != rounds; ++r) {
      plumbline_test::memcached_servers servers(processes, megabytes_, PLUMBLINE_SOURCE_DIR);
      at_.taken = 0;
      at_.done = false;
      in_processes(processes + 1, at_, [&](std::size_t rank, auto wait) {
        if (rank == processes)
          steer(servers, seconds, wait);
        else
          train(servers, rank, wait);
      });
      const auto& t = at_.seen;
      // a third of the elements comes from storage
      const double without_one = 1 / ((2.0 / 3) / t.before + (1.0 / 3) / storage_);
      before.rounds.push_back(t.before), killed.rounds.push_back(t.killed), stopped.rounds.push_back(t.stopped);
      empty.rounds.push_back(t.recovered_empty), continued.rounds.push_back(t.recovered_continued);
      killed_of.rounds.push_back(t.killed / without_one), stopped_of.rounds.push_back(t.stopped / without_one);
    }
    report_.table("one of 3 servers fails, " + fixed(seconds, 0) + " s each", "elements/s of all processes", 0,
                  {{"before", before}, {"while it is dead", killed}, {"while it is stopped", stopped}});
    report_.table("until the rate is 0.9 of that before", "s", 2,
                  {{"after it was started again, empty", empty}, {"after it was continued", continued}});
    report_.at_least("rate while one of 3 servers is dead, of the predicted", killed_of.median(), 0.9);
    report_.at_least("rate while one of 3 servers is stopped, of the predicted", stopped_of.median(), 0.9);
    report_.at_most("seconds until the rate is back, at worst", std::max(empty.high(), continued.high()), longest, 2);
  }

 private:
  static constexpr std::size_t processes = 3;
  static constexpr double longest = 10;  ///< seconds: a server that failed is asked again so often, by default
  struct figures {
    double before = 0, killed = 0, stopped = 0;           ///< elements a second of all processes
    double recovered_empty = 0, recovered_continued = 0;  ///< seconds
  };
  struct meeting : meeting_point {
    std::atomic<std::uint64_t> taken;
    std::atomic<bool> done;
    figures seen;
  };

  double rate_for(double seconds) const {
    const auto from = at_.taken.load();
    const auto since = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    return static_cast<double>(at_.taken.load() - from) /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  }
  /// Seconds until `rate` was reached over a quarter of a second.
  double seconds_to(double rate) const {
    const auto since = std::chrono::steady_clock::now();
    double waited = 0;
    do {
      const bool reached = rate_for(0.25) >= rate;
      waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
      if (reached) return waited - 0.25;
    } while (waited < 3 * longest);
    return waited;
  }
  template <class Wait> void steer(plumbline_test::memcached_servers& servers, double seconds, Wait&& wait) {
    wait();  // the cache is filled
    auto& seen = at_.seen;
    seen.before = rate_for(seconds);
    servers.signal(0, SIGKILL);
    seen.killed = rate_for(seconds);
    servers.restart(0);
    seen.recovered_empty = seconds_to(0.9 * seen.before);
    servers.signal(1, SIGSTOP);
    seen.stopped = rate_for(seconds);
    servers.signal(1, SIGCONT);
    seen.recovered_continued = seconds_to(0.9 * seen.before);
    at_.done = true;
    wait();  // the servers that this process has started end with it
  }
  template <class Wait> void train(const plumbline_test::memcached_servers& servers, std::size_t rank, Wait&& wait) {
    namespace pl = plumbline;
    const auto p = pl::files(files_) | pl::shuffle(1) | pl::shard(processes, rank) | pl::read_file() |
                   pl::cache(pl::servers(servers.addresses()));
    auto s = pl::run(p, {.threads = 1, .io_threads = 4, .read_bytes_per_second = bytes_per_second_});
    std::uint64_t epoch = 0;
    const auto whole = [&] {
      std::unordered_set<std::string> once;
      std::size_t n = 0;
      s.restart(epoch++);
      while (const auto x = s.next()) {
        ++at_.taken, ++n;
        once.insert(x->path);
      }
      const auto mine = elements_ / processes + (rank < elements_ % processes ? 1 : 0);
      if (n != mine || once.size() != mine) throw std::runtime_error("an epoch does not have each element once");
    };
    while (epoch != 3) whole();  // each process fills the cache with its part of an epoch
    wait();
    while (!at_.done.load()) whole();
    wait();
  }

  report& report_;
  std::string files_;
  std::size_t elements_;
  double storage_;  ///< elements a second of all processes
  double bytes_per_second_;
  int megabytes_;  ///< of each server
  meeting& at_ = shared_by_processes<meeting>();
};

}  // namespace bench
