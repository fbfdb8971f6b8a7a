// Data stalls: the formulas of DS-Analyzer, and what other hardware changes.
#include <plumbline/model/place_caches.hpp>
#include <plumbline/model/price_list.hpp>
#include <plumbline/report/explain_stalls.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include <model/stall_analyses.hpp>

namespace pl = plumbline;
using namespace plumbline_test;
using Catch::Matchers::Contains;

TEST_CASE("stalls: the fetch rate of a share in memory") {
  auto a = analysed(1000, 1000, 500, 50);
  for (const double io_threads : {0.0, 1.0, 16.0}) {  // 0: as many as a run has
    a.io_threads = io_threads;
    for (const double x : {0.0, 0.2, 0.5, 0.9, 1.0}) {
      const auto p = pl::predict(a, {.memory = x * a.data_bytes});
      CHECK(p.share_in_memory == Approx(x));
      const double memory = x / 500, storage = (1 - x) / 50;
      CHECK(p.fetch_rate == Approx(1 / (io_threads == 1 ? memory + storage : std::max(memory, storage))));
      CHECK(p.rate == Approx(p.fetch_rate));
      CHECK(p.compute + p.prep + p.fetch == Approx(1));
    }
  }
}

TEST_CASE("stalls: the share of each wait") {
  // a step takes 10 ms, preparing a batch 20 ms, fetching it 40 ms: of 40 ms the step computes 10, waits 10 and 20
  const auto p = pl::predict(analysed(100, 50, 1e9, 25));
  CHECK(p.rate == Approx(25));
  CHECK(p.compute == Approx(0.25));
  CHECK(p.prep == Approx(0.25));
  CHECK(p.fetch == Approx(0.5));
  CHECK(p.limit == "fetching");
  CHECK(pl::predict(analysed(100, 50, 1e9, 60)).limit == "preparation");
  CHECK(pl::predict(analysed(10, 50, 1e9, 60)).compute == Approx(1));
}

TEST_CASE("stalls: the price list") {
  auto a = analysed(100, 40, 1000, 20);
  const auto cores_of_all = [&](const auto& list) {
    for (const auto& o : list) CHECK(o.cores == 10);  // 100 batches a second, each 0.1 s of a core
    return list;
  };
  // memory is free: all files; bandwidth is free: none. Nothing but the ends can be best, as both prices are linear
  const auto free_memory = cores_of_all(pl::price_list(a, {.core = 1, .gigabyte = 0, .gigabyte_per_second = 1}));
  REQUIRE(free_memory.size() == 11);
  CHECK(free_memory.front().what == "all files");
  CHECK(free_memory.front().memory == 1e9);
  CHECK(free_memory.front().storage_bytes_per_second == 0);
  CHECK(free_memory.front().cost == 10);
  const auto free_disk = pl::price_list(a, {.core = 1, .gigabyte = 1, .gigabyte_per_second = 0});
  CHECK(free_disk.front().what == "nothing");
  CHECK(free_disk.front().storage_bytes_per_second == Approx(100e6));
  for (const auto& list : {free_memory, free_disk})
    for (std::size_t i = 1; i != list.size(); ++i) CHECK(list[i - 1].cost <= list[i].cost);
  // what is offered never stalls, and with 2 % less of anything it does
  for (const auto& o : free_disk) {
    const double faster = o.storage_bytes_per_second / (a.storage_fetch * a.bytes_read);
    const pl::what_if with{.cores = o.cores, .memory = o.memory, .storage = faster > 0 ? faster : 1e-9};
    CHECK(pl::predict(a, with).rate == Approx(100));
    if (faster > 0) CHECK(pl::predict(a, {.cores = 10, .memory = o.memory, .storage = 0.98 * faster}).fetch > 0);
    CHECK(pl::predict(a, {.cores = 9, .memory = o.memory, .storage = 2 * faster + 1}).prep > 0);
  }
  CHECK(pl::price_list(a, {}, 50).front().cores == 5);
  CHECK(pl::price_list(a, {}, 101).empty());
  CHECK(pl::why_no_offer(a, 100).empty());
  CHECK(pl::why_no_offer(a, 101) ==
        "the step reaches 100 batches a second, less than 101; only a faster step would do");
  auto serial = a;
  serial.needs = needs(0.1, 0.02);  // a serial part: at most 50
  serial.prep = 4 / 0.12;
  CHECK(pl::price_list(serial).empty());
  const std::string why = "at most 50 batches a second of 100, limited by serial: serial, one core";
  CHECK_THAT(pl::why_no_offer(serial), Contains("cannot keep up with the step on any number of cores: " + why));
  CHECK_THAT(pl::explain(serial).text, Contains("no machine keeps stalls within 1 % of the time: ") && Contains(why));
  CHECK(pl::why_no_offer(serial, 49).empty());
  CHECK(pl::price_list(serial, {}, 49).size() == 11);
  // a cache of what is prepared: its site saves all but a hundredth of the work, and all reads
  a.needs = needs_with_site();
  a.modelled_prep = a.prep;
  const auto cached = pl::price_list(a, {.core = 1, .gigabyte = 0.1, .gigabyte_per_second = 1});
  CHECK(cached[1].what == "elements of map (operator 3)");
  CHECK(cached[1].cores == 1);
  CHECK(cached[1].memory == 5e9);
  CHECK(cached[1].cost == Approx(1.5));
  // the share x with which one core suffices: 0.1 + 9.9 (1 - x) + 0.0001 x = 1; a GB costs more than reading it
  constexpr double x = 9 / 9.8999;
  CHECK(cached[0].what == "91 % of the elements of map (operator 3)");
  CHECK(cached[0].cores == 1);
  CHECK(cached[0].memory == Approx(5e9 * x));
  CHECK(cached[0].storage_bytes_per_second == Approx(100e6 * (1 - x)));
  CHECK(cached[0].cost == Approx(1 + 0.5 * x + 0.1 * (1 - x)));
  // on I/O threads a batch costs a quarter more, in the program's offers as well: nine tenths no longer suffice. What
  // is kept is not read, so it costs no more than before
  a.needs.parts[0].reads = a.needs.parts[0].blocks = true;
  a.cached = {{0, 32}, {1, 40}};
  const auto on_io_threads = pl::price_list(a, {.core = 1, .gigabyte = 0.1, .gigabyte_per_second = 1});
  CHECK(on_io_threads[0].memory == Approx(5e9 * (12.5 - 1) / (12.4 - 0.0001)));
  CHECK(on_io_threads[1].what == "elements of map (operator 3)");
  CHECK(on_io_threads[1].cores == 1);
  a.storage_fetch = 1e9;
  CHECK(pl::place_caches(a, 0).rate == Approx(pl::predict(a).prep_rate));
}

