#pragma once
/// Plans whose caches keep a share of the elements, at several sizes of the memory, against plans that keep all of one
/// place or nothing, and against the best of a grid of shares, each of which is run. `measure`: shares in memory;
/// `measure_levels`: in memory and on disk.

#include <plumbline/model/in_flight.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>
#include <plumbline/tune_on_disk.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/measure.hpp"
#include "support/report.hpp"

namespace bench {

namespace pl = plumbline;

/// Elements a second in whole epochs, once one has filled the caches.
template <class Stream> double filled_rate(Stream s, double at_least) {
  while (s.next()) {
  }
  double n = 0, took = 0;
  do {
    s.restart();
    took += seconds([&] {
      while (s.next()) ++n;
    });
  } while (took < at_least);
  return n / took;
}

struct sweep {
  std::vector<double> memories, shares;
  double seconds;
  int rounds;
};

/// The places for caches of a pipeline, and how it is tuned.
template <class P> struct subject {
  static constexpr std::size_t sites_tried = pl::detail::default_sites;
  const P& p;
  pl::optimize_options options{};
  std::vector<std::uint32_t> sites = pl::detail::forms<sites_tried, P>::share_sites();
  std::vector<double> sizes{};  ///< bytes of all elements, at each site
  double everything = 0;        ///< at the largest
  double in_flight = 0;         ///< bytes, besides the caches

  /// `bandwidth`: of the storage, in times what the preparation reads without a limit; 0: no limit.
  subject(const P& pipeline, double bandwidth, const sweep& over) : p(pipeline) {
    options.run.threads = pl::machine::cores_here();
    options.progress = [](const std::string&) {};
    options.seconds = 2 * over.seconds;
    auto first = options;
    first.passes = 1;
    first.caches = false;
    const auto seen = pl::optimize(p, first).why();
    if (bandwidth > 0)
      options.run.read_bytes_per_second = bandwidth * seen.attempts.front().observed * seen.made.rates.bytes_read;
    auto what_if = options;
    what_if.passes = 1;
    what_if.memory = 1e15;
    const auto sized = pl::optimize<sites_tried>(p, what_if).why();
    for (const auto after : sites) sizes.push_back(sized.made.sizes[after - 1].bytes);
    everything = *std::max_element(sizes.begin(), sizes.end());
    const auto& plan = sized.made.best;
    in_flight = pl::in_flight(sized.made.demand, static_cast<double>(plan.threads),
                              static_cast<double>(pl::io_threads_in_run(plan)), static_cast<double>(plan.prefetch));
  }
  /// Options with memory for a part of everything; what is in flight comes on top, `times` as much as without caches.
  pl::optimize_options with_memory(double part, bool shares = true, double times = 1) const {
    auto o = options;
    o.memory = (part * everything + times * in_flight) / pl::cache_share_of_memory;
    o.shares = shares;
    return o;
  }
  double bytes_of(const std::vector<double>& shares) const {
    double all = 0;
    for (std::size_t i = 0; i != shares.size(); ++i) all += shares[i] * sizes[i];
    return all;
  }
  /// The bytes that a plan's caches keep in memory and on disk.
  std::pair<double, double> kept(const pl::plan& by) const {
    double memory = 0, disk = 0;
    for (std::size_t c = 0; c != by.caches.size(); ++c) {
      const auto site = std::find(sites.begin(), sites.end(), by.caches[c]);
      const double bytes = site == sites.end() ? 0 : sizes[static_cast<std::size_t>(site - sites.begin())];
      memory += bytes * (by.shares.empty() ? 1 : by.shares[c].size());
      disk += bytes * (by.on_disk.empty() ? 0 : by.on_disk[c].size());
    }
    return {memory, disk};
  }
  /// Calls `visit` with each choice of shares in memory and on disk (for each site) that so many bytes hold and that no
  /// larger one contains. `disk` of 0: none are on disk.
  template <class Visit>
  void for_each_choice(const std::vector<double>& steps, double memory, double disk, Visit&& visit) const {
    std::vector<double> in_memory(sites.size()), on_disk(sites.size());
    const auto possible = [&] {
      double all = 0;
      for (std::size_t i = 0; i != sites.size(); ++i) all += in_memory[i] + on_disk[i];
      // a grid of quarters would miss what takes a little more than a quarter, so it may have 1 % more room
      return all <= 1 + 1e-9 && bytes_of(in_memory) <= 1.01 * memory && bytes_of(on_disk) <= 1.01 * disk;
    };
    const auto largest = [&] {
      bool more = false;
      for (auto* level : {&in_memory, &on_disk})
        for (auto& each : *level) {
          const double was = each;
          each += steps[1];
          more = more || possible();
          each = was;
        }
      return !more;
    };
    const auto choose = [&](auto&& self, std::size_t i) -> void {
      if (i == 2 * sites.size()) {
        if (possible() && largest()) visit(in_memory, on_disk);
        return;
      }
      auto& each = i < sites.size() ? in_memory[i] : on_disk[i - sites.size()];
      for (const double share : steps) {
        each = share;
        if (possible()) self(self, i + 1);
      }
      each = 0;
    };
    choose(choose, 0);
  }
  /// A plan with these shares that leaves everything else to the run.
  pl::plan with_shares(const std::vector<double>& in_memory, const std::vector<double>& on_disk) const {
    pl::plan how{.pipeline = pl::signature_of(pl::layout(p)), .threads = pl::machine::cores_here(), .caches = sites};
    double from = 0;
    const auto next = [&](double size) {
      const double begin = from;
      from = std::min(1.0, from + size);
      return pl::share{begin, from};
    };
    const bool disk = std::any_of(on_disk.begin(), on_disk.end(), [](double x) { return x > 0; });
    for (std::size_t i = 0; i != sites.size(); ++i) {
      how.shares.push_back(next(in_memory[i]));
      if (!disk) continue;
      how.on_disk.push_back(next(on_disk[i]));
      how.disk_bytes.push_back(how.on_disk.back().size() * sizes[i]);
    }
    return how;
  }
};

/// The rates of plans that are run alternately, each the first in turn: medians.
template <std::size_t N, class Run>
std::array<double, N> alternately(const std::array<const pl::plan*, N>& plans, int rounds, Run&& run) {
  std::array<series, N> rates;
  for (std::size_t k = 0; k != N * static_cast<std::size_t>(rounds); ++k) {
    const auto which = (k + k / N) % N;
    rates[which].rounds.push_back(run(*plans[which]));
  }
  std::array<double, N> medians{};
  for (std::size_t i = 0; i != N; ++i) medians[i] = rates[i].median();
  return medians;
}

/// True if both run in the same way, whatever they predict.
inline bool same_run(pl::plan a, const pl::plan& b) {
  a.rate = b.rate, a.memory = b.memory, a.bottleneck = b.bottleneck;
  for (std::size_t i = 0; i != std::min(a.parts.size(), b.parts.size()); ++i) a.parts[i].cores = b.parts[i].cores;
  return a == b;
}

inline void print_caches(const std::string& whose, const pl::plan& how) {
  std::cout << "  (" << whose;
  if (how.rate > 0) std::cout << ", predicted " << fixed(how.rate, 1);
  for (std::size_t c = 0; c != how.caches.size(); ++c) {
    std::cout << "; " << fixed(how.shares.empty() ? 100 : 100 * how.shares[c].size(), 0) << " % ";
    if (!how.on_disk.empty()) std::cout << "and " << fixed(100 * how.on_disk[c].size(), 0) << " % on disk ";
    std::cout << "after " << how.caches[c];
  }
  std::cout << ")";
}

/// `at_half`: with half of the memory, the least rate with shares, in times that of all or nothing (the rates of one
/// plan differ by 2 %).
template <class P>
void measure(report& report, const std::string& name, const P& p, double bandwidth, const sweep& over,
             double at_half = 0.98) {
  const subject<P> of(p, bandwidth, over);
  constexpr auto tried = subject<P>::sites_tried;
  const auto run = [&](const pl::plan& how) {
    return filled_rate(pl::run<tried>(p, how, of.options.run), over.seconds);
  };
  std::map<std::vector<double>, double> grid;  // the rate of each choice, which does not depend on the memory
  std::cout << "\n"
            << name << ", " << pl::bytes_text(of.everything)
            << " in all\n  memory  all or nothing  shares  best of the grid  shares/whole  shares/grid\n";
  for (const double part : over.memories) {
    const auto whole = pl::optimize<tried>(p, of.with_memory(part, false)).plan();
    const auto tuned = pl::optimize<tried>(p, of.with_memory(part)).plan();
    double best = -1;
    pl::plan best_of_grid;
    // with as much room, and at least what the plan's caches take, which is more where less is in flight
    const double room = std::max(part * of.everything, of.kept(tuned).first);
    of.for_each_choice(over.shares, room, 0, [&](const auto& in_memory, const auto& on_disk) {
      const auto how = of.with_shares(in_memory, on_disk);
      const auto [known, first] = grid.try_emplace(in_memory, 0);
      if (first) known->second = run(how);
      if (known->second > best) best = known->second, best_of_grid = how;
    });
    auto [with_shares, with_whole, with_grid] = alternately<3>({&tuned, &whole, &best_of_grid}, over.rounds, run);
    const bool same = same_run(tuned, whole);  // two streams of one plan may differ by a tenth: the mean of both
    if (same) with_shares = with_whole = (with_shares + with_whole) / 2;
    std::cout << "  " << fixed(100 * part, 0) << " %  " << fixed(with_whole, 1) << "  " << fixed(with_shares, 1) << "  "
              << fixed(with_grid, 1) << "  " << fixed(with_shares / with_whole, 2) << "  "
              << fixed(with_shares / with_grid, 2);
    if (same) std::cout << "  (both are the same plan)";
    print_caches("plan", tuned);
    print_caches("grid", best_of_grid);
    std::cout << std::endl;
    const auto what = name + ", memory for " + fixed(100 * part, 0) + " %: rate with shares, of ";
    report.at_least(what + "the best of the grid", with_shares / with_grid, 0.97);
    report.at_least(what + "all or nothing", with_shares / with_whole, part == 0.5 ? at_half : 0.98);
  }
}

/// Bytes a second that one and more threads read from a file in the page cache.
inline pl::disk_curve page_cache_bandwidth(const std::filesystem::path& file) {
  const std::vector<char> block(std::size_t{1} << 16);
  constexpr int blocks = 1024;
  {
    std::ofstream out(file, std::ios::binary);
    for (int i = 0; i != blocks; ++i) out.write(block.data(), static_cast<std::streamsize>(block.size()));
  }
  const auto read = [&] {
    std::vector<char> into(block.size());
    std::ifstream in(file, std::ios::binary);
    while (in.read(into.data(), static_cast<std::streamsize>(into.size()))) {
    }
  };
  std::vector<pl::disk_curve::point> points;
  for (std::size_t n = 1; n <= pl::machine::cores_here(); n *= 2) {
    series times;
    for (int round = 0; round != 5; ++round) {
      times.rounds.push_back(seconds([&] {
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t != n; ++t) threads.emplace_back(read);
        for (auto& t : threads) t.join();
      }));
    }
    points.push_back(
        {static_cast<double>(n), static_cast<double>(n * blocks) * static_cast<double>(block.size()) / times.median()});
  }
  std::filesystem::remove(file);
  return pl::disk_curve::fit(points);
}

