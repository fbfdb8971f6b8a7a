// bench_tracing: the overhead of tracing::counters and tracing::timeline for the smallest operators and for photos. The
// traced and the untraced form of a pipeline run alternately.
#include <cstdlib>
#include <filesystem>
#include <plumbline/ext/chrome_trace.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>

#include "framework/question.hpp"
#include "support/report.hpp"
#include "support/stream_rate.hpp"

namespace {

namespace pl = plumbline;
using framework::element;

template <class X> std::uint64_t value(const X& x) {
  if constexpr (std::is_arithmetic_v<X>)
    return static_cast<std::uint64_t>(x);
  else
    return framework::sum(x.span());
}
/// Wall time, and processor time of all threads.
struct spent {
  bench::series wall{}, processor{};
};
template <class Trace, class P> void drain(const P& p, std::size_t threads, spent& to) {
  std::uint64_t total = 0;
  const double since = bench::processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
  to.wall.rounds.push_back(bench::seconds([&] {
    for (const auto& x : pl::run<Trace>(p, {.threads = threads})) total += value(x);
  }));
  to.processor.rounds.push_back(bench::processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - since);
  volatile std::uint64_t seen = total;
  (void)seen;
}

class comparison {
 public:
  /// `only`: pipelines whose name has this in it.
  comparison(bench::report& to, element n, std::size_t rounds, std::string only)
      : to_(to), n_(n), rounds_(rounds), only_(std::move(only)) {}

  /// `limit` is the target for the ratio traced / untraced; 0: no target.
  template <class P> void of(const std::string& what, const P& p, double limit) {
    if (what.find(only_) == what.npos) return;
    for (const std::size_t threads : {std::size_t{0}, std::size_t{2}}) {
      const std::string title = what + (threads == 0 ? ", inline" : ", " + std::to_string(threads) + " workers");
      // pairs of short runs, so that both see the same machine conditions
      spent off, on, events;
      const auto pair = [&](bool first) {
        if (first) drain<pl::tracing::off>(p, threads, off);
        drain<pl::tracing::counters>(p, threads, on);
        drain<pl::tracing::timeline>(p, threads, events);
        if (!first) drain<pl::tracing::off>(p, threads, off);
      };
      pair(true);
      off = on = events = {};
      const bench::others outside;
      bench::turns quiet;
      const double took = bench::seconds([&] {
        for (std::size_t r = 0; r != rounds_; ++r) pair(r % 2 == 0);
      });
      quiet.disturbed = outside.seconds() / took;
      const auto per = [&](double s) { return s * 1e9 / static_cast<double>(n_); };
      to_.table(title, "ns an element of the range", 3,
                {{"untraced", off.wall.as(per)},
                 {"counters", on.wall.as(per)},
                 {"timeline", events.wall.as(per)},
                 {"untraced, processor", off.processor.as(per)},
                 {"counters, processor", on.processor.as(per)},
                 {"timeline, processor", events.processor.as(per)}});
      to_.quiet(quiet);
      const auto ratio = bench::ratio(on.wall, off.wall), busy = bench::ratio(on.processor, off.processor);
      to_.table("counters to off", "times", 3, {{"wall", ratio}, {"processor", busy}});
      if (limit != 0) {
        to_.at_most("wall time, counters / off, " + title, ratio.median(), limit, 3, &quiet);
        to_.at_most("processor time, counters / off, " + title, busy.median(), limit, 3);
        to_.at_most("wall time, timeline / off, " + title, bench::ratio(events.wall, off.wall).median(), limit, 3,
                    &quiet);
      }
    }
  }

 private:
  bench::report& to_;
  element n_;
  std::size_t rounds_;
  std::string only_;
};

/// Photos to batches, with two threads and a warm page cache.
void of_photos(bench::report& to, const std::string& name, const std::string& folder, std::size_t rounds) {
  const auto p = pl::files(folder + "/**/*.{jpg,jpeg}", {.ignore_case = true}) | pl::shuffle(1) | pl::read_file() |
                 pl::map(pl::decode()) | pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::to_planar()) |
                 pl::batch<32>();
  auto off = pl::run(p, {.threads = 2});
  auto on = pl::run<pl::tracing::counters>(p, {.threads = 2});
  auto events = pl::run<pl::tracing::timeline>(p, {.threads = 2});
  const auto t = bench::in_turns({[&] { return bench::rate_of(off, 0.5); }, [&] { return bench::rate_of(on, 0.5); },
                                  [&] { return bench::rate_of(events, 0.5); }},
                                 rounds);
  to.table(name + ", 2 threads", "minibatches/s", 1, {{"untraced", t[0]}, {"counters", t[1]}, {"timeline", t[2]}});
  to.quiet(t);
  to.at_most("time, counters / off, " + name, bench::ratio(t[0], t[1]).median(), 1.02, 3, &t);
  to.at_most("time, timeline / off, " + name, bench::ratio(t[0], t[2]).median(), 1.02, 3, &t);
}

