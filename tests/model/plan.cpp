// From a trace to a plan: whole numbers, caches, prefetch, the bottleneck and the limits after it.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include <bench/baselines/autotune_caps.hpp>
#include <plumbline/model/bursts.hpp>
#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/planner.hpp>
#include <plumbline/model/replan.hpp>

#include <model/reference_trace.hpp>
#include <model/traces.hpp>

using namespace plumbline_test;
using pl::cardinality;
using pl::form;

namespace {

/// A trace of photos: files | read_file | decode | crop (random) | batch(32); 2 threads, 64 files of 100 kB in 10 s.
made_trace photos() {
  made_trace t(10, 2);
  const auto n = cardinality::exactly(6400);
  const std::uint64_t seen = 640;
  for (std::uint64_t i = 0; i != seen; ++i) t.files[std::to_string(i)] = {100'000, 100'000};
  t.add({"files", form::source, {}, n, 0, {.completions = seen, .bytes = 50 * seen}});
  t.add({"read_file",
         form::element,
         {1},
         n,
         1,
         {.completions = seen,
          .bytes = 100'000 * seen,
          .bytes_read = 100'000 * seen,
          .cpu_seconds = 0.064,
          .wall_seconds = 1.28}});
  t.add({"decode",
         form::element,
         {2},
         n,
         1,
         {.completions = seen, .bytes = 1'000'000 * seen, .cpu_seconds = 16, .wall_seconds = 16}});
  t.add({"crop",
         form::element,
         {3},
         n,
         1,
         {.completions = seen, .bytes = 150'528 * seen, .cpu_seconds = 3, .wall_seconds = 3}});
  t.add({"batch",
         form::scatter,
         {4},
         cardinality::exactly(200),
         32,
         {.completions = 20, .bytes = 150'528 * seen, .cpu_seconds = 0.5, .wall_seconds = 0.5}});
  for (std::size_t i = 1; i != 5; ++i) t.operators[i].facts.blocking = true;
  t.operators[3].random = true;
  for (std::size_t i = 3; i != 5; ++i) t.operators[i].facts.draws = pl::randomness::seeded;
  t.part({1, 2}, false, 0, 640);
  t.parts.back().blocks = true;
  t.part({3, 4}, false, 0, 640);
  t.part({5}, true, 0, 20);
  return t;
}

}  // namespace

TEST_CASE("plan: a cache in the pipeline as written uses its memory, or is rejected") {
  auto t = photos();
  t.operators[2].replays = true;  // as if decode kept what it made: 6.4 GB
  CHECK_THROWS_AS(pl::make_plan(t, {.cores = 8, .memory = 7e9, .io_threads = 16}), pl::cache_too_big);
  CHECK_THROWS_WITH(pl::make_plan(t, {.cores = 8, .memory = 7e9, .io_threads = 16}),
                    Catch::Contains("operator 3") && Catch::Contains("6.4 GB") && Catch::Contains("6.3 GB"));
  const auto made = pl::make_plan(t, {.cores = 8, .memory = 8e9, .io_threads = 16});
  CHECK(made.best.memory > 6.4e9);
  CHECK(made.best.memory < 8e9);
  CHECK(made.best.caches.empty());
}

TEST_CASE("plan: photos with and without room for a cache") {
  const auto t = photos();
  const auto small = pl::make_plan(t, {.cores = 8, .memory = 5e8, .io_threads = 16});
  CHECK(small.best.caches.empty());
  CHECK(small.best.threads == 8);
  CHECK(small.best.rate == Approx(8 / (19.564 / 20)));
  CHECK(small.best.bottleneck == "8 cores");
  CHECK(small.limits[1].text == "batch: serial, one core");
  CHECK(small.limits[1].rate == Approx(40));
  CHECK(small.best.parts[1].parallelism == 8);  // 7.8 cores and headroom
  CHECK(small.best.parts[2].parallelism == 1);
  CHECK(small.sites[1].reason == "640 MB of 450 MB");
  CHECK(small.sites[2].reason == "6.4 GB of 450 MB");
  CHECK(small.sites[4].reason == "random since operator 4 (crop)");
  const auto files = pl::make_plan(t, {.cores = 8, .memory = 4e9, .io_threads = 16});
  CHECK(files.best.caches == std::vector<std::uint32_t>{2});
  const auto decoded = pl::make_plan(t, {.cores = 8, .memory = 10e9, .io_threads = 16});
  CHECK(decoded.best.caches == std::vector<std::uint32_t>{3});
  CHECK(decoded.best.bottleneck == "batch: serial, one core");
  CHECK(decoded.best.rate == Approx(40));
  CHECK(decoded.best.memory < 10e9);
}

TEST_CASE("plan: a disk limit is kept and reported") {
  const auto t = photos();
  for (const double bandwidth : {5e6, 10e6, 15e6, 20e6}) {
    const auto made = pl::make_plan(t, {.cores = 8, .memory = 5e8, .disk = pl::disk_curve::flat(bandwidth)});
    CHECK(made.best.rate == Approx(bandwidth / 3.2e6));
    CHECK(made.best.bottleneck == pl::bytes_text(bandwidth) + "/s of the disk");
    CHECK(made.limits[1].text == "8 cores");
  }
  // between two and four reads at a time reach what the cores need
  const auto made = pl::make_plan(
      t, {.cores = 8, .memory = 5e8, .disk = pl::disk_curve::fit({{1, 8e6}, {2, 16e6}, {4, 30e6}, {32, 60e6}})});
  CHECK(made.best.bottleneck == "8 cores");
  CHECK(made.share.reads == Approx(2 + 2 * (8 / 0.9782 * 3.2e6 - 16e6) / 14e6));
  CHECK(made.best.io_threads == 6);
}

TEST_CASE("plan: as many reads at a time as the disk's curve can use") {
  const auto t = photos();
  const auto curve = pl::disk_curve::fit({{1, 5e6}, {2, 9e6}, {4, 12e6}, {8, 12.1e6}, {16, 11e6}});
  const auto limited = pl::make_plan(t, {.cores = 8, .memory = 5e8, .disk = curve});
  CHECK(limited.best.rate == Approx(12.1e6 / 3.2e6));
  CHECK(limited.share.reads == Approx(8));
  CHECK(limited.best.io_threads == 8);  // always busy: no headroom is needed, and more would not help
  CHECK(limited.best.bottleneck == "12.1 MB/s of the disk");
  CHECK(limited.best.disk == curve);
  // fewer were stated than the disk can use
  const auto few = pl::make_plan(t, {.cores = 8, .memory = 5e8, .io_threads = 2, .disk = curve});
  CHECK(few.best.rate == Approx(9e6 / 3.2e6));
  CHECK(few.best.bottleneck == "9.0 MB/s of the disk, 2 reads at a time");
  // the cores are slower: as many reads as they need, and headroom
  const auto slow = pl::make_plan(t, {.cores = 2, .memory = 5e8, .disk = curve});
  CHECK(slow.best.bottleneck == "2 cores");
  CHECK(slow.share.reads == Approx(1 + (2 / 0.9782 * 3.2e6 - 5e6) / 4e6));
  CHECK(slow.best.io_threads == 3);
  // the trace holds the measured curve; a given one takes precedence
  auto measured = t;
  measured.disk = curve;
  CHECK(pl::make_plan(measured, {.cores = 8, .memory = 5e8}).best == limited.best);
  CHECK(pl::make_plan(measured, {.cores = 8, .memory = 5e8, .disk = pl::disk_curve::flat(5e6)}).best.rate ==
        Approx(5e6 / 3.2e6));
}

TEST_CASE("plan: a part that reads in order reads one at a time") {
  made_trace t(10, 4);
  t.add({"records",
         form::source,
         {},
         {},
         0,
         {.completions = 1000,
          .bytes = 1'000'000'000,
          .bytes_read = 1'000'000'000,
          .cpu_seconds = 1,
          .wall_seconds = 5}});
  t.part({1}, true, 0, 10'000);
  t.parts[0].blocks = true;
  const auto curve = pl::disk_curve::fit({{1, 50e6}, {2, 90e6}, {8, 200e6}});
  const auto one = pl::make_plan(t, {.cores = 4, .memory = 1e8, .disk = curve});
  CHECK(one.best.rate == Approx(50));
  CHECK(one.best.bottleneck == "50.0 MB/s of the disk, 1 read at a time");
  CHECK(one.best.io_threads == 1);
  t.parts.push_back(t.parts[0]);  // two streams of an interleave
  const auto two = pl::make_plan(t, {.cores = 4, .memory = 1e8, .disk = curve});
  CHECK(two.best.rate == Approx(90));
  CHECK(two.best.io_threads == 2);
}

TEST_CASE("plan: a target rate at least cost") {
  const auto t = photos();
  const auto made = pl::make_plan(t, {.cores = 64, .memory = 5e8}, {.rate = 4});
  CHECK(made.share.cores[1] == Approx(3.8));
  CHECK(made.best.threads == 6);  // 3.9 and headroom
  CHECK(made.best.rate >= 4);
  CHECK_THROWS_WITH(pl::make_plan(t, {.cores = 2, .memory = 5e8}, {.rate = 4}),
                    Catch::Contains("is out of reach, at most 2.04") && Catch::Contains("limited by 2 cores"));
  CHECK_THROWS_WITH(pl::make_plan(t, {.cores = 2, .memory = 1e3}),
                    Catch::Contains("of memory do not hold what is in flight, ") &&
                        Catch::Contains(" with one thread; give more memory, or smaller batches"));
  const auto least = pl::in_flight_terms(made.demand, 2).least();
  CHECK_NOTHROW(pl::make_plan(t, {.cores = 2, .memory = 1.01 * least}, {.prefetch = 2}));
  CHECK_THROWS(pl::make_plan(t, {.cores = 2, .memory = 0.99 * least}, {.prefetch = 2}));
}

TEST_CASE("plan: hedging and prefetch") {
  CHECK(pl::with_headroom(0, 8) == 2);
  CHECK(pl::with_headroom(0.97, 96) == 2);
  CHECK(pl::with_headroom(4, 96) == 6);
  CHECK(pl::with_headroom(95, 96) == 96);
  CHECK(pl::with_headroom(3, 1) == 1);
  // the artifact's rule: N* = latency x bottleneck rate, N = cores that are busy
  CHECK(pl::prefetch_for(0.5, 20, 3.5) == 7);
  CHECK(pl::prefetch_for(0.5, 2, 3.5) == 2);
}

TEST_CASE("plan: short epochs get smaller messages") {
  auto t = photos();
  CHECK(pl::make_plan(t, {.cores = 8, .memory = 1e9}).best.chunk == 0);
  made_trace s(1, 4);
  s.add({"range", form::source, {}, cardinality::exactly(4000), 0, {.completions = 4000, .bytes = 32000}});
  s.add({"map",
         form::element,
         {1},
         cardinality::exactly(4000),
         1,
         {.completions = 4000, .bytes = 32000, .cpu_seconds = 4e-4}});
  s.part({1, 2}, false, 0, 4);
  CHECK(pl::make_plan(s, {.cores = 4}).best.chunk == 250);
}
// Against all shares in steps of 1 %, in the memory that the plan's caches take.
TEST_CASE("plan: shares leave room for bursts of misses") {
  auto t = photos();
  for (auto& row : t.operators) row.facts.keyed = true;
  int evaded = 0;
  for (const double bandwidth : {3e6, 10e6, 20e6})
    for (const double memory : {0.5e9, 1e9, 2e9, 4e9}) {
      const auto curve =
          memory > 1.5e9 ? pl::disk_curve::fit({{1, bandwidth / 8}, {8, bandwidth}}) : pl::disk_curve::flat(bandwidth);
      CAPTURE(bandwidth, memory);
      const pl::resources have{.cores = 8, .memory = memory, .disk = curve};
      const auto made = pl::make_plan(t, have, {.share_sites = {2, 3}});
      const auto& d = made.demand;
      REQUIRE(d.sites.size() == 2);
      CHECK(made.reading.ahead > 0);
      const auto rate = [&](const pl::kept_shares& kept) {
        return pl::detail::rate_with_bursts(d, have, kept, made.reading);
      };
      const auto& kept = made.share.kept;
      const double room = kept[0] * d.sites[0].bytes + kept[1] * d.sites[1].bytes;
      double most = 0;
      for (int files = 0; files <= 100; ++files) {
        const double left = (room - 0.01 * files * d.sites[0].bytes) / d.sites[1].bytes;
        const double pictures = std::min(std::floor(100 * left) / 100, 1 - 0.01 * files);
        if (pictures >= 0) most = std::max(most, rate({0.01 * files, pictures}));
      }
      CHECK(rate(kept) >= 0.98 * most);
      CHECK(made.best.rate == Approx(rate(kept)).epsilon(0.02));
      auto for_caches = have;
      for_caches.memory *= pl::cache_share_of_memory;
      const auto even = pl::allocate(d, for_caches, {.share_sites = {2, 3}});
      CHECK(rate(kept) >= rate(even.kept) * (1 - 1e-9));
      evaded += rate(kept) > 1.03 * rate(even.kept);
      // a burst is read with all the reads that help
      if (memory > 1.5e9 && pl::detail::has_bursts(made.reading)) CHECK(made.best.parts[0].parallelism == 8);
    }
  CHECK(evaded > 0);
}
// Goals around the fastest rate: one that bursts of misses keep from being reached is refused, with what can be
// reached.
TEST_CASE("plan: a target rate counts bursts of misses") {
  auto t = photos();
  for (auto& row : t.operators) row.facts.keyed = true;
  for (const double cores : {8.0, 64.0})
    for (const double memory : {0.5e9, 2e9, 6e9}) {
      const double bandwidth = memory > 3e9 ? cores * 1e5 : cores * 1e6;
      CAPTURE(cores, memory);
      const pl::resources have{.cores = cores, .memory = memory, .disk = pl::disk_curve::flat(bandwidth)};
      const auto fastest = pl::make_plan(t, have, {.share_sites = {2, 3}}).best.rate;
      double last = 0;
      for (const double part : {0.5, 0.8, 0.9, 0.95, 0.98, 1.0}) {
        CAPTURE(part);
        const auto made = pl::make_plan(t, have, {.rate = part * fastest, .share_sites = {2, 3}});
        CHECK(made.best.rate >= 0.99 * part * fastest);
        CHECK(made.share.cost >= last);
        last = made.share.cost;
      }
      for (const double part : {1.02, 1.1, 1.5})
        CHECK_THROWS_WITH(pl::make_plan(t, have, {.rate = part * fastest, .share_sites = {2, 3}}),
                          Catch::Contains("is out of reach, at most " + pl::number_text(fastest)));
    }
}
TEST_CASE("plan: no bursts without limits on reading ahead, on the bandwidth, or where all or nothing is kept") {
  using pl::detail::rate_with_bursts;
  const std::vector<pl::rate_limit> both{{pl::limit_kind::cores, 0, 100, {}}, {pl::limit_kind::disk, 0, 100, {}}};
  CHECK(rate_with_bursts(both, {.misses = 0.4, .ahead = 16}) == Approx(95).margin(0.5));  // as docs/model.md says
  CHECK(rate_with_bursts(both, {.misses = 0.4, .ahead = 0}) == 100);
  CHECK(rate_with_bursts(both, {.misses = 0, .ahead = 16}) == 100);
  CHECK(rate_with_bursts(both, {.misses = 1, .ahead = 16}) == 100);
  pl::plan how;
  auto named = both;
  named.front().text = "2 cores";
  pl::detail::set_rate(how, named, {.misses = 0.4, .ahead = 16});
  CHECK(how.rate == Approx(95).margin(0.5));
  CHECK_THAT(how.bottleneck,
             Catch::StartsWith("2 cores, and ") && Catch::EndsWith(" % are lost as misses come in bursts"));
  CHECK(rate_with_bursts({both[0]}, {.misses = 0.4, .ahead = 16}) == 100);
  // caches on the files' disk: if reading a kept element takes as long as reading a file, there are no bursts
  auto shared = both;
  shared[1].rate = 200;
  shared.push_back({pl::limit_kind::shared_disk, 0, 100, {}});
  CHECK(rate_with_bursts(shared, {.misses = 0.5, .ahead = 16}) > 99.9);
  shared[1].rate = 125;  // four times as long for a file: fewer bursts than if it were only files
  const double some = rate_with_bursts(shared, {.misses = 0.5, .ahead = 16});
  shared[1].rate = 100;
  CHECK(some < 99);
  CHECK(some > rate_with_bursts(shared, {.misses = 0.5, .ahead = 16}) + 1);
  shared[0].rate = 1e9;  // nothing waits for the preparation
  shared[1].rate = 125;
  CHECK(rate_with_bursts(shared, {.misses = 0.5, .ahead = 16}) == 100);
  // of two readers, one is kept whole and one not at all
  pl::demand d;
  d.groups = {{}, {0}};
  d.bytes_read = {1e5, 1e5};
  d.sites = {{.after = 1}};
  CHECK(pl::detail::share_missed(d, {1}) == 1);
  CHECK(pl::detail::share_missed(d, {0}) == 1);
  CHECK(pl::detail::share_missed(d, {0.3}) == Approx(0.7));
  d.bytes_needed = {1e5, 2e5};  // a cache as written has half of what the second one would read
  CHECK(pl::detail::share_missed(d, {0}) == Approx(0.5));
  CHECK(pl::detail::share_missed(d, {0.3}) == Approx(0.35));
  CHECK(pl::detail::share_missed(d, {1}) == 1);
}
TEST_CASE("plan: bursts of misses of a cache as written") {
  const auto traced = [](double share) {
    made_trace t(10, 2);
    const auto n = cardinality::exactly(6400);
    const std::uint64_t seen = 640, read = static_cast<std::uint64_t>(640 * (1 - share));
    t.add({"read_file",
           form::source,
           {},
           n,
           0,
           {.completions = read, .bytes = 100'000 * read, .bytes_read = 100'000 * read, .wall_seconds = 1}});
    t.add({"cache", form::element, {1}, n, 1, {.completions = seen, .bytes = 100'000 * seen}});
    t.operators.back().keeps_share = share;
    t.add({"decode", form::element, {2}, n, 1, {.completions = seen, .bytes = seen, .cpu_seconds = 16}});
    t.add({"batch",
           form::scatter,
           {3},
           cardinality::exactly(200),
           32,
           {.completions = 20, .bytes = seen, .cpu_seconds = 0.5}});
    t.part({1}, false, 0, read);
    t.parts.back().blocks = true;
    t.part({2, 3}, false, 0, 640);
    t.part({4}, true, 0, 20);
    return t;
  };
  const pl::goal no_more{.cache_sites = std::vector<std::uint32_t>{}};
  const auto kept = [&](double share, double bandwidth) {
    return pl::make_plan(traced(share), {.cores = 2, .disk = pl::disk_curve::flat(bandwidth)}, no_more);
  };
  const auto prepared = kept(0, 1e12).best.rate;
  const auto bytes = 32 * 1e5 * prepared;  // a second, without the cache
  for (const double share : {0.5, 0.9}) {
    CAPTURE(share);
    auto made = kept(share, bytes * (1 - share));
    CHECK(made.reading.misses == Approx(1 - share).epsilon(0.02));
    CHECK(made.limits.front().rate == Approx(prepared).epsilon(1e-2));
    CHECK(made.best.rate < 0.97 * prepared);
    const std::string lost = "are lost as misses come in bursts";
    CHECK_THAT(made.best.bottleneck, Catch::EndsWith(lost));
    const double rate = made.best.rate;
    REQUIRE(pl::replan(made, traced(share), {.cores = 2, .disk = made.best.disk}, no_more));
    CHECK(made.best.rate == Approx(rate));
    CHECK(made.best.bottleneck.find(lost) == made.best.bottleneck.rfind(lost));  // counted once
    // also below a limit of a disk with files and caches, which the traced run did not show
    made.limits.push_back({pl::limit_kind::shared_disk, 0, 0.97 * prepared, "the disk"});
    REQUIRE(pl::replan(made, traced(share), {.cores = 2, .disk = made.best.disk}, no_more));
    CHECK(made.best.rate < 0.995 * rate);
    CHECK_THAT(made.best.bottleneck, Catch::StartsWith("the disk, and ") && Catch::EndsWith(lost));
    CHECK(made.best.bottleneck.find(lost) == made.best.bottleneck.rfind(lost));
    CHECK(kept(share, 10 * bytes).best.rate > 0.99 * prepared);
  }
  CHECK(kept(0, bytes).best.rate > 0.98 * prepared);
  CHECK(kept(1, 1e3).reading.misses == 1);
}
TEST_CASE("plan: planned again, bursts still count") {
  auto t = photos();
  for (auto& row : t.operators) row.facts.keyed = true;
  const pl::resources have{.cores = 8, .memory = 2e9, .disk = pl::disk_curve::flat(10e6)};
  auto made = pl::make_plan(t, have, {.share_sites = {2, 3}});
  REQUIRE(pl::detail::has_bursts(made.reading));
  // a run in which preparation is as fast as reading
  auto as_fast = have;
  as_fast.disk = pl::disk_curve::flat(8 / 0.978 * 32 * 1e5);  // 0.978 s of processor time for a minibatch
  REQUIRE(pl::replan(made, t, as_fast, {}));
  CHECK_THAT(made.best.bottleneck, Catch::Contains("lost as misses come in bursts"));
}
TEST_CASE("plan: messages behind a full cache are chosen by the elements that come from it") {
  made_trace t(1, 4);
  t.add({"read", form::source, {}, cardinality::exactly(100), 0, {.completions = 100, .bytes = 100}});
  t.add({"decode", form::element, {1}, cardinality::exactly(100), 1, {}});
  t.add({"cache", form::element, {2}, cardinality::exactly(100), 1, {.completions = 100, .bytes = 10'000}});
  t.add({"crop", form::element, {3}, cardinality::exactly(100), 1, {.completions = 100, .cpu_seconds = 0.1}});
  t.part({1}, false);
  t.parts.back().blocks = true;
  t.part({2, 3, 4}, false);
  t.operators[2].replays = true;
  CHECK(pl::make_plan(t, {.cores = 4}).best.chunk == 0);  // 1 ms each
  // of a nearly full one, too: the tenth of them that decode makes are not what messages hold
  t.operators[2].replays = false;
  t.operators[2].keeps_share = 0.9;
  t.counters[1].completions = 10;
  t.counters[3].cpu_seconds = t.parts[1].cpu_seconds = t.parts[1].wall_seconds =
      1e-3;  // 10 us each: ten in a message, if six were not enough
  CHECK(pl::make_plan(t, {.cores = 4}).best.chunk == 6);
}

TEST_CASE("plan: the traced pipeline of Plumber's artifact", "[data]") {
  const auto file = reference("plumber_trace.json");
  if (file.is_null()) return;
  const auto made = pl::make_plan(trace_of(file), {.cores = 16});
  CHECK(made.best.bottleneck == "PaddedBatchDatasetV2/_9: serial, one core");
  CHECK(made.best.rate == Approx(9741.80215387832).epsilon(1e-9));
}

TEST_CASE("baselines: AUTOTUNE on a traced pipeline") {
  const auto t = photos();
  const auto r = pl::rates(t);
  const auto made = pl::make_plan(t, {.cores = 16, .memory = 5e8});
  const auto caps = baselines::autotune_caps(t, r, made.demand, {.cores = 16});
  CHECK(caps.size() == 3);
  CHECK(caps[1] > 8);   // decoding gets most
  CHECK(caps[2] == 1);  // serial
  const auto rate = [&](const baselines::part_caps& c) {
    return pl::limits(made.demand, {.cores = 16}, made.share.kept, c).front().rate;
  };
  CHECK(rate(caps) <= made.best.rate * (1 + 1e-9));
  CHECK(rate(caps) > 2 * rate(baselines::naive_caps(made.demand)));
}