TEST_CASE("stalls: the price list has machines with memory for a part") {
  // of a batch, a serial reader takes 0.02 s, so at most 50 a second, and decoding 0.08 s; half must be kept decoded
  auto a = analysed(100, 1, pl::detail::infinite, 20);
  a.needs = needs(0.08, 0.02);
  a.needs.groups = {{}, {0}};
  a.needs.bytes_read = {0, 1e6};
  a.needs.parts[0].cpu = a.needs.parts[0].wall = {0.001, 0.08};
  a.needs.parts[1].cpu = a.needs.parts[1].wall = {0, 0.02};
  a.needs.sites = {{.after = 3, .bytes = 1e10, .replay_seconds = 0.001, .serial = false, .name = "map(decode)"}};
  a.prep = 4 / 0.101;  // as its costs say
  a.memory_bytes = 0;
  // with x decoded, 10.1 - 9.9 x cores: 6 at x = 0.5, and 5 at 5.1 / 9.9, for 0.3 more of memory; each core less then
  // takes 1 / 9.9 of the elements, which cost 2.02
  const auto list = pl::price_list(a, {.core = 1, .gigabyte = 2, .gigabyte_per_second = 0});
  REQUIRE(list.size() == 2);
  CHECK(list[0].what == "52 % of the elements of map(decode) (operator 3)");
  CHECK(list[0].cores == 5);
  CHECK(list[0].memory == Approx(1e10 * 5.1 / 9.9));
  CHECK(list[0].cost == Approx(5 + 20 * 5.1 / 9.9));
  CHECK(list[1].what == "elements of map(decode) (operator 3)");
  CHECK(list[1].cost == Approx(21));
  // a step that computes for 0.0095 s takes 0.95 cores: with x = 0.5 six do not suffice, so x is that of 6 - 0.95
  a.step_cpu_seconds = 0.0095;
  const auto computes = pl::price_list(a, {.core = 1, .gigabyte = 2, .gigabyte_per_second = 0});
  CHECK(computes[0].cores == 6);
  CHECK(computes[0].memory == Approx(1e10 * (10.1 - 5.05) / 9.9));
}

TEST_CASE("stalls: no mix of files and decoded elements is cheaper than the price list's first") {
  std::mt19937_64 random(11);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  int two = 0, parts = 0;
  for (int trial = 0; trial != 60; ++trial) {
    // of a batch, f of the files and d of the decoded elements are kept: 100 batches a second need
    // 100 (after + decode (1 - d) + 0.0001 d) cores, 100 MB a second (1 - f - d), and 1 - d <= most, a serial part's
    const double after = real(0.001, 0.01), decode = real(0.01, 0.08), serial = real(0.005, 0.03);
    const double most = 1 / (100 * serial), decoded = real(2e9, 2e10);
    auto a = analysed(100, 1, pl::detail::infinite, 20);
    a.needs = needs(decode, serial);
    a.needs.groups = {{}, {1}, {0, 1}};
    a.needs.bytes_read = {0, 0, 1e6};
    a.needs.parts[0].cpu = a.needs.parts[0].wall = {after, decode, 0};
    a.needs.parts[1].cpu = a.needs.parts[1].wall = {0, serial, 0};
    a.needs.sites = {{.after = 2, .bytes = 1e9, .serial = false, .name = "read_file"},
                     {.after = 3, .bytes = decoded, .replay_seconds = 0.0001, .serial = false, .name = "map"}};
    a.prep = std::min(1 / serial, 4 / (after + decode + serial));
    const pl::prices price{.core = real(0, 2), .gigabyte = real(0, 1), .gigabyte_per_second = real(0, 40)};
    double best = pl::detail::infinite;
    constexpr int steps = 1000;
    for (int i = 0; i <= steps; ++i)
      for (const int j : {0, steps - i}) {  // both prices of f are linear, and nothing else depends on it
        const double d = double(i) / steps, f = double(j) / steps;
        if (1 - d > most) continue;
        const double cores = 100 * (after + (decode + serial) * (1 - d) + 0.0001 * d);
        best = std::min(best, price.core * std::max(1.0, std::ceil(cores - 1e-9)) +
                                  price.gigabyte * (f + 1e-9 * decoded * d) +
                                  price.gigabyte_per_second * 0.1 * (1 - f - d));
      }
    const auto list = pl::price_list(a, price);
    INFO("trial " << trial << ": " << list.front().what);
    CHECK(list.front().cost <= best * (1 + 1e-6));
    const double each_step =
        (price.gigabyte * (1 + 1e-9 * decoded) + price.gigabyte_per_second * 0.1) / steps;  // the grid is not finer
    CHECK(list.front().cost >= best - each_step);
    two += list.front().what.find(", ") != std::string::npos;
    parts += list.front().what.find(" % of the elements") != std::string::npos;
  }
  CHECK(parts > 20);
  CHECK(two > 5);
}

TEST_CASE("stalls: a step that computes, and what it loses beside the preparation") {
  auto a = analysed(100, 1000, 1e9, 1e9);
  a.all_cores = a.cores;
  a.step_cpu_seconds = 0.002;
  a.together = 99.5;  // within what two measurements differ
  CHECK(pl::predict(a).limit == "the step");
  CHECK(pl::least_cores(a) < 4);
  a.together = 80;  // the step is slower beside the preparation, and more cores do not mend it
  CHECK(pl::predict(a).rate == Approx(80));
  CHECK(pl::predict(a).limit == "the step");
  CHECK(pl::predict(a).prep == Approx(0.2));
  CHECK(pl::predict(a, {.cores = 8}).rate == Approx(80));
  CHECK(pl::least_cores(a) < 4);
  CHECK(!pl::price_list(a).empty());
  a.step_cpu_seconds = 0;  // even if it only waits
  CHECK(pl::predict(a).rate == Approx(80));
  a.storage_fetch = 70;  // who waits for files loses nothing
  CHECK(pl::predict(a).rate == Approx(70));
  a.storage_fetch = 1e9;
  a.together = 0;  // not measured: four cores for both
  a.step_cpu_seconds = 0.05;
  CHECK(pl::predict(a).rate == Approx(4 / 0.054));
  a.storage_fetch = pl::detail::infinite;  // too little was read to measure it
  CHECK_THAT(pl::explain(a).text, Contains("S was not measured") && !Contains("fetching does not stall"));
  // an endless stream has no size
  a.memory_bytes = a.data_bytes = pl::detail::infinite;
  for (const auto& o : pl::price_list(a)) CHECK(std::isfinite(o.cost));
  CHECK(pl::explain(a).text.find("nan") == std::string::npos);
}

