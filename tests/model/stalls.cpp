// Data stalls: the formulas of DS-Analyzer, and what other hardware changes.
#include <plumbline/report/explain_stalls.hpp>

#include <catch2/catch.hpp>

#include <cmath>

namespace pl = plumbline;
using Catch::Matchers::Contains;

namespace {
// A preparation of `seconds` of processor time for a batch, in parallel, and one of `serial` seconds.
pl::demand needs(double seconds, double serial = 0) {
  pl::demand d;
  d.groups = {{}};
  d.bytes_read = {0};
  d.parts.push_back(
      {.name = "prep", .operators = {1}, .cores_most = pl::detail::infinite, .cpu = {seconds}, .wall = {seconds}});
  if (serial > 0)
    d.parts.push_back(
        {.name = "serial", .operators = {2}, .serial = true, .cores_most = 1, .cpu = {serial}, .wall = {serial}});
  return d;
}
pl::stall_analysis analysed(double step, double prep, double memory, double storage) {
  pl::stall_analysis a;
  a.step = step, a.prep = prep, a.memory_fetch = memory, a.storage_fetch = storage;
  a.cores = 4, a.bytes_read = 1e6, a.data_bytes = a.memory_bytes = 1e9;
  a.needs = needs(4 / prep);
  return a;
}
}  // namespace

TEST_CASE("stalls: the fetch rate of a share in memory") {
  const auto a = analysed(1000, 1000, 500, 50);
  for (const double x : {0.0, 0.2, 0.5, 0.9, 1.0}) {
    const auto p = pl::predict(a, {.memory = x * a.data_bytes});
    CHECK(p.share_in_memory == Approx(x));
    CHECK(p.fetch_rate == Approx(1 / (x / 500 + (1 - x) / 50)));
    CHECK(p.rate == Approx(p.fetch_rate));
    CHECK(p.compute + p.prep + p.fetch == Approx(1));
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
  CHECK(p.prep_error == Approx(std::hypot(0.01, 0.05)).epsilon(0.02));
  CHECK_THAT(pl::explain(a).text, Contains("training: 25 ± 1 batches a second") && Contains("4.0 %"));
}

TEST_CASE("stalls: the cache beyond which memory changes nothing") {
  // 1 / (x / 1000 + (1 - x) / 20) = 40 at x = 0.5102
  const auto a = analysed(100, 40, 1000, 20);
  const double least = pl::least_memory(a);
  CHECK(least / a.data_bytes == Approx((1 / 20.0 - 1 / 40.0) / (1 / 20.0 - 1 / 1000.0)));
  CHECK(pl::predict(a, {.memory = 1.01 * least}).fetch < 1e-9);
  CHECK(pl::predict(a, {.memory = 0.99 * least}).fetch > 1e-3);
  CHECK(pl::least_memory(analysed(100, 40, 1000, 50)) == 0);
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
  CHECK_THAT(text, Contains("fetching never stalls with"));
  CHECK_THAT(text, Contains("twice the cores"));
}
