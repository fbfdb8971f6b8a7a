// Rates: Plumber's published figures from its counters, and trees with known answers.
#include <plumbline/model/planner.hpp>

#include <catch2/catch.hpp>

#include <model/reference_trace.hpp>
#include <model/traces.hpp>

using namespace plumbline_test;

namespace {
auto near(double x) { return Approx(x).epsilon(1e-9).margin(0); }
}  // namespace

TEST_CASE("rates: every figure that Plumber published of a traced pipeline", "[data]") {
  const auto file = reference("plumber_trace.json");
  if (file.is_null()) return;
  const auto t = trace_of(file), naive_trace = trace_of(file, time_of::wall);
  const auto r = pl::rates(t), naive = pl::rates(naive_trace);
  const double cores = file["derived_not_published"]["num_cores"];

  const auto& global = file["expected_global"];
  CHECK(t.operators[r.parts[r.ranked.front()].operators.front() - 1].name == global["bottleneck"].get<std::string>());
  CHECK(naive.utilisation == near(global["CPU_Util"]));
  CHECK(naive.utilisation * cores * t.wall_seconds == near(global["total_CPU_time_s"]));
  CHECK(r.bytes_read == 0);
  CHECK(r.cpu_seconds == near(file["derived_not_published"]["min_latency_s"]));

  std::vector<double> wait_share;  // of the wall time, for an element of the operator's own
  std::size_t checked = 0;
  for (std::size_t i = 0; i != t.operators.size(); ++i) {
    const auto& o = r.operators[i];
    wait_share.push_back(o.blocked_seconds * o.observed / o.visits);
  }
  for (std::size_t i = 0; i != t.operators.size(); ++i) {
    const auto& want = file["nodes"][i]["expected"];
    INFO(t.operators[i].name);
    const auto &o = r.operators[i], &n = naive.operators[i];
    const auto check = [&](const char* figure, double got) {
      INFO(figure);
      CHECK(got == near(want[figure]));
      ++checked;
    };
    check("element_ratio", o.visits);
    check("elapsed_time", t.wall_seconds);
    check("expected_per_core_max_rate", o.rate);
    check("expected_per_core_max_rate_naive", n.rate);
    check("expected_service_time", o.cpu_seconds);
    check("num_cores_used", o.cores);
    check("num_cores_used_naive", n.cores);
    check("observed_rate", o.observed);
    check("p_busy", r.parts[i].cpu_seconds * o.observed / double(file["nodes"][i]["state"]["parallelism"]));
    // The artifact divides the wait of one element by V, although a minibatch waits V times as long (its source says
    // "units seem off").
    const double wait = o.blocked_seconds * 1e9 / o.visits / o.visits;
    check("wait_time", wait);
    check("p_wait", wait_share[i]);
    check("p_scheduling", r.parts[i].queued_seconds / t.wall_seconds);
    CHECK(want["is_stale"] == !o.steady);
    CHECK(want["outer_parallelism"] == 0);  // nothing opens streams of its own
    // The artifact's blame for waits: it counts the time that an operator waits for its input. Ours pass chunks on and
    // do not wait, so pipeline_rates has no such figures.
    const auto parent = i + 1;
    if (parent != t.operators.size()) {
      const auto& p = r.operators[parent];
      check("wait_time_diff", p.blocked_seconds * 1e9 / p.visits / p.visits - wait);
    } else {
      CHECK(want["wait_time_diff"].is_null());
    }
    const double above = parent == t.operators.size() ? 0 : wait_share[parent], below = i == 0 ? 0 : wait_share[i - 1];
    check("p_wait_blame", std::max(0.0, above - below - wait_share[i]));
    check("p_wait_blame_non_filtered",
          std::max(0.0, (parent == t.operators.size()
                             ? 0
                             : *std::max_element(wait_share.begin() + std::ptrdiff_t(parent), wait_share.end())) -
                            wait_share[i]));

    for (const auto& [edge, figures] : file["edges"].items()) {
      if (edge.rfind(t.operators[i].name + "->", 0) != 0) continue;
      CHECK(o.rate == near(figures["max_parallel_rate"]));
      if (figures.contains("max_scaled_rate"))
        CHECK(o.rate * (1 + cores * (1 - naive.utilisation)) == near(figures["max_scaled_rate"]));  // with idle cores
    }
  }
  CHECK(checked == 4 * 15 - 1);  // the root has no wait_time_diff; sizes are checked in sizes.cpp
}

TEST_CASE("rates: section 5.2's bound of the disk, 6.9 minibatches of 128 records of 110 KB for every 100 MB/s") {
  made_trace t(10, 16);
  const std::uint64_t records = 128'000, record = 110 * 1024;
  t.add({"records",
         pl::form::source,
         {},
         {},
         0,
         {.completions = records, .bytes = records * record, .bytes_read = records * record, .cpu_seconds = 1}});
  t.add({"batch", pl::form::scatter, {1}, {}, 128, {.completions = 1000, .bytes = records * record, .cpu_seconds = 1}});
  const auto r = pl::rates(t);
  CHECK(r.bytes_read == near(128 * 110 * 1024));
  CHECK(100e6 / r.bytes_read == Approx(6.9).margin(0.05));
  CHECK(180e6 / r.bytes_read == Approx(12.5).margin(0.05));
}