TEST_CASE("stalls: what the step and the preparation lose to each other is not said to need cores") {
  auto a = analysed(100, 1000, 1e9, 1e9);
  a.together = 80;
  auto p = pl::predict(a);
  CHECK(p.prep == Approx(0.2));
  CHECK(p.interference == Approx(0.2));
  CHECK(pl::least_cores(a) == 1);
  CHECK_THAT(pl::explain(a).text,
             Contains("20 % waiting for preparation (20 % as the two slow each other down), 0 % for fetching") &&
                 Contains("never stalls with 1 core or more, without a cache, but for the 20 % of the time that it and "
                          "the step lose to each other, which more cores do not change"));
  // the preparation is slower, too: of 1 / 40 s a batch 1 / 100 is the step's, and 1 / 40 - 1 / 50 the loss
  a = analysed(100, 50, 1e9, 1e9);
  a.together = 40;
  p = pl::predict(a);
  CHECK(p.compute == Approx(0.4));
  CHECK(p.prep == Approx(0.6));
  CHECK(p.interference == Approx(0.2));
  CHECK(pl::predict(a, {.cores = 8}).prep == Approx(0.2));
  CHECK(pl::predict(a, {.cores = 8}).interference == Approx(0.2));
  a.together = 60;  // faster than each by itself
  CHECK(pl::predict(a).interference == 0);
  a.together = 0;
  CHECK(pl::predict(a).interference == 0);
  CHECK(pl::explain(a).text.find("each other") == std::string::npos);
}

TEST_CASE("stalls: a rate that falls with more memory is explained") {
  auto a = analysed(1000, 100, 1e9, 1e9);
  CHECK(pl::explain(a).text.find("lower") == std::string::npos);
  a.cached = {{0, 100}, {0.5, 101}, {1, 99.5}};
  CHECK_THAT(pl::explain(a).text,
             Contains("with more of the files in memory the rate is up to 1.5 % lower: less than the error"));
  a.cached = {{0, 100}, {0.5, 101}, {1, 90.9}};
  a.prep_error = 0.01;
  const auto beyond = "the rate is up to 10.0 % lower: files from storage are read on I/O threads";
  CHECK_THAT(pl::explain(a).text, Contains(beyond));
  a.prep_error = 0.1;
  CHECK_THAT(pl::explain(a).text, Contains("10.0 % lower: less than the error"));
  a.cached = {{0, 100}, {0.5, 101}, {1, 120}};
  CHECK(pl::explain(a).text.find("lower") == std::string::npos);
}

TEST_CASE("stalls: a pipeline that has caches itself") {
  auto a = analysed(100, 40, 1000, 20);
  CHECK(pl::explain(a).text.find("of the pipeline itself") == std::string::npos);
  a.caches = {{4, "cache(1 GB)"}};
  CHECK_THAT(pl::explain(a).text,
             Contains("operator 4 (cache(1 GB)) is a cache of the pipeline itself") &&
                 Contains("P, C and S are not those of a first epoch; analyze the pipeline without it"));
  a.caches.push_back({6, "cache()"});
  CHECK_THAT(pl::explain(a).text,
             Contains("operator 4 (cache(1 GB)), operator 6 (cache()) are caches") && Contains("without them"));
}

TEST_CASE("stalls: where memory is best spent, only if it is worth something") {
  // no files: decoded elements would save cores, which only a fast step needs
  auto a = analysed(100, 40, pl::detail::infinite, pl::detail::infinite);
  a.bytes_read = a.data_bytes = a.memory_bytes = 0;
  a.needs.groups = {{}, {0}};
  a.needs.bytes_read = {0, 0};
  a.needs.parts[0].cpu = a.needs.parts[0].wall = {0.001, 0.099};
  a.needs.sites = {{.after = 2, .bytes = 1e9, .replay_seconds = 1e-6, .serial = false, .name = "map"}};
  CHECK_THAT(pl::explain(a).text, Contains("where memory is best spent"));
  a.step = 30;
  CHECK(pl::explain(a).text.find("where memory is best spent") == std::string::npos);
  // a cache that costs as much as what it saves
  a.step = 100;
  a.needs.sites[0].replay_seconds = 0.099;
  CHECK(pl::explain(a).text.find("where memory is best spent") == std::string::npos);
}

TEST_CASE("stalls: jobs and servers at once") {
  const auto f = [](double x, double c, double s, double network, double elsewhere) {
    return 1 / std::max(x * (1 - elsewhere) / c + x * elsewhere / network, (1 - x) / s);
  };
  // each of two jobs trains on both servers, with half of each
  const auto a = analysed(1000, 40, 1e9, 1e9);
  CHECK(pl::predict(a, {.jobs = 2}).rate == Approx(20));
  CHECK(pl::predict(a, {.servers = 2}).rate == Approx(80));
  const auto both = pl::predict(a, {.jobs = 2, .servers = 2});
  CHECK(both.rate == Approx(40));
  CHECK(both.prep_rate == Approx(20));  // of one job on one server
  CHECK(pl::predict(a, {.jobs = 2, .shared_preparation = true, .servers = 2}).rate == Approx(80));
  // memory for 0.2 of the files on each server: 0.1 for each job, 0.2 with the other server's
  const auto slow = analysed(1000, 400, 500, 20);
  const auto p = pl::predict(slow, {.memory = 2e8, .jobs = 2, .servers = 2, .network_bytes_per_second = 1e9});
  CHECK(p.share_in_memory == Approx(0.2));
  CHECK(p.fetch_rate == Approx(f(0.2, 500, 20, 1000, 0.5) / 2));
  CHECK(p.rate == Approx(2 * p.fetch_rate));
}

