// The rate of fetching ahead of preparation, where misses come in bursts.
#include <plumbline/model/price_list.hpp>
#include <plumbline/model/read_ahead.hpp>
#include <plumbline/model/stalls.hpp>
#include <plumbline/report/explain_stalls.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <model/stall_analyses.hpp>

namespace {

namespace pl = plumbline;
using namespace plumbline_test;
using pl::detail::fetching;

// Where what is in memory costs nothing: `fetched` is the rate of fetching all.
double rate_with_read_ahead(double fetched, double prepared, double misses, double ahead, double variation) {
  return pl::detail::rate_with_read_ahead({.from_memory = pl::detail::infinite,
                                           .from_storage = fetched * misses,
                                           .misses = misses,
                                           .ahead = ahead,
                                           .size_variation = variation},
                                          prepared);
}

TEST_CASE("read-ahead: without limits on it, and where all or nothing is in memory, the slower rate") {
  CHECK(rate_with_read_ahead(80, 100, 0.4, 0, 0) == 80);
  CHECK(rate_with_read_ahead(120, 100, 0.4, 0, 0) == 100);
  CHECK(pl::detail::rate_with_read_ahead({120, 1, 0, 16}, 100) == 100);
  CHECK(pl::detail::rate_with_read_ahead({80, 1, 0, 16}, 100) == 80);
  CHECK(rate_with_read_ahead(1e300, 100, 0.4, 16, 0) == 100);
  CHECK(rate_with_read_ahead(100, std::numeric_limits<double>::infinity(), 0.4, 16, 0) == 100);
  // files of one size, all from storage: no bursts
  CHECK(rate_with_read_ahead(100, 100, 1, 8, 0) == Approx(100).epsilon(0.001));
  CHECK(rate_with_read_ahead(70, 100, 1, 8, 0) == Approx(70).epsilon(0.001));
}

TEST_CASE("read-ahead: what is in memory costs its own time") {
  for (const double misses : {0.1, 0.5, 0.9}) {
    // as slow as the storage: no bursts
    CHECK(pl::detail::rate_with_read_ahead({100, 100, misses, 8}, 100) == Approx(100).epsilon(0.001));
    CHECK(pl::detail::rate_with_read_ahead({100, 100, misses, 8, 0, true}, 100) == Approx(100).epsilon(0.001));
    // if the storage costs nothing, hits are what misses are otherwise
    const fetching no_storage{100 * (1 - misses), pl::detail::infinite, misses, 24};
    CHECK(no_storage.rate() == Approx(100));
    CHECK(pl::detail::rate_with_read_ahead(no_storage, 120) ==
          Approx(rate_with_read_ahead(100, 120, 1 - misses, 24, 0)).epsilon(0.03));
  }
}

TEST_CASE("read-ahead: the storage is idle while something is fetched from memory only if both are done in turn") {
  fetching files{.from_memory = 1000, .from_storage = 50, .misses = 0.4, .ahead = 0};
  CHECK(files.rate() == Approx(125));
  for (const double ahead : {8.0, 30.0}) {
    files.ahead = ahead;
    files.in_turn = false;
    CHECK(pl::detail::rate_with_read_ahead(files, 500) == Approx(125).epsilon(0.01));
    files.in_turn = true;
    CHECK(files.rate() == Approx(1 / (0.6 / 1000 + 0.4 / 50)));
    CHECK(pl::detail::rate_with_read_ahead(files, 500) == Approx(files.rate()).epsilon(0.005));
  }
}

TEST_CASE("read-ahead: only one file ahead, fetching and preparing take turns") {
  for (const double misses : {0.2, 0.5, 1.0})
    CHECK(rate_with_read_ahead(100, 50, misses, 1, 0) == Approx(1 / (1.0 / 100 + 1.0 / 50)).epsilon(0.001));
}

// Reflected Brownian motion between 0 and `ahead` files (Harrison, Brownian Motion and Stochastic Flow Systems, 1985,
// chapter 5): with c2, the squared coefficient of variation of a file's time, preparation that could take `prepared`
// files a second loses d / (exp(2 d ahead / (fetched c2)) - 1) of them, where d = fetched - prepared; in the limit for
// d = 0, fetched c2 / (2 ahead).
double by_diffusion(double fetched, double prepared, double misses, double ahead, double variation) {
  const double c2 = (1 + variation * variation) / misses - 1, d = fetched - prepared;
  if (d == 0) return prepared - fetched * c2 / (2 * ahead);
  return prepared - d / std::expm1(2 * d * ahead / (fetched * c2));
}
TEST_CASE("read-ahead: as a diffusion, where many misses fit into it") {
  for (const double misses : {0.4, 0.7, 1.0})
    for (const double variation : {0.0, 0.55})
      for (const double ahead : {24.0, 60.0})
        for (const double fetched : {0.7, 0.9, 1.0, 1.1, 1.3}) {
          CAPTURE(misses, variation, ahead, fetched);
          if (misses == 1 && variation == 0) continue;  // no bursts
          CHECK(rate_with_read_ahead(fetched, 1, misses, ahead, variation) ==
                Approx(by_diffusion(fetched, 1, misses, ahead, variation)).epsilon(0.02));
        }
}

TEST_CASE("read-ahead: more of it is never slower, and never faster than the slower part") {
  for (const double misses : {0.05, 0.3, 0.8})
    for (const double fetched : {0.3, 0.8, 1.0, 1.5, 4.0}) {
      double before = 0;
      for (const double ahead : {1.0, 2.0, 5.0, 12.0, 40.0, 200.0, 2000.0}) {
        CAPTURE(misses, fetched, ahead);
        const double rate = rate_with_read_ahead(fetched, 1, misses, ahead, 0.45);
        CHECK(rate >= before * (1 - 1e-12));
        CHECK(rate <= std::min(fetched, 1.0));
        CHECK(rate >= 0.99 / (1 / fetched + 1));
        before = rate;
      }
    }
}

// With 90 % in memory, F = P.
pl::stall_analysis analysed_at_90(double files_ahead) {
  auto a = analysed(200, 100, 1e9, 10);
  a.files_ahead = files_ahead;
  return a;
}
TEST_CASE("read-ahead: predict and least_memory count the bursts") {
  auto a = analysed(200, 100, 1e9, 40);  // with 60 % in memory, F = P
  const pl::what_if held{.memory = 0.6e9};
  CHECK(pl::predict(a, held).rate == Approx(100));
  a.files_ahead = 16;
  const auto p = pl::predict(a, held);
  CHECK(p.rate == Approx(100 * rate_with_read_ahead(1, 1, 0.4, 16, 0)));
  CHECK(p.rate == Approx(95).margin(0.5));  // as docs/model.md says
  CHECK(pl::predict(analysed_at_90(16), {.memory = 0.9e9}).rate == Approx(78.5).margin(1.5));
  CHECK(p.fetch == Approx(1 - p.rate / 100));
  CHECK(p.compute + p.prep + p.fetch == Approx(1));
  CHECK(pl::predict(a, {.memory = a.memory_bytes}).rate == Approx(100));
  // batches that are ready hide them from a slower step
  a.step = 90;
  const double without = pl::predict(a, held).rate;
  a.files_ahead_of_step = 60;
  CHECK(pl::predict(a, held).rate > without);
  // the least memory is where they no longer show
  a.step = 200;
  const double least = pl::least_memory(a);
  CHECK(least > 0.6e9);
  CHECK(pl::predict(a, {.memory = least}).fetch <= 0.01);
  CHECK(pl::predict(a, {.memory = 0.98 * least}).fetch > 0.01);
  CHECK_THAT(pl::explain(a).text, Catch::Matchers::Contains("fetching takes at most 1 % of the time with"));
}

TEST_CASE("read-ahead: a price list has bandwidth for the bursts") {
  auto a = analysed(100, 40, 1000, 20);
  const pl::prices each{.core = 1, .gigabyte = 1, .gigabyte_per_second = 1};
  const auto even = pl::price_list(a, each);
  a.files_ahead = 16, a.files_ahead_of_step = 24;
  auto bursts = pl::price_list(a, each);
  REQUIRE(bursts.size() == even.size());
  std::sort(bursts.begin(), bursts.end(), [](const auto& x, const auto& y) { return x.memory < y.memory; });
  double before = 1;
  for (const auto& o : bursts) {
    CAPTURE(o.what);
    const auto evenly = std::find_if(even.begin(), even.end(), [&](const auto& x) { return x.what == o.what; });
    REQUIRE(evenly != even.end());
    CHECK(o.cores == evenly->cores);
    CHECK(o.memory == evenly->memory);
    if (o.what == "all files") continue;
    const double times = o.storage_bytes_per_second / evenly->storage_bytes_per_second;
    const double held = o.memory / a.memory_bytes;
    if (held == 0) CHECK(times == Approx(1));  // every file is read
    if (held > 0.45) CHECK(times > 1.015);     // the fewer are read, the more it counts that they come in bursts
    CHECK(times >= before);
    CHECK(times < 10);
    before = times;
    const double storage = o.storage_bytes_per_second / (a.storage_fetch * a.bytes_read);
    const auto with = [&](double less) {
      return pl::predict(a, {.cores = o.cores, .memory = o.memory, .storage = less * storage});
    };
    CHECK(with(1).fetch <= 0.0101);
    if (held > 0.45) CHECK(with(1 / times).fetch > 0.0101);
  }
  // where reading cannot be ahead, no bandwidth is enough for the bursts of some caches, which are not offered
  a.files_ahead = a.files_ahead_of_step = 1;
  const auto few = pl::price_list(a, each);
  CHECK(few.size() < even.size());
  CHECK(few.size() > 1);
  for (const auto& o : few) {
    CAPTURE(o.what);
    const double storage = o.storage_bytes_per_second / (a.storage_fetch * a.bytes_read);
    if (storage > 0) CHECK(pl::predict(a, {.cores = o.cores, .memory = o.memory, .storage = storage}).fetch <= 0.0101);
  }
  a.files_ahead = 16, a.files_ahead_of_step = 24;
  // the planner's own: a share of what is prepared in memory, the files of the others read
  a.needs = needs_with_site();
  a.modelled_prep = a.prep;
  const auto first = [&] { return pl::price_list(a, {.core = 1, .gigabyte = 0.1, .gigabyte_per_second = 1}).front(); };
  const auto with_bursts = first();
  a.files_ahead = a.files_ahead_of_step = 0;
  CHECK(with_bursts.what == "91 % of the elements of map (operator 3)");
  CHECK(with_bursts.storage_bytes_per_second > 1.1 * first().storage_bytes_per_second);
}

TEST_CASE("read-ahead: a faster step, more cores, memory or storage never make training slower") {
  auto a = analysed(100, 100, 800, 40);
  a.files_ahead = 16, a.files_ahead_of_step = 60;
  const auto rises = [&](auto&& change) {
    double before = 0;
    for (double x = 0.5; x < 2; x += 0.02) {
      CAPTURE(x);
      const double rate = change(x);
      CHECK(rate >= before * 0.995);  // the misses are others
      before = std::max(before, rate);
    }
  };
  for (const double memory : {0.3e9, 0.6e9, 0.9e9}) {
    CAPTURE(memory);
    rises([&](double x) { return pl::predict(a, {.memory = memory, .step = x}).rate; });
    rises([&](double x) { return pl::predict(a, {.memory = memory, .storage = x}).rate; });
    rises([&](double x) { return pl::predict(a, {.cores = 4 * x, .memory = memory}).rate; });
  }
  rises([&](double x) { return pl::predict(a, {.memory = x * 0.5e9}).rate; });
  // on servers, what other machines hold costs as much for every element
  a.step = a.prep = 1000;
  const double almost = pl::predict(a, {.memory = 0.499e9, .servers = 2, .network_bytes_per_second = 1e8}).rate,
               all = pl::predict(a, {.memory = 0.5e9, .servers = 2, .network_bytes_per_second = 1e8}).rate;
  CHECK(almost == Approx(all).epsilon(0.01));
}

}  // namespace
