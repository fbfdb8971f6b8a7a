// Rates: Plumber's published figures from its counters, and trees with known answers.
#include <catch2/catch.hpp>

#include <model/reference_trace.hpp>
#include <model/traces.hpp>

using namespace plumbline_test;

namespace {
auto near(double x) { return Approx(x).epsilon(1e-9).margin(0); }
}  // namespace

TEST_CASE("rates: every figure that Plumber published of a traced pipeline") {
  const auto file = reference("plumber_trace.json");
  if (file.is_null()) return;
  const auto t = trace_of(file), naive_trace = trace_of(file, time_of::wall);
  const auto r = pl::rates(t), naive = pl::rates(naive_trace);
  const double cores = file["derived_not_published"]["num_cores"];

  const auto& global = file["expected_global"];
  CHECK(t.operators[r.parts[r.ranked.front()].operators.front() - 1].name == global["bottleneck"]);
  CHECK(naive.utilisation == near(global["CPU_Util"]));
  CHECK(naive.utilisation * cores * t.wall_seconds == near(global["total_CPU_time_s"]));
  CHECK(r.bytes_read == 0);
  CHECK(pl::disk_bound(r, 1e8) == std::numeric_limits<double>::infinity());
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
    // the artifact divides the wait of one element by V, where a minibatch waits V times as long ("units seem off",
    // says its source); so does the time messages wait for a part
    const double wait = o.blocked_seconds * 1e9 / o.visits / o.visits;
    check("wait_time", wait);
    check("p_wait", wait_share[i]);
    check("p_scheduling", r.parts[i].queued_seconds / t.wall_seconds);
    CHECK(want["is_stale"] == !o.steady);
    CHECK(want["outer_parallelism"] == 0);  // nothing opens streams of its own
    // whom the artifact blames for a wait: it counts the time an operator waits for its input; ours hands chunks
    // over and waits for none, so these two are its own and not in pipeline_rates
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
        CHECK(pl::with_idle_cores(o.rate, cores, naive.utilisation) == near(figures["max_scaled_rate"]));
    }
  }
  CHECK(checked == 4 * 15 - 1);  // the root has no wait_time_diff; sizes are checked in sizes.cpp
}