TEST_CASE("stalls: preparation of files from storage and from a cache") {
  auto a = analysed(1000, 100, 1e9, 1e9);
  a.cached = {{0, 80}, {1, 120}};
  const auto none = pl::predict(a);
  CHECK(none.rate == Approx(80));
  CHECK(none.prep_rate == Approx(80));
  CHECK(none.limit == "preparation");
  CHECK(none.compute == Approx(0.08));
  CHECK(none.prep == Approx(0.92));
  CHECK(none.fetch == Approx(0).margin(1e-12));
  const auto all = pl::predict(a, {.memory = a.memory_bytes});
  CHECK(all.rate == Approx(120));
  CHECK(all.fetch == Approx(0).margin(1e-12));
  CHECK(pl::predict(a, {.memory = a.memory_bytes / 2}).rate == Approx(2 / (1.0 / 80 + 1.0 / 120)));
  CHECK(pl::predict(a, {.cores = 2 * a.cores}).rate == Approx(160));
  CHECK(pl::least_memory(a) == 0);  // storage is fast enough
  CHECK(pl::least_cores(a) == 50);
  CHECK(pl::predict(a, {.cores = 50}).limit == "the step");
  CHECK(pl::least_cores(a, {.memory = a.memory_bytes}) == 34);
  for (const auto& o : pl::price_list(a))
    CHECK(o.cores == std::ceil(40 * (1 / 0.8 * (1 - o.memory / 1e9) + o.memory / 1.2e9) - 1e-9));
  CHECK_THAT(pl::explain(a).text, Contains("the same, all files read on I/O threads") &&
                                      Contains("the same, all files in a cache") &&
                                      Contains("with 50 cores or more, without a cache"));
  auto half = a;  // observed there, too: it need not be between the others
  half.cached.insert(half.cached.begin() + 1, {0.5, 75});
  CHECK(pl::predict(half, {.memory = a.memory_bytes / 2}).rate == Approx(75));
  CHECK(pl::predict(half, {.memory = a.memory_bytes / 4}).rate == Approx(2 / (1.0 / 80 + 1.0 / 75)));
  CHECK(pl::predict(half, {.memory = a.memory_bytes}).rate == Approx(120));
  CHECK_THAT(pl::explain(half).text, Contains("the same, 50 % of the files in a cache, others on I/O threads"));
  half.together = 91, half.cached[2].together = 97;
  CHECK_THAT(pl::explain(half).text, Catch::Matches("[^]*training, files in memory +91[^]*") &&
                                         Catch::Matches("[^]*training, all files in a cache +97[^]*"));
  a.prep_error = 0.1;
  CHECK(pl::predict(a).rate_error == Approx(8));
  CHECK(pl::predict(a, {.memory = a.memory_bytes}).rate_error == Approx(12));
  // a step that computes: four cores for both
  a.prep_error = 0;
  auto unknown = a;
  unknown.prep = 0;
  CHECK(pl::predict(unknown).rate == 0);
  unknown.prep = pl::detail::infinite;
  CHECK(pl::predict(unknown).rate == Approx(1000));
  a.step_cpu_seconds = 0.05;
  a.all_cores = a.cores;
  CHECK(pl::predict(a).rate == Approx(4 / (0.04 * 100 / 80 + 0.05)));
  // what it and the preparation lose to each other, with files in memory and from storage
  a.together = 0.9 * 4 / (0.04 + 0.05);
  CHECK(pl::predict(a).rate == Approx(0.9 * 4 / (0.04 * 100 / 80 + 0.05)));
  a.cached[0].together = 4 / (0.04 * 100 / 80 + 0.05 + 0.03);
  CHECK(pl::predict(a).rate == Approx(4 / (0.04 * 100 / 80 + 0.05 + 0.03)));
  CHECK(pl::predict(a, {.memory = a.memory_bytes}).rate == Approx(0.9 * 4 / (0.04 * 100 / 120 + 0.05)));
  a.cached[0].together = 0.99 * 4 / (0.04 * 100 / 80 + 0.05);  // within what two measurements differ
  CHECK(pl::predict(a).rate == Approx(4 / (0.04 * 100 / 80 + 0.05)));
}

TEST_CASE("stalls: reading from storage costs processor time that reading from memory does not") {
  // one thread reads and computes for 10 ms a batch, whatever the cores
  auto a = analysed(1e9, 100, 1e9, 150);
  a.needs = needs(1e-9, 0.01);
  a.needs.parts[1].reads = a.needs.parts[1].blocks = true;
  a.needs.bytes_read = {1e6};
  CHECK(pl::predict(a).rate == Approx(100));
  a.storage_cpu_seconds = 0.005;
  CHECK(pl::predict(a).rate == Approx(1 / 0.015));
  CHECK(pl::predict(a).prep_rate == Approx(1 / 0.015));
  CHECK(pl::predict(a).limit == "preparation");
  CHECK(pl::predict(a, {.cores = 8}).rate == Approx(1 / 0.015));
  CHECK(pl::predict(a, {.memory = 0.5e9}).rate == Approx(1 / 0.0125));  // half of the files are not read
  CHECK(pl::predict(a, {.memory = 1e9}).rate == Approx(100));
  // on four cores
  a = analysed(1e9, 100, 1e9, 150);
  a.needs.parts[0].reads = a.needs.parts[0].blocks = true;
  a.needs.bytes_read = {1e6};
  a.storage_cpu_seconds = 0.01;
  CHECK(pl::predict(a).rate == Approx(4 / 0.05));
  CHECK(pl::predict(a, {.cores = 2}).rate == Approx(2 / 0.05));
  a.step_cpu_seconds = 0.01;  // a step that computes
  CHECK(pl::predict(a).rate == Approx(4 / 0.06));
  // caches save it with the reading
  a = analysed(1e9, 1e9, 1e9, 1e9);
  a.needs = needs_with_site();
  a.needs.parts[0].reads = a.needs.parts[0].blocks = true;
  a.prep = 4 / 0.1;
  a.storage_cpu_seconds = 0.1;
  CHECK(pl::place_caches(a, 0).rate == Approx(4 / 0.2));
  CHECK(pl::place_caches(a, 5e9).rate == Approx(4 / 0.001).epsilon(0.02));
  for (const auto& o : pl::price_list(a, {}, 20))
    if (o.what == "nothing") CHECK(o.cores == 4);
}