/// For against_profilers.py: prints, as JSON, the rates without and with a timeline in photos a second, and the bytes
/// of the trace for Chrome's viewer and the ms that writing it takes, for each photo.
void of_profiling(const std::string& folder, std::size_t rounds, double seconds) {
  const auto p = pl::files(folder + "/**/*.{jpg,jpeg}", {.ignore_case = true}) | pl::shuffle(1) | pl::read_file() |
                 pl::map(pl::decode()) | pl::map(pl::random_resized_crop<224, 224>()) | pl::map(pl::random_flip()) |
                 pl::map(pl::normalize({0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F})) | pl::map(pl::to_planar()) |
                 pl::batch<32>();
  // whole epochs, as of the others
  const auto rate = [&](auto& s, std::size_t& photos) {
    const auto begin = bench::clock::now();
    for (photos = 0;;) {
      s.restart();
      while (auto batch = s.next()) photos += batch->shape()[0];
      const double took = std::chrono::duration<double>(bench::clock::now() - begin).count();
      if (took > seconds) return static_cast<double>(photos) / took;
    }
  };
  nlohmann::json all;
  auto off = pl::run(p, {.threads = 2});
  std::size_t photos = 0;
  rate(off, photos);
  for (std::size_t r = 0; r != rounds; ++r)
    for (const bool on : {r % 2 != 0, r % 2 == 0}) {
      if (!on) {
        all["off"].push_back(rate(off, photos));
        continue;
      }
      auto s = pl::run<pl::tracing::timeline>(p, {.threads = 2});
      all["on"].push_back(rate(s, photos));
      std::string trace;
      const double took = bench::seconds([&] { trace = pl::chrome_trace(s.timeline()); });
      all["bytes"].push_back(static_cast<double>(trace.size()) / static_cast<double>(photos));
      all["export"].push_back(1000 * took / static_cast<double>(photos));
    }
  std::cout << all.dump() << '\n';
}

int measure(int argc, char** argv) {
  bench::options o;
  CLI::App app(
      "Measures the overhead of tracing::counters and tracing::timeline for the smallest operators and for photos.");
  bool targets_only = false;
  bench::add_options(app, o);
  app.add_flag("--targets", targets_only, "only the pipelines that have a target");
  std::string only, profiled;
  double seconds = 2;
  element elements = 0;
  app.add_option("--elements", elements, "of a chain of small operators (32 million)")
      ->check(CLI::Range(1'000, 1'000'000'000));
  app.add_option("--only", only, "only the chains of small operators whose name has this in it");
  app.add_option("--profile", profiled, "only what against_profilers.py asks for, on this folder");
  app.add_option("--seconds", seconds, "with --profile: of one rate");
  CLI11_PARSE(app, argc, argv);
  if (!profiled.empty()) {
    of_profiling(profiled, o.rounds_or(5, 3), seconds);
    return 0;
  }
  // long runs: each thread's first 50 us of timing, which give short runs a sample, are no part of the throughput
  const element n = elements != 0 ? elements : 32'000'000;  // fewer, and threads that start count
  bench::report report("tracing: overhead of counters and of a timeline (64-bit integers)", o);
  comparison compare(report, n, o.rounds_or(41, 21), only);
  const auto chain = pl::range(n) | pl::map(framework::add()) | pl::map(framework::multiply()) |
                     pl::map(framework::flip()) | pl::map(framework::subtract()) | pl::filter(framework::keep());
  compare.of("range | map x 4 | filter | batch(256)", chain | pl::batch(framework::batch_size), 1.08);
  compare.of("range | map x 4 | filter", chain, 1.08);
  compare.of("range | flat_map(two) | batch(256)", pl::range(n / 2) | pl::flat_map([](element x) {
                                                     return std::array{x, x + 1};
                                                   }) | pl::batch(framework::batch_size),
             1.08);
  compare.of("range | shuffle(1000, seed) | batch(256)",
             pl::range(n) | pl::shuffle(1000, 1) | pl::batch(framework::batch_size), 1.08);
  compare.of("range | interleave(range(1000)) | batch(256)", pl::range(n / 1000) | pl::interleave([](element i) {
                                                               return pl::range(i, i + 1000);
                                                             }) | pl::batch(framework::batch_size),
             1.08);
  if (!targets_only)
    compare.of("zip(range, range) | map | batch(256)",
               pl::zip(pl::range(n), pl::range(n)) | pl::map([](const std::tuple<element, element>& x) {
                 return std::get<0>(x) + std::get<1>(x);
               }) | pl::batch(framework::batch_size),
               0);
  if (!only.empty()) {
    report.finish();
    return 0;
  }
  const char* said = std::getenv("PLUMBLINE_DATA");
  const std::string data = said != nullptr ? said : std::string(PLUMBLINE_SOURCE_DIR) + "/../shared/data";
  of_photos(report, "demo photos", std::string(PLUMBLINE_SOURCE_DIR) + "/examples/data/photos", o.rounds_or(25, 15));
  for (const std::string name : {"photos_clothing", "photos_pixabay_classes"})
    if (std::filesystem::is_directory(data + "/" + name))
      of_photos(report, name, data + "/" + name, o.rounds_or(25, 15));
    else
      report.skipped(name, "there is no " + data + "/" + name + " (set PLUMBLINE_DATA)");
  report.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded_main([&] { return measure(argc, argv); });
}