/// Caches on two levels, with room on disk for half of everything. Their files, in `folder`, are in the page cache, as
/// they have just been written.
template <class P>
void measure_levels(report& report, const std::string& name, const P& p, double bandwidth, const sweep& over,
                    const std::filesystem::path& folder) {
  const subject<P> of(p, bandwidth, over);
  constexpr auto tried = subject<P>::sites_tried;
  const auto curve = page_cache_bandwidth(folder.string() + ".bin");
  // in an empty folder each time, as the shares of another plan are other elements
  const auto with_disk = [&](double part, auto&& use) {
    std::filesystem::remove_all(folder);
    return use(pl::on_disk(folder.string(), pl::bytes(static_cast<std::uint64_t>(1.05 * part * of.everything)),
                           {.curve = curve}));
  };
  std::cout << "\n"
            << name << ", " << pl::bytes_text(of.everything) << " in all, the page cache gives "
            << pl::rate_text(curve.most())
            << "\n  memory  disk  memory alone  both  best of the grid  both/alone  both/grid\n";
  constexpr double disk = 0.5;
  for (const double memory : over.memories) {
    if (memory >= 1) continue;                            // nothing is left for the disk
    const auto budget = of.with_memory(memory, true, 4);  // what is read back is in flight, too
    const auto alone = pl::optimize<tried>(p, budget).plan();
    const auto both =
        with_disk(disk, [&](const pl::on_disk& where) { return pl::optimize<tried>(p, budget, where).plan(); });
    const auto run = [&](const pl::plan& how) {
      return with_disk(disk, [&](const pl::on_disk& where) {
        return filled_rate(pl::run<tried>(p, how, where, of.options.run), over.seconds);
      });
    };
    double best = -1;
    pl::plan best_of_grid;
    const auto [room, room_on_disk] = of.kept(both);
    of.for_each_choice(over.shares, std::max(memory * of.everything, room),
                       std::max(disk * of.everything, room_on_disk), [&](const auto& in_memory, const auto& on_disk) {
                         const auto how = of.with_shares(in_memory, on_disk);
                         const double rate = run(how);
                         if (rate > best) best = rate, best_of_grid = how;
                       });
    const auto [with_both, with_memory, with_grid] = alternately<3>({&both, &alone, &best_of_grid}, over.rounds, run);
    std::cout << "  " << fixed(100 * memory, 0) << " %  " << fixed(100 * disk, 0) << " %  " << fixed(with_memory, 1)
              << "  " << fixed(with_both, 1) << "  " << fixed(with_grid, 1) << "  " << fixed(with_both / with_memory, 2)
              << "  " << fixed(with_both / with_grid, 2);
    print_caches("plan", both);
    print_caches("grid", best_of_grid);
    std::cout << std::endl;
    const auto what = name + ", memory for " + fixed(100 * memory, 0) + " % and disk for " + fixed(100 * disk, 0) +
                      " %: rate with both, of ";
    report.at_least(what + "the best of the grid", with_both / with_grid, 0.97);
    report.at_least(what + "memory alone", with_both / with_memory, 0.98);
  }
}

}  // namespace bench