TEST_CASE("rates: elements in flight are not part of a minibatch's cost") {
  // 10 batches of 32 were delivered, and 64 more elements are already decoded
  made_trace t(1, 4);
  t.add({"range", pl::form::source, {}, {}, 0, {.completions = 384, .bytes = 3072}});
  t.add({"decode", pl::form::element, {1}, {}, 1, {.completions = 384, .bytes = 1, .cpu_seconds = 3.84}});
  t.add({"batch", pl::form::scatter, {2}, {}, 32, {.completions = 10, .bytes = 1, .cpu_seconds = 0.1}});
  t.part({1, 2}, false, 0.16, 96);
  t.part({3}, true);
  const auto r = pl::rates(t);
  CHECK(r.operators[1].visits == 32);
  CHECK(r.operators[1].cpu_seconds == near(0.32));
  CHECK(r.parts[0].cpu_seconds == near(4.0 / 12));
  CHECK(r.parts[0].messages == near(8));
  CHECK(r.parts[0].shares[1] == near(0.96));
  CHECK(r.parts[0].limit == near(12));
  CHECK(r.parts[1].limit == near(100));
  CHECK(r.ranked == std::vector<std::size_t>{0, 1});
}

TEST_CASE("rates: what a cache keeps skips the operators before it, but is numbered all the same") {
  // of 160 elements, three quarters are found in a cache; each of the others takes 10 ms
  made_trace t(1, 4);
  t.add({"range", pl::form::source, {}, {}, 0, {.completions = 160, .cpu_seconds = 0.016}});
  t.add({"map", pl::form::element, {1}, {}, 1, {.completions = 40, .cpu_seconds = 0.4}});
  t.add({"cache", pl::form::element, {2}, {}, 1, {.completions = 160, .bytes = 1600, .cpu_seconds = 0.16}});
  t.operators[2].keeps_share = 0.75;
  t.add({"batch", pl::form::scatter, {3}, {}, 16, {.completions = 10, .bytes = 1600, .cpu_seconds = 0.01}});
  t.part({1, 2, 3}, false);
  t.part({4}, true);
  const auto r = pl::rates(t);
  CHECK(r.operators[0].visits == near(16));
  CHECK(r.operators[1].visits == near(4));
  CHECK(r.operators[1].cpu_seconds == near(0.04));
  CHECK(r.parts[0].cpu_seconds == near(0.0576));
  // those that are numbered and not yet taken do not count
  t.counters[0].completions = 176;
  CHECK(pl::rates(t).operators[0].visits == near(16));
  // another kind of cache; in its first epoch, which finds nothing; and where all are found
  t.operators[2].keeps_share = 0;
  t.operators[2].keeps_most = 1e6;
  CHECK(pl::rates(t).operators[0].visits == near(16));
  t.counters[1].completions = 176;
  CHECK(pl::rates(t).operators[0].visits == near(16));
  CHECK(pl::rates(t).operators[1].visits == near(16));
  t.counters[1].completions = 0;
  CHECK(pl::rates(t).operators[0].visits == near(16));
  CHECK(pl::rates(t).operators[1].visits == 0);
}

TEST_CASE("rates: each input of a join has its own ratio") {
  // (a | filter half | batch 4) and (b | batch 2) are zipped; c is interleaved from 3 files
  made_trace t(2, 2);
  t.add({"a", pl::form::source, {}, {}, 0, {.completions = 800, .cpu_seconds = 0.8}});
  t.add({"filter", pl::form::element, {1}, {}, 0, {.completions = 400, .cpu_seconds = 0.4}});
  t.add({"batch", pl::form::serial, {2}, {}, 4, {.completions = 100, .cpu_seconds = 0.1}});
  t.add({"b", pl::form::source, {}, {}, 0, {.completions = 200, .cpu_seconds = 0.1}});
  t.add({"batch", pl::form::serial, {4}, {}, 2, {.completions = 100, .cpu_seconds = 0.1}});
  t.add({"zip", pl::form::structure, {3, 5}, {}, 0, {.completions = 100, .cpu_seconds = 0.01}});
  t.add({"c", pl::form::source, {}, {}, 0, {.completions = 3}});
  t.add({"interleave", pl::form::nest, {7}, {}, 0, {.completions = 300, .cpu_seconds = 0.3}});
  t.add({"concat", pl::form::structure, {6, 8}, {}, 0, {.completions = 400, .cpu_seconds = 0.01}});
  t.add({"batch", pl::form::serial, {9}, {}, 40, {.completions = 10, .cpu_seconds = 0.01}});
  for (std::uint32_t i = 1; i <= 10; ++i) t.part({i}, true);
  t.part({8}, true);  // one more open stream of the interleave
  const double want[] = {80, 40, 10, 20, 10, 10, 0.3, 30, 40, 1};
  const auto r = pl::rates(t);
  for (std::size_t i = 0; i != 10; ++i) CHECK(r.operators[i].visits == near(want[i]));
  CHECK(r.cpu_seconds == near(1.83 / 10));
  CHECK(r.observed == near(5));
  CHECK(r.parts.size() == 10);
  CHECK(r.parts[7].copies == 2);
}