TEST_CASE("stalls: where a memory is best spent") {
  // of a batch, reading takes 1 / 20 s of the storage, and decoding 0.1 s of four cores; decoded it is ten times as
  // large
  auto a = analysed(100, 40, 1000, 20);
  a.needs.groups = {{}, {1}, {0, 1}};
  a.needs.bytes_read = {0, 0, 1e6};
  a.needs.parts[0].cpu = a.needs.parts[0].wall = {0.0001, 0.0999, 0};
  a.needs.sites = {{.after = 2, .bytes = 1e9, .replay_seconds = 1e-6, .serial = false, .name = "read_file"},
                   {.after = 3, .bytes = 1e10, .replay_seconds = 1e-6, .serial = false, .name = "map(decode)"}};
  a.modelled_prep = a.prep;
  const auto none = pl::place_caches(a, 0);
  CHECK(none.caches.empty());
  CHECK(none.rate == Approx(20).epsilon(0.01));
  CHECK(none.with_a_gigabyte_more > 1.8 * none.rate);
  // storage is the limit: as files, until it is as fast as the cores: 40 at half of them
  const auto half = pl::place_caches(a, 0.5e9);
  REQUIRE(half.caches.size() == 1);
  CHECK(half.caches[0].name == "read_file");
  CHECK(half.rate == Approx(40).epsilon(0.02));
  // then both, of different elements
  const auto both = pl::place_caches(a, 5e9);
  REQUIRE(both.caches.size() == 2);
  CHECK(both.caches[0].name == "map(decode)");
  CHECK(both.caches[0].kept.from == 0);
  CHECK(both.caches[1].kept.from == Approx(both.caches[0].kept.to));
  CHECK(both.memory == Approx(5e9));
  CHECK(both.caches[0].bytes + both.caches[1].bytes == Approx(both.memory));
  CHECK(both.rate > 1.5 * half.rate);
  CHECK(both.with_a_gigabyte_more > both.rate);
  // the rate is that of the cores, 4 / (0.1 - 0.0999 d), and f of the files is kept, 0.5 (1 - d), so that storage is as
  // fast: a byte more is 1 / 9.5e9 of d
  CHECK(both.gain_per_byte == Approx(both.rate * 0.0999 / 4 / 9.5e9).epsilon(1e-3));
  const double a_percent = 0.01 * 5e9, more = pl::place_caches(a, 5e9 + a_percent).rate;
  CHECK(both.gain_per_byte * a_percent == Approx(1 - both.rate / more).epsilon(0.01));
  // as misses come in bursts, more files are kept than would be enough on average
  a.files_ahead = 16;
  const auto with_bursts = pl::place_caches(a, 5e9);
  REQUIRE(with_bursts.caches.size() == 2);
  CHECK(with_bursts.caches[1].kept.size() > both.caches[1].kept.size() + 0.01);
  CHECK(with_bursts.rate < both.rate);
  CHECK(with_bursts.rate > 0.9 * both.rate);
  CHECK(pl::predict(a, {.memory = 0.5e9}).rate == Approx(pl::place_caches(a, 0.5e9).rate).epsilon(0.05));
  a.files_ahead = 0;
  const auto all = pl::place_caches(a, 1.1e10);
  REQUIRE(all.caches.size() == 1);
  CHECK(all.caches[0].kept == pl::share{0, 1});
  CHECK(all.with_a_gigabyte_more == Approx(all.rate));
  CHECK(all.gain_per_byte == Approx(0).margin(1e-15));
  CHECK_THAT(pl::explain(a).text, Contains("where memory is best spent") && Contains("100 % of map(decode)") &&
                                      Contains("a MB more") && Contains("+0 %"));
}

TEST_CASE("stalls: errors of the measurements in the prediction") {
  auto a = analysed(100, 50, 1e9, 25);
  CHECK(pl::predict(a).rate_error == 0);
  a.storage_error = 0.04;  // the limit is the storage
  a.memory_error = 0.5;
  auto p = pl::predict(a);
  CHECK(p.rate_error == Approx(1));
  CHECK(p.compute_error == Approx(0.25 * 0.04));
  CHECK(p.prep_error == Approx(0.25 * 0.04));
  CHECK(p.fetch_error == Approx(0.5 * 0.04).epsilon(0.01));
  a.prep_error = 0.1;  // changes what the wait is for, not the rate: 0.25 is 25 (1/P - 1/100)
  p = pl::predict(a);
  CHECK(p.rate_error == Approx(1));
  CHECK(p.prep_error == Approx(std::hypot(0.01, 25 / 45.0 - 0.5)));  // a P of 45 changes it more than one of 55
  CHECK_THAT(pl::explain(a).text, Contains("training: 25 ± 1 batches a second") && Contains("4.0 %"));
}

TEST_CASE("stalls: intervals cover what is true") {
  std::mt19937_64 random(17);
  std::normal_distribution<> normal;
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  constexpr int trials = 4000;
  int rate = 0, compute = 0, prep = 0, fetch = 0;
  for (int trial = 0; trial != trials; ++trial) {
    double any[4];  // drawn in order, so that they are the same for all compilers
    for (double& each : any) each = std::exp(real(3, 5));
    const auto truth = analysed(any[0], any[1], 10 * any[2], any[3]);
    auto seen = truth;
    const auto measured = [&](double& value, double& error) {  // with a standard error of a 95 % interval
      error = real(0.01, 0.1);
      value *= 1 + error / 1.96 * normal(random);
    };
    measured(seen.step, seen.step_error);
    measured(seen.prep, seen.prep_error);
    measured(seen.memory_fetch, seen.memory_error);
    measured(seen.storage_fetch, seen.storage_error);
    const pl::what_if other{.memory = real(0, 1) * truth.memory_bytes};
    const auto p = pl::predict(seen, other), t = pl::predict(truth, other);
    rate += std::abs(p.rate - t.rate) <= p.rate_error;
    compute += std::abs(p.compute - t.compute) <= p.compute_error;
    prep += std::abs(p.prep - t.prep) <= p.prep_error;
    fetch += std::abs(p.fetch - t.fetch) <= p.fetch_error;
  }
  for (const int held : {rate, compute, prep, fetch}) {
    CHECK(held > 0.93 * trials);  // not quite 95 %, as errors may change which part is the limit
    CHECK(held < trials);
  }
}

