// bench_shares: plans with caches that keep a share of the elements, at several sizes of the memory, against plans that
// keep all of one place or nothing, and against the best of a grid of shares, each of which is run; and what caches
// that keep nothing cost where elements are small.
#include <plumbline/image.hpp>
#include <plumbline/model/in_flight.hpp>
#include <plumbline/ops/cache_in_shared_memory.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/tune.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <unistd.h>

#include "support/inputs.hpp"
#include "support/report.hpp"

namespace {

namespace pl = plumbline;
namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;

double since(clock_type::time_point t) { return std::chrono::duration<double>(clock_type::now() - t).count(); }

/// Elements a second, once an epoch has filled the caches.
template <class Stream> double rate_of(Stream s, double seconds) {
  while (s.next()) {
  }
  const auto begin = clock_type::now();
  double n = 0;
  do {
    s.restart();
    while (s.next()) ++n;
  } while (since(begin) < seconds);
  return n / since(begin);
}

struct sweep {
  std::vector<double> memories, shares;
  double seconds;
  int rounds;
};

/// `bandwidth`: of the storage, in times what the preparation reads without a limit; 0: no limit. `at_half`: with half
/// of the memory, the least rate with shares, of that of all or nothing (the rates of one plan differ by 2 %).
template <class P>
void measure(bench::report& report, const std::string& name, const P& p, double bandwidth, const sweep& over,
             double at_half = 0.98) {
  constexpr std::size_t sites_tried = 3;
  pl::optimize_options o;
  o.run.threads = pl::machine::cores_here();
  o.progress = [](const std::string&) {};
  o.seconds = 2 * over.seconds;
  {
    auto first = o;
    first.passes = 1;
    first.caches = false;
    const auto seen = pl::optimize(p, first).why();
    const auto& costs = seen.made.rates;
    if (bandwidth > 0) o.run.read_bytes_per_second = bandwidth * seen.attempts.front().observed * costs.bytes_read;
  }
  using forms = pl::detail::forms<sites_tried, P>;
  const auto sites = forms::share_sites();
  auto what_if = o;
  what_if.passes = 1;
  what_if.memory = 1e15;
  const auto sized = pl::optimize<sites_tried>(p, what_if).why();
  double everything = 0;
  for (const auto after : sites) everything = std::max(everything, sized.made.sizes[after - 1].bytes);
  const auto& plan = sized.made.best;
  const double in_flight =
      pl::in_flight(sized.made.demand, static_cast<double>(plan.threads),
                    static_cast<double>(pl::io_threads_in_run(plan)), static_cast<double>(plan.prefetch));
  const auto run = [&](const pl::plan& how) { return rate_of(pl::run<sites_tried>(p, how, o.run), over.seconds); };
  std::map<std::vector<double>, double> grid;  // the rate of each choice, which does not depend on the memory
  std::cout << "\n"
            << name << ", " << pl::bytes_text(everything)
            << " in all\n  memory  all or nothing  shares  best of the grid  shares/whole  shares/grid\n";
  for (const double part : over.memories) {
    // what is in flight comes on top
    o.memory = (part * everything + in_flight) / pl::cache_share_of_memory;
    o.shares = false;
    const auto whole = pl::optimize<sites_tried>(p, o).plan();
    o.shares = true;
    const auto tuned = pl::optimize<sites_tried>(p, o).plan();
    // the grid: every choice of shares that the memory holds and that no larger one contains
    double best = -1;
    pl::plan best_of_grid;
    std::vector<double> shares(sites.size());
    const auto bytes = [&] {
      double all = 0;
      for (std::size_t i = 0; i != sites.size(); ++i) all += shares[i] * sized.made.sizes[sites[i] - 1].bytes;
      return all;
    };
    const auto possible = [&] {
      double all = 0;
      for (const double each : shares) all += each;
      // a grid of quarters would miss what takes a little more than a quarter, so it may have 1 % more memory
      return all <= 1 + 1e-9 && bytes() <= 1.01 * part * everything;
    };
    const auto largest = [&] {
      for (auto& each : shares) {
        const double was = each;
        each += over.shares[1];
        const bool more = possible();
        each = was;
        if (more) return false;
      }
      return true;
    };
    const auto visit = [&](auto&& self, std::size_t i) -> void {
      if (i == sites.size()) {
        if (!possible() || !largest()) return;
        pl::plan how = tuned;
        how.caches = sites;
        how.shares.clear();
        how.parts.clear();
        double from = 0;
        for (const double each : shares) {
          how.shares.push_back({from, std::min(1.0, from + each)});
          from = how.shares.back().to;
        }
        const auto [known, first] = grid.try_emplace(shares, 0);
        if (first) known->second = run(how);
        if (known->second > best) best = known->second, best_of_grid = how;
        return;
      }
      for (const double each : over.shares) {
        shares[i] = each;
        self(self, i + 1);
      }
      shares[i] = 0;
    };
    visit(visit, 0);
    // again, alternately
    bench::series of_shares, of_whole, of_grid;
    const std::array<std::pair<const pl::plan*, bench::series*>, 3> plans{
        {{&tuned, &of_shares}, {&whole, &of_whole}, {&best_of_grid, &of_grid}}};
    for (int k = 0; k != 3 * over.rounds; ++k) {  // each is the first in turn
      const auto& [which, rates] = plans[static_cast<std::size_t>((k + k / 3) % 3)];
      rates->rounds.push_back(run(*which));
    }
    const double with_shares = of_shares.median(), with_whole = of_whole.median();
    best = of_grid.median();
    std::cout << "  " << bench::fixed(100 * part, 0) << " %  " << bench::fixed(with_whole, 1) << "  "
              << bench::fixed(with_shares, 1) << "  " << bench::fixed(best, 1) << "  "
              << bench::fixed(with_shares / with_whole, 2) << "  " << bench::fixed(with_shares / best, 2);
    for (std::size_t c = 0; c != tuned.caches.size(); ++c)
      std::cout << "; " << bench::fixed(tuned.shares.empty() ? 100 : 100 * tuned.shares[c].size(), 0) << " % after "
                << tuned.caches[c];
    std::cout << std::endl;
    const auto what = name + ", memory for " + bench::fixed(100 * part, 0) + " %: rate with shares, of ";
    report.at_least(what + "the best of the grid", with_shares / best, 0.97);
    report.at_least(what + "all or nothing", with_shares / with_whole, part == 0.5 ? at_half : 0.98);
  }
}

/// What the caches of the form with shares cost if none keeps anything, against the pipeline as written.
void measure_empty(bench::report& report, const sweep& over) {
  const auto p = pl::range(2'000'000) | pl::map([](std::int64_t x) { return x + 1; }) |
                 pl::map([](std::int64_t x) { return 3 * x; }) | pl::batch<256>();
  using forms = pl::detail::forms<3, std::remove_const_t<decltype(p)>>;
  pl::plan as_written{.pipeline = pl::signature_of(pl::layout(p)), .threads = pl::machine::cores_here()};
  auto empty = as_written;
  empty.caches = forms::share_sites();
  empty.shares.assign(empty.caches.size(), pl::share(0, 0));
  bench::series without, with;
  for (int round = 0; round != 3 * over.rounds; ++round) {
    without.rounds.push_back(1e9 / 256 / rate_of(pl::run(p, as_written), over.seconds));
    with.rounds.push_back(1e9 / 256 / rate_of(pl::run(p, empty), over.seconds));
  }
  report.table("numbers, nothing is kept: an element", "ns", 2,
               {{"as written", without}, {std::to_string(empty.caches.size()) + " caches of no share", with}});
}

/// What an element costs that is read back from a cache on disk, if the page cache has it, against one in memory.
void measure_replay(bench::report& report, const sweep& over) {
  const fs::path folder = fs::temp_directory_path() / ("bench_shares-" + std::to_string(::getpid()));
  for (const auto& [size, count] : {std::pair{100, 20'000}, {10'000, 4000}, {200'000, 300}}) {
    const auto made = pl::range(count) | pl::map([bytes = static_cast<std::size_t>(size)](std::int64_t x) {
                        return std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(x));
                      });
    bench::series memory, shared, disk;
    for (int round = 0; round != over.rounds; ++round) {
      memory.rounds.push_back(1e6 / rate_of(pl::run(made | pl::cache(pl::share(1)), {.threads = 0}), over.seconds));
      const pl::shared_memory name("bench_shares " + std::to_string(::getpid()));
      const pl::bytes room(2 * size * count + (1 << 20));
      shared.rounds.push_back(1e6 / rate_of(pl::run(made | pl::cache(name, room), {.threads = 0}), over.seconds));
      const auto at = (folder / std::to_string(size)).string();
      disk.rounds.push_back(1e6 / rate_of(pl::run(made | pl::cache(at, pl::share(1)), {.threads = 0}), over.seconds));
    }
    report.table("an element of " + std::to_string(size) + " bytes", "us", 2,
                 {{"in memory", memory}, {"in shared memory", shared}, {"on disk", disk}});
  }
  fs::remove_all(folder);
}

struct working {
  int rounds;
  std::int64_t operator()(std::int64_t x) const {
    auto h = static_cast<std::uint64_t>(x);
    for (int i = 0; i != rounds; ++i) h = pl::hash_combine(h, 1);
    return static_cast<std::int64_t>(h >> 1);
  }
};

int measure_all(int argc, char** argv) {
  bench::options o;
  CLI::App app("Compares plans with shares of caches with plans without, and with a grid of shares.");
  bench::add_options(app, o);
  std::string only;
  app.add_option("--only", only, "one of them: photos slow, photos, resized, text, numbers, empty, replay")
      ->check(CLI::IsMember({"photos slow", "photos", "resized", "text", "numbers", "empty", "replay"}));
  std::vector<double> memories;
  app.add_option("--memory", memories, "in parts of what everything needs");
  CLI11_PARSE(app, argc, argv);
  bench::report report("caches that keep a share", o);
  sweep over = o.quick ? sweep{{0.5}, {0, 0.5, 1}, 0.5, 1}
                       : sweep{{0, 0.25, 0.5, 0.75, 1, 1.2}, {0, 0.25, 0.5, 0.75, 1}, 0.5, 3};
  over.rounds = static_cast<int>(o.rounds_or(static_cast<std::size_t>(over.rounds), 1));
  if (!memories.empty()) over.memories = memories;
  const auto wanted = [&](const std::string& name) { return only.empty() || name == only; };
  if (wanted("empty")) measure_empty(report, over);
  if (wanted("replay")) measure_replay(report, over);
  const auto photos = bench::photos();
  const auto pictures = pl::files(photos) | pl::take(300) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
                        pl::map(pl::random_resized_crop<96, 96>()) | pl::batch<8>();
  if (wanted("photos slow"))
    measure(report, "photos, storage with 0.3 of the preparation's bandwidth", pictures, 0.3, over, 1.2);
  if (wanted("photos")) measure(report, "photos, no limit on reading", pictures, 0, over);
  const auto resized = pl::files(photos) | pl::take(300) | pl::shuffle(1) | pl::read_file() | pl::map(pl::decode()) |
                       pl::map(pl::resize<128, 128>()) | pl::map(pl::random_resized_crop<96, 96>()) | pl::batch<8>();
  if (wanted("resized")) measure(report, "photos, resized, 0.5 of the bandwidth", resized, 0.5, over);

  const bench::text_files texts(10'000);
  const auto text =
      pl::files(texts.pattern()) | pl::shuffle(1) | pl::read_file() | pl::map([](const pl::file_contents& f) {
        std::vector<std::int64_t> words(1, 0);
        for (const auto c : f.data.span())
          if (c == ' ')
            words.push_back(0);
          else
            words.back() =
                static_cast<std::int64_t>(pl::hash_combine(static_cast<std::uint64_t>(words.back()), c) >> 1);
        return words;
      }) |
      pl::map([](const std::vector<std::int64_t>& words, pl::rng& r) {
        std::int64_t sum = 0;
        for (int i = 0; i != 100; ++i) sum += words[r.below(words.size())];
        return sum;
      }) |
      pl::batch<8>();
  if (wanted("text")) measure(report, "text, 0.3 of the bandwidth", text, 0.3, over);
  const auto numbers = pl::range(4000) | pl::shuffle(1) | pl::map(working{30'000}) | pl::map([](std::int64_t x) {
                         std::vector<std::int64_t> all(2000);
                         for (std::size_t i = 0; i != all.size(); ++i)
                           all[i] = working{10}(x + static_cast<std::int64_t>(i));
                         return all;
                       }) |
                       pl::map([](const std::vector<std::int64_t>& v, pl::rng& r) { return v[r.below(v.size())]; }) |
                       pl::batch<16>();
  if (wanted("numbers")) measure(report, "numbers, small before large", numbers, 0, over);
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure_all(argc, argv); });
}