TEST_CASE("rates: operators below a cache cost nothing") {
  made_trace t(2, 2);
  t.add({"a", pl::form::source, {}, {}, 0, {.completions = 100, .bytes_read = 1000, .cpu_seconds = 1}});
  t.add({"cache", pl::form::structure, {1}, {}, 1, {.completions = 300, .cpu_seconds = 0.3}});
  t.operators.back().replays = true;
  t.add({"map", pl::form::element, {2}, {}, 1, {.completions = 300, .cpu_seconds = 3}});
  t.part({1}, true);
  t.part({1, 2}, true);
  t.part({3}, false);
  const auto r = pl::rates(t);
  CHECK(!r.operators[0].steady);
  CHECK(r.cpu_seconds == near(0.011));
  CHECK(r.bytes_read == 0);
  REQUIRE(r.parts.size() == 2);
  CHECK(r.parts[0].cpu_seconds == near(0.3 / 300));
}

TEST_CASE("rates: a trace that is not a tree, or is empty, is rejected") {
  made_trace t(1, 2);
  CHECK_THROWS_WITH(pl::rates(t), "plumbline: trace: has no operators; run with tracing::counters");
  t.add({"a", pl::form::source, {}, {}, 0, {}});
  CHECK_THROWS_WITH(pl::rates(t), "plumbline: trace: nothing has come out of a; trace for longer");
  t.add({"b", pl::form::element, {}, {}, 0, {}});
  CHECK_THROWS_WITH(pl::rates(t),
                    "plumbline: trace: no operator takes from operator 1 (a); only the last may be the root");
  t.operators[1].inputs = {1, 1};
  CHECK_THROWS_WITH(pl::rates(t), "plumbline: trace: operator 2 (b) takes from 1, as another one does");
  t.operators[1].inputs = {2};
  CHECK_THROWS_WITH(pl::rates(t), "plumbline: trace: operator 2 (b) takes from 2, not an earlier one");
}

TEST_CASE("rates: what the user stated limits a part, and the plan") {
  made_trace t(1, 8);
  const auto n = pl::cardinality::exactly(1000);
  t.add({"files", pl::form::source, {}, n, 0, {.completions = 100}});
  t.add({"read",
         pl::form::element,
         {1},
         n,
         1,
         {.completions = 100, .bytes = 100'000, .bytes_read = 100'000, .cpu_seconds = 0.1, .wall_seconds = 1}});
  t.add({"map", pl::form::element, {2}, n, 1, {.completions = 100, .bytes = 800, .cpu_seconds = 1, .wall_seconds = 1}});
  t.add({"last",
         pl::form::serial,
         {3},
         n,
         1,
         {.completions = 100, .bytes = 800, .cpu_seconds = 0.01, .wall_seconds = 0.01}});
  for (const std::uint32_t i : {2U, 3U, 4U}) t.part({i}, i == 4);
  t.parts[0].blocks = true;
  const auto limits_of = [&] {
    const auto r = pl::rates(t);
    return std::vector<double>{r.parts[0].at_once, r.parts[1].at_once, r.parts[2].at_once};
  };
  constexpr double any = pl::detail::infinite;
  CHECK(limits_of() == std::vector<double>{any, any, 1});
  CHECK(pl::rates(t).parts[1].limit == near(800));
  const auto planned = [&] {
    return pl::make_plan(t, {.cores = 8, .io_threads = 16}, {.cache_sites = std::vector<std::uint32_t>{}}).best;
  };
  CHECK(planned().rate > 700);
  t.operators[1].at_once = 4;
  t.operators[2].at_once = 3;
  t.operators[3].at_once = 7;  // of a serial part: one thread runs it all the same
  CHECK(limits_of() == std::vector<double>{4, 3, 1});
  CHECK(pl::rates(t).parts[1].limit == near(300));
  const auto r = pl::rates(t);
  const auto d = pl::demand_of(t, r, pl::cache_sites(t, r, pl::sizes(t), any));
  CHECK(d.reads_most == 4);
  CHECK(d.parts[1].cores_most == 3);
  CHECK(planned().rate == Approx(300));
  CHECK(planned().parts[0].parallelism == 4);
  CHECK(planned().parts[1].parallelism == 3);
  CHECK_THAT(planned().bottleneck, Catch::Contains("map: 3 at a time"));
  t.operators[2].at_once = 0;
  CHECK(planned().rate == Approx(400));  // 4 reads of 10 ms
}