TEST_CASE("stalls: rates with files elsewhere have errors of their own") {
  auto a = analysed(1000, 100, 1e9, 1e9);
  a.cached = {{.share = 0, .prep = 80, .error = 0.05}, {.share = 1, .prep = 120, .error = 0.02}};
  a.prep_error = 0.2;
  CHECK(pl::predict(a).rate_error == Approx(4));
  CHECK(pl::predict(a, {.memory = a.memory_bytes}).rate_error == Approx(2.4));
  a.cached[0].error = 0;  // not known
  CHECK(pl::predict(a).rate_error == Approx(16));
  a.cached.clear();
  a.needs.parts[0].reads = a.needs.parts[0].blocks = true;
  a.needs.bytes_read = {1e6};
  a.prep_error = 1e-6, a.prep = 100, a.storage_cpu_seconds = 0.01, a.storage_cpu_error = 0.1;
  // 80 batches a second, of 0.05 s of four cores, of which 0.01 are 10 % more or less
  CHECK(pl::predict(a).rate_error == Approx(80 / (1 - 0.1 * 0.01 / 0.05) - 80));
}

TEST_CASE("stalls: errors of a preparation beside a step that is a function") {
  auto a = analysed(1000, 50, 1e9, 1e9);
  for (const double together : {50.0, 40.0}) {  // beside the step as fast as alone; slower
    a.together = together;
    for (const double error : {0.01, 0.019, 0.021, 0.05, 0.2}) {
      a.prep_error = error;
      CHECK(pl::predict(a).rate_error == Approx(error * together));
    }
  }
  a.prep_error = 0;
  a.together_error = 0.1;
  CHECK(pl::predict(a).rate_error == Approx(4));
  a.step = a.prep = a.together = 100;
  a.needs = needs(0.04);
  a.together_error = 0, a.step_error = 0.05;  // a slower step, but no faster preparation
  CHECK(pl::predict(a).rate_error == Approx(5));
  a.prep_error = 0.05;
  CHECK(pl::predict(a).rate_error == Approx(5 * std::sqrt(2)));
}

TEST_CASE("stalls: offers have cores for a step that computes, too") {
  auto a = analysed(20, 20, 1e9, 1e9);
  a.cores = 2;
  a.needs = needs(0.1);
  a.step_cpu_seconds = 1;
  for (const double all : {2.0, 64.0}) {  // of this machine: others than the compute threads' may be the step's
    a.all_cores = all;
    CHECK(pl::least_cores(a) == (all == 2 ? 22 : 2));
    CHECK(pl::price_list(a).front().cores == 22);
  }
  CHECK(pl::predict(a, {.cores = 2}).rate == Approx(20));  // the step's cores are others
}

TEST_CASE("stalls: a step without a rate of its own") {
  auto a = analysed(pl::detail::infinite, 40, 1000, 20);
  CHECK(pl::price_list(a).empty());
  CHECK(pl::why_no_offer(a) == "the step takes no time, so that nothing keeps up with it; state a rate");
  CHECK(pl::why_no_offer(a, 30).empty());
  CHECK_THAT(pl::why_no_offer(a, -1), Contains("a rate of -1 cannot be; give batches a second"));
  CHECK_THAT(pl::explain(a).text, !Contains("nan") && Contains("limited by fetching") && Contains("state a rate"));
  a.step = 100, a.prep = 0;
  CHECK(pl::why_no_offer(a) == "the rate of preparation is not known");
}

TEST_CASE("stalls: a consumer's own time is part of an offer") {
  auto a = analysed(100, 100, 1000, 1e9);
  a.cores = 1;
  a.needs = needs(0.01);
  a.needs.consumer_seconds = 0.009;
  a.needs.groups = {{}, {0}};
  a.needs.bytes_read = {0, 1e6};
  a.needs.parts[0].cpu = a.needs.parts[0].wall = {0.001, 0.009};
  a.needs.sites = {{.after = 3, .bytes = 1e6, .replay_seconds = 0.002, .serial = false, .name = "map"}};
  a.prep = 1 / 0.019;  // as its costs say
  const double rate = 0.99 * std::min(a.prep, a.step);
  for (const auto& o : pl::price_list(a, {.core = 1, .gigabyte = 0, .gigabyte_per_second = 1}, rate)) {
    if (!o.what.starts_with("elements")) continue;
    CHECK(o.cores >= rate * (0.001 + 0.002 + 0.009));
    return;
  }
  FAIL("no elements are offered");
}

TEST_CASE("stalls: the cache beyond which memory changes nothing") {
  // 20 / (1 - x) = 40 at x = 0.5
  auto a = analysed(100, 40, 1000, 20);
  const double least = pl::least_memory(a);
  // with 1 % of the time for fetching, the rate is 39.6
  CHECK(least / a.data_bytes == Approx(1 - 20 / 39.6));
  CHECK(pl::predict(a, {.memory = 1.001 * least}).fetch < 0.01);
  CHECK(pl::predict(a, {.memory = 0.999 * least}).fetch > 0.01);
  CHECK(pl::least_memory(analysed(100, 40, 1000, 50)) == 0);
  a.io_threads = 1;  // 1 / (x / 1000 + (1 - x) / 20)
  CHECK(pl::least_memory(a) / a.data_bytes == Approx((1 / 20.0 - 1 / 39.6) / (1 / 20.0 - 1 / 1000.0)));
  CHECK(std::isinf(pl::least_memory(analysed(100, 40, 30, 20))));
}

