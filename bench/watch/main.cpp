// bench_watch: what stats() costs a stream, and what `require` finds while other processes use the machine.
#include <plumbline/ext/require.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/watch.hpp>

#include <CLI/CLI.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "support/busy_process.hpp"
#include "support/measure.hpp"
#include "support/report.hpp"

namespace {

namespace pl = plumbline;

/// ns for each element of a stream that is not looked at, or that another thread looks at every 100 ms.
double element_ns(std::int64_t n, std::size_t threads, bool looks) {
  auto s = pl::run(pl::range(n) | pl::map([](std::int64_t x) { return x ^ 5; }), {.threads = threads});
  std::atomic<bool> done{false};
  std::jthread other;
  if (looks)
    other = std::jthread([&] {
      while (!done) {
        static_cast<void>(s.stats());
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    });
  std::int64_t sum = 0;
  const double seconds = bench::seconds([&] {
    for (const auto x : s) sum += x;
  });
  done = true;
  volatile std::int64_t used = sum;
  static_cast<void>(used);
  return 1e9 * seconds / static_cast<double>(n);
}

/// Processor time that does not depend on the clock.
std::int64_t work(std::int64_t x, int times) {
  auto h = static_cast<std::uint64_t>(x) + 88172645463325252ULL;
  for (int i = 0; i != times; ++i) {
    h ^= h << 13;
    h ^= h >> 7;
    h ^= h << 17;
  }
  return static_cast<std::int64_t>(h >> 1);
}
auto two_maps(int first, int second) {
  return pl::range(1'000'000) | pl::map([first](std::int64_t x) { return work(x, first); }).named("parses") |
         pl::map([second](std::int64_t x) { return work(x, second); }).named("resizes") | pl::batch(10);
}

/// The rate relative to a baseline, beside 0 to 3 other processes, and with an operator made twice as slow.
void contract(bench::report& to, std::size_t rounds) {
  constexpr int usual = 10'000;
  const auto path = (std::filesystem::temp_directory_path() / "bench_watch_baseline.json").string();
  pl::requirement of{.baseline = path, .within = 0.9, .write = true, .run = {.threads = 2}, .seconds = 2};
  pl::require(two_maps(usual, usual), of);
  of.write = false;
  std::vector<std::pair<std::string, bench::series>> rates, relative;
  for (std::size_t others = 0; others != 4; ++others) {
    const bench::busy_process load(others);
    const auto name = "beside " + std::to_string(others);
    auto& rate = rates.emplace_back(name, bench::series{}).second;
    auto& own = relative.emplace_back(name, bench::series{}).second;
    for (std::size_t i = 0; i != rounds; ++i) {
      const auto r = pl::require(two_maps(usual, usual), of);
      rate.rounds.push_back(r.rate);
      own.rounds.push_back(*r.relative);
    }
  }
  to.table("require: the same pipeline", "batches/s", 0, rates);
  to.table("require: the same pipeline", "rate relative to the baseline", 3, relative);
  bench::series factor, slower;
  of.within = 0.25;
  for (std::size_t i = 0; i != rounds; ++i) try {
      pl::require(two_maps(usual, 2 * usual), of);
      factor.rounds.push_back(1);
      slower.rounds.push_back(1);
    } catch (const pl::requirement_broken& e) {
      const auto& found = e.report().slower;
      const bool right = found.size() == 1 && found.front().name == "resizes";
      factor.rounds.push_back(right ? found.front().factor : 0);
      slower.rounds.push_back(*e.report().relative);
    }
  to.table("require: the second map twice as slow", "times", 3,
           {{"factor that it reports (1: none, 0: not of this one alone)", factor}, {"relative rate", slower}});
  std::filesystem::remove(path);
}

int measure(int argc, char** argv) {
  bench::options o;
  CLI::App app("Measures what stats() costs, and what `require` finds while other processes use the machine.");
  bench::add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  bench::report report("watching: cost of stats(), and ratios to a calibration loop", o);
  const std::int64_t n = o.quick ? 20'000'000 : 60'000'000;
  for (const std::size_t threads : {0U, 2U}) {
    const auto t =
        bench::in_turns({[&] { return element_ns(n, threads, false); }, [&] { return element_ns(n, threads, true); }},
                        o.rounds_or(9, 5));
    report.table("range | map, " + std::to_string(threads) + " threads", "ns an element", 3,
                 {{"not looked at", t[0]}, {"every 100 ms", t[1]}});
    report.quiet(t);
  }
  contract(report, o.rounds_or(8, 4));
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure(argc, argv); });
}