TEST_CASE("stalls: cores, jobs, servers, a faster step") {
  const auto a = analysed(100, 40, 1e9, 1e9);  // 4 cores, 10 a second each
  CHECK(pl::predict(a, {.cores = 8}).rate == Approx(80));
  CHECK(pl::least_cores(a) == 10);
  CHECK(pl::least_cores(a) == pl::least_cores(analysed(100, 40, 1e9, 1)));
  CHECK(pl::predict(a, {.cores = 20}).rate == Approx(100));
  CHECK(pl::predict(a, {.cores = 20, .step = 3}).rate == Approx(200));
  CHECK(pl::predict(a, {.jobs = 4}).rate == Approx(10));
  CHECK(pl::predict(a, {.servers = 3}).rate == Approx(120));
  auto serial = a;
  serial.needs = needs(0.09, 0.02);
  serial.prep = 4 / 0.11;
  CHECK(std::isinf(pl::least_cores(serial)));  // 50 a second at most
  // servers cache in common: each reads a third of what is not in their memories together
  auto stored = analysed(100, 100, 1e9, 10);
  const auto three =
      pl::predict(stored, {.memory = stored.data_bytes / 4, .servers = 3, .network_bytes_per_second = 1e12});
  CHECK(three.share_in_memory == Approx(0.75));
  CHECK(three.fetch_rate == Approx(40).epsilon(0.001));
}

TEST_CASE("stalls: I/O threads use the machine's other cores") {
  // of a batch, a reader on an I/O thread computes for 0.06 s, and the compute thread for 0.1 s; of two cores
  auto a = analysed(1000, 10, 1e9, 1e9);
  a.cores = 1, a.all_cores = 2;
  a.needs = needs(0.1, 0.06);
  a.needs.parts[1].blocks = a.needs.parts[1].reads = true;
  CHECK(pl::predict(a).prep_rate == Approx(10));
  CHECK(pl::predict(a, {.cores = 2}).prep_rate == Approx(2 / 0.16));  // both cores for both
  CHECK(pl::predict(a, {.cores = 4}).prep_rate == Approx(1 / 0.06));
  CHECK(pl::predict(a, {.jobs = 2}).prep_rate == Approx(5));  // half a compute thread for each
  CHECK(pl::place_caches(a, 0).rate == Approx(10));
  a.storage_fetch = 1e3;  // an offer has cores for both
  CHECK(pl::price_list(a, {}, 12).front().cores == 2);
  CHECK(pl::price_list(a, {}, 16).front().cores == 3);
}

TEST_CASE("stalls: what the user stated for the run holds on other cores, too") {
  auto a = analysed(1e6, 40, 1e6, 1e6);
  a.all_cores = 4;
  a.needs = needs(0.1);
  a.needs.parts[0].cores_most = 3;  // parallelism: 30 batches a second by the costs, 40 as observed
  CHECK(pl::predict(a, {.cores = 2}).prep_rate == Approx(40 * 2 / 3.0));
  CHECK(pl::predict(a, {.cores = 8}).prep_rate == Approx(40));
  CHECK(std::isinf(pl::least_cores(a)));
  CHECK_THAT(pl::explain(a).text,
             Contains("preparation stalls with any number of cores, limited by prep: 3 at a time"));
  CHECK_THAT(pl::why_no_offer(a), Contains("at most 40 batches a second") && Contains("limited by prep: 3 at a time"));
  // a function that waits, on I/O threads: 2 of them, or as many as a run has on its cores
  a.needs = needs(0.001);
  a.needs.parts[0].blocks = a.needs.parts[0].waits = true;
  a.needs.parts[0].wall = {0.1};
  CHECK(pl::predict(a, {.cores = 8}).prep_rate == Approx(80));
  CHECK(pl::predict(a, {.cores = 1}).prep_rate == Approx(20));
  a.waits_on_compute = true;
  CHECK(pl::predict(a, {.cores = 1}).prep_rate == Approx(10));
  a.io_threads = 2;
  CHECK(pl::predict(a, {.cores = 8}).prep_rate == Approx(40));
  CHECK_THAT(pl::explain(a).text, Contains("limited by 2 I/O threads"));
}

TEST_CASE("stalls: jobs that share their preparation or a cache") {
  constexpr double memory = 4e8, k = 4;  // memory for 0.4 of the files
  const auto f = [](double x, double c, double s) { return std::min(c / x, s / (1 - x)); };
  // storage is the limit
  auto a = analysed(100, 80, 500, 20);
  const auto none = pl::predict(a, {.memory = memory, .jobs = 4});
  CHECK(none.share_in_memory == Approx(0.1));
  CHECK(none.fetch_rate == Approx(f(0.1, 500 / k, 20 / k)));
  CHECK(none.prep_rate == Approx(80 / k));
  CHECK(none.rate == Approx(none.fetch_rate));
  const auto cached = pl::predict(a, {.memory = memory, .jobs = 4, .shared_memory = true});
  CHECK(cached.share_in_memory == Approx(0.4));
  CHECK(cached.fetch_rate == Approx(f(0.4, 500 / k, 20 / k)));  // each reads its own misses
  CHECK(cached.prep_rate == Approx(80 / k));
  CHECK(cached.rate == Approx(cached.fetch_rate));
  const auto prepared = pl::predict(a, {.memory = memory, .jobs = 4, .shared_preparation = true});
  CHECK(prepared.share_in_memory == Approx(0.4));
  CHECK(prepared.fetch_rate == Approx(f(0.4, 500, 20)));
  CHECK(prepared.prep_rate == Approx(80));
  CHECK(prepared.rate == Approx(std::min({100.0, 80.0, f(0.4, 500, 20)})));
  CHECK(prepared.rate == Approx(pl::predict(a, {.memory = memory}).rate));  // as of one job by itself
  const auto both = pl::predict(a, {.memory = memory, .jobs = 4, .shared_preparation = true, .shared_memory = true});
  CHECK(both.rate == Approx(prepared.rate));
  for (const bool shared : {false, true}) {  // of one job, nothing changes
    const pl::what_if one{.memory = memory, .shared_preparation = shared, .shared_memory = shared};
    CHECK(pl::predict(a, one).rate == Approx(f(0.4, 500, 20)));
  }
  // the least memory is of the machine: x with F(x) = 0.99 P, k times it if each has a cache of its own
  const double x = 1 - 20 / 79.2;
  CHECK(pl::least_memory(a, {.jobs = 4}) == Approx(k * x * 1e9));
  CHECK(pl::least_memory(a, {.jobs = 4, .shared_memory = true}) == Approx(x * 1e9));
  CHECK(pl::least_memory(a, {.jobs = 4, .shared_preparation = true}) == Approx(x * 1e9));
  // preparation is the limit: 0.05 s of a core for a batch
  a.storage_fetch = 1e9;
  CHECK(pl::predict(a, {.jobs = 4}).rate == Approx(20));
  CHECK(pl::predict(a, {.jobs = 4, .shared_memory = true}).rate == Approx(20));
  CHECK(pl::predict(a, {.jobs = 4, .shared_preparation = true}).rate == Approx(80));
  CHECK(pl::predict(a, {.step = 0.5, .jobs = 4, .shared_preparation = true}).limit == "the step");
  CHECK(pl::least_cores(a, {.jobs = 4}) == 20);
  CHECK(pl::least_cores(a, {.jobs = 4, .shared_preparation = true}) == 5);
  // four steps compute for each batch that is prepared once
  a.step_cpu_seconds = 0.01;
  CHECK(pl::predict(a, {.jobs = 4}).rate == Approx(4 / (4 * (0.05 + 0.01))));
  CHECK(pl::predict(a, {.jobs = 4, .shared_preparation = true}).rate == Approx(4 / (0.05 + 4 * 0.01)));
  CHECK_THAT(pl::explain(a).text, Contains("4 such jobs at once, each") && Contains("4 jobs with run_shared, each"));
}

TEST_CASE("stalls: other hardware that cannot be") {
  const auto a = analysed(100, 40, 1000, 20);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](const pl::what_if& other, const std::string& what) {
    CHECK_THROWS_AS(pl::predict(a, other), std::invalid_argument);
    CHECK_THROWS_WITH(pl::predict(a, other), Contains("plumbline: predict: what_if." + what) && Contains("; give "));
    CHECK_THROWS_WITH(pl::least_memory(a, other), Contains("plumbline: least_memory: what_if." + what));
    CHECK_THROWS_WITH(pl::least_cores(a, other), Contains("plumbline: least_cores: what_if." + what));
  };
  for (const double x : {0.0, -1.0, nan}) {
    refused({.cores = x}, "cores is ");
    refused({.storage = x}, "storage is ");
    refused({.step = x}, "step is ");
    refused({.network_bytes_per_second = x}, "network_bytes_per_second is ");
  }
  for (const double x : {-1.0, nan}) refused({.memory = x}, "memory is ");
  refused({.jobs = 0}, "jobs is 0; give 1 or more");
  refused({.servers = 0}, "servers is 0; give 1 or more");
  CHECK(pl::predict(a, {.memory = 0}).rate == pl::predict(a).rate);
  CHECK(pl::predict(a, {.cores = 0.5}).prep_rate == Approx(5));
  const double all = pl::detail::infinite;
  CHECK(pl::predict(a, {.cores = all, .memory = all, .storage = all, .step = all}).rate == Approx(1000));
}

TEST_CASE("stalls: without the preparation's error no interval is known where it is the limit") {
  auto a = analysed(100, 40, 1000, 1000);
  a.step_error = 0.01;
  CHECK(pl::predict(a).limit == "preparation");
  CHECK(pl::predict(a).rate_error == 0);
  CHECK(pl::predict(a).compute_error == 0);
  a.prep_error = 0.05;
  CHECK(pl::predict(a).rate_error == Approx(0.05 * 40));
  a.prep_error = 0;
  a.prep = 400;
  CHECK(pl::predict(a).rate_error == Approx(0.01 * 100));
}

TEST_CASE("stalls: prices and memory that cannot be") {
  const auto a = analysed(100, 40, 1000, 20);
  for (const double bad : {-1.0, pl::detail::infinite, std::nan("")}) {
    CHECK_THROWS_WITH(pl::price_list(a, {.core = bad}), Contains("plumbline: price_list: prices.core is ") &&
                                                            Contains("; give a finite price, 0 or more"));
    CHECK_THROWS_WITH(pl::price_list(a, {.gigabyte_per_second = bad}), Contains("prices.gigabyte_per_second is "));
  }
  CHECK_THROWS_WITH(pl::place_caches(a, -1), Contains("place_caches: memory is -1; give bytes, 0 or more"));
  CHECK_THROWS_AS(pl::place_caches(a, std::nan("")), std::invalid_argument);
}

TEST_CASE("stalls: files that no cache(bytes) can keep") {
  auto a = analysed(100, 40, 1000, 20);
  a.memory_bytes = 0;
  for (const double memory : {0.0, 1e9, 1e15}) {
    const auto p = pl::predict(a, {.memory = memory});
    CHECK(p.share_in_memory == 0);
    CHECK(p.rate == Approx(20));
  }
  CHECK(std::isinf(pl::least_memory(a)));
  CHECK(pl::least_cores(a) == 10);
  const auto list = pl::price_list(a);
  REQUIRE(list.size() == 1);
  CHECK(list[0].what == "nothing");
  CHECK(list[0].memory == 0);
  CHECK(list[0].storage_bytes_per_second == Approx(100e6));  // all of it is read
  const auto text = pl::explain(a).text;
  CHECK_THAT(text, Contains("no cache(bytes) is possible") && Contains("read_file") && Contains("flat_map") &&
                       Contains("twice the storage bandwidth"));
  for (const auto* never : {"of the files in memory", "all of them", "nan", "inf"})
    CHECK(text.find(never) == std::string::npos);
  a.storage_fetch = 50;
  CHECK(pl::least_memory(a) == 0);        // nothing waits for them
  a.memory_bytes = pl::detail::infinite;  // an endless stream
  CHECK(pl::predict(a, {.memory = pl::detail::infinite}).share_in_memory == 0);
  CHECK(pl::price_list(a)[0].storage_bytes_per_second == Approx(100e6));
}

TEST_CASE("stalls: a step that computes takes cores from the preparation") {
  auto a = analysed(100, 40, 1e9, 1e9);  // 0.1 s of processor time for a batch
  a.step_cpu_seconds = 0.01;
  CHECK(pl::predict(a).rate == Approx(4 / 0.11));
  a.step_cpu_seconds = 0;
  CHECK(pl::predict(a).rate == Approx(40));
}

TEST_CASE("stalls: as text") {
  const auto text = pl::explain(analysed(100, 50, 1000, 25)).text;
  CHECK_THAT(text, Contains("25 batches a second, limited by fetching; 25 % of the time in the step"));
  CHECK_THAT(text, Contains("fetching takes at most 1 % of the time with"));
  CHECK_THAT(text, Contains("twice the cores"));
}
