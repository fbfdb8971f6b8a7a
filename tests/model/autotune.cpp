// tf.data's model and its searches, checked with every case of reference/tfdata_model_cases.json.
#include <catch2/catch.hpp>

#include <bench/baselines/autotune_search.hpp>

#include <model/reference_trace.hpp>

namespace at = baselines::autotune;
using at::kind;
using plumbline_test::reference;

namespace {

auto near(double x) { return Approx(x).epsilon(1e-9).margin(1e-12); }
at::node node(kind k, double ratio, std::vector<std::size_t> inputs, double time = 0, double elements = 0) {
  return {.kind = k, .ratio = ratio, .inputs = std::move(inputs), .processing_time = time, .elements = elements};
}
at::node source(double time = 0, double elements = 0) { return node(kind::known_ratio, 0, {}, time, elements); }
/// The cases, by the name of the test that they come from.
const nlohmann::json* cases(const std::string& name) {
  static const auto file = reference("tfdata_model_cases.json");
  if (file.is_null()) return nullptr;
  for (const auto& c : file["cases"])
    if (c["test"].get<std::string>().rfind(name, 0) == 0) return &c;
  FAIL(name << " is not in the file");
  return nullptr;
}
double total(const at::model& m) { return at::total_processing_times(m).back(); }

}  // namespace

TEST_CASE("autotune: an interleave with threads of its own", "[data]") {
  const auto *first = cases("AsyncInterleaveManyTest"), *second = cases("AsyncInterleaveManyTest after");
  if (first == nullptr) return;
  for (const double p : {1.0, 2.0})
    for (const double input_time : {0.0, 50.0, 100.0, 200.0}) {
      at::model m{source(), source(200, 1), source(300, 1), node(kind::async_interleave, 0, {0, 1, 2}, 100, 1)};
      m.back().parallelism = {p, 1, 8};
      CHECK(total(m) == near((*first)["TotalProcessingTime"]));
      CHECK(at::output_time(m, input_time) <= 100 + 250 / p);
      CHECK(at::output_time(m, input_time) >= 0);
      m.back().elements = 2;
      CHECK(total(m) == near((*second)["TotalProcessingTime"]));
      CHECK(at::output_time(m, input_time) <= 50 + 250 / p);
      CHECK(at::output_time(m, input_time) >= 0);
    }
}

TEST_CASE("autotune: an interleave without threads of its own", "[data]") {
  const auto* c = cases("InterleaveManyTest");
  if (c == nullptr) return;
  at::model m{source(), source(), source(), node(kind::interleave, 0, {0, 1, 2}, 100, 1)};
  const auto check = [&](std::size_t i) {
    CHECK(total(m) == near((*c)["TotalProcessingTime"][i]));
    CHECK(at::output_time(m) == near((*c)["OutputTime"][i]));
  };
  check(0);
  m[1] = source(200, 1);
  m[2] = source(300, 1);
  check(1);
  m[3].elements = 2;
  check(2);
}

TEST_CASE("autotune: known ratios", "[data]") {
  const auto* c = cases("KnownRatioTest");
  if (c == nullptr) return;
  for (const double r : {0.0, 1.0, 2.0, 4.0}) {
    at::model m{source(100), source(200), node(kind::known_ratio, r, {0, 1})};
    std::size_t i = 0;
    // the file gives the expectations as text: "r*150+128"
    const auto next = [&] {
      const std::string want = (*c)["expected"][i++];
      const auto plus = want.find('+');
      const double value =
          r * std::stod(want.substr(2)) + (plus == std::string::npos ? 0 : std::stod(want.substr(plus + 1)));
      INFO(want);
      CHECK(total(m) == near(value));
      CHECK(at::output_time(m) == near(value));
    };
    m[0].elements = 1, next();
    m[1].elements = 1, next();
    m[0].elements = 2, next();
    m[1].elements = 2, next();
    m[2].processing_time = 128;
    m[2].elements = 1, next();
    m[2].elements = 2, next();
    CHECK(i == (*c)["expected"].size());
  }
}

TEST_CASE("autotune: sources, and ratios that are known only from a run", "[data]") {
  const auto *s = cases("SourceTest"), *u = cases("UnknownRatioTest"), *n = cases("UnknownTest");
  if (s == nullptr) return;
  for (std::size_t i = 0; i != 2; ++i) {
    CHECK(total({source(100, double(i + 1))}) == near((*s)["expected"][i]));
    CHECK(at::output_time({source(100, double(i + 1))}) == near((*s)["expected"][i]));
  }
  at::model m{source(), source(), node(kind::unknown_ratio, 0, {0, 1}, 100, 1)};
  const auto check = [&](double want) {
    CHECK(total(m) == near(want));
    CHECK(at::output_time(m) == near(want));
  };
  check((*u)["expected"][0]);
  m[0] = source(100, 1), m[1] = source(200, 1);
  check((*u)["expected"][1]);
  m[2].elements = 2;
  check((*u)["expected"][2]);
  m = {source(100, 1), source(100), node(kind::unknown, 0, {0, 1})};
  check((*n)["expected"][0]);
  m[1].elements = 1;
  check((*n)["expected"][1]);
  m[0].elements = 2;
  check((*n)["expected"][2]);
  m[1].elements = 2;
  check((*n)["expected"][3]);
  m[2] = node(kind::unknown, 0, {0, 1}, 100, 1);  // its own time does not count
  check((*n)["expected"][3]);
}

TEST_CASE("autotune: self time, and its moving average", "[data]") {
  const auto *self = cases("SelfProcessingTime"), *ema = cases("SelfTime EMA");
  if (self == nullptr) return;
  CHECK((*self)["expected"] == "(n-1)/2");
  for (const int n : {0, 1, 2, 5, 10, 20, 40}) {
    auto s = source();
    for (int i = 0; i != n; ++i) s.record(i);
    CHECK(s.self_time() == near(n == 0 ? 0 : (n - 1) / 2.0));
  }
  for (const auto& c : (*ema)["cases"]) {
    const double p = c.value("note", "") == "p=2" ? 2 : 1;
    auto s = node(p == 2 ? kind::async_known_ratio : kind::known_ratio, 1, {}, double(c["init"]) * p * 100, 100);
    if (p == 2) s.parallelism = {p, 1, 16};
    CHECK(s.stage_time() == near(c["init"]));
    s.record(c["add"][0]);
    CHECK(s.stage_time() == near(c["expected"]));
  }
}

TEST_CASE("autotune: the wait for a buffer, and its derivatives", "[data]") {
  const auto* c = cases("ComputeWaitTime");
  if (c == nullptr) return;
  const double h = 1e-5, tolerance = 0.1;
  for (const double p : (*c)["producer"])
    for (const double q : (*c)["consumer"])
      for (const double n : (*c)["buffer"]) {
        INFO("producer " << p << ", consumer " << q << ", buffer " << n);
        const auto w = at::wait_for(p, q, n);
        const auto slope = [&](double dp, double dq, double dn) {
          const double sign = dp + dq + dn > 0 ? 1 : -1;
          return sign * (at::wait_for(p + dp, q + dq, n + dn).time - w.time) / h;
        };
        CHECK(w.by_producer == Approx(slope(h, 0, 0)).margin(tolerance));
        CHECK(w.by_consumer == Approx(slope(0, h, 0)).margin(tolerance));
        CHECK(w.by_buffer == Approx(slope(0, 0, h)).margin(tolerance));
        if (p >= h) CHECK(w.by_producer == Approx(slope(-h, 0, 0)).margin(tolerance));
        if (q >= h) CHECK(w.by_consumer == Approx(slope(0, -h, 0)).margin(tolerance));
        if (n >= h) CHECK(w.by_buffer == Approx(slope(0, 0, -h)).margin(tolerance));
      }
  // as reference/README.md states it
  CHECK(at::wait_for(100, 50, 2).time == near(100 * (1 - 0.5) / (1 - std::pow(0.5, 3))));
  CHECK(at::wait_for(50, 100, 2).time == near(50 * (1 - 2.0) / (1 - std::pow(2.0, 3))));
  CHECK(at::wait_for(80, 80, 3).time == near(20));
}

TEST_CASE("autotune: without memory every search leaves the least", "[data]") {
  const auto* c = cases("OptimizeZeroRamBudget");
  if (c == nullptr) return;
  const auto made = [] {
    at::model m{node(kind::async_interleave, 0, {}, 0, 1), node(kind::async_known_ratio, 5, {0}, 0, 1),
                node(kind::async_known_ratio, 2, {1}, 0, 1)};
    m[0].parallelism = {3, 1, 7};
    m[1].buffer = {3, 0, 6};
    m[2].parallelism = {3, 1, 5};
    for (auto& n : m) n.bytes_each = 1;
    return m;
  };
  const auto check = [&](const at::model& m, bool buffers) {
    CHECK(m[2].parallelism->value == (*c)["expected"]["node1_parallelism"]);
    if (buffers) CHECK(m[1].buffer->value == (*c)["expected"]["node2_buffer"]);
    CHECK(m[0].parallelism->value == (*c)["expected"]["node3_parallelism"]);
  };
  for (const double cores : {40.0, std::numeric_limits<double>::infinity()}) {  // the latter is "max parallelism"
    auto m = made();
    at::hill_climb(m, {cores, 0});
    check(m, true);
  }
  auto m = made();
  at::descend(m, {40, 0});
  check(m, true);
  m = made();
  at::by_stages(m, {40, 0}, 0);
  check(m, false);  // sets parallelism only
}

TEST_CASE("autotune: times of stages", "[data]") {
  const auto *c = cases("ModelTiming Interleave"), *sweep = cases("ParallelInterleave sweep");
  if (c == nullptr) return;
  at::model m{node(kind::known_ratio, 1, {}, 1200, 60), node(kind::known_ratio, 1, {}, 800, 40),
              node(kind::interleave, 0, {0, 1}, 1000, 100), node(kind::known_ratio, 1, {2}, 1000, 100)};
  m[2].cycle_length = 2;
  const std::size_t by_number[] = {3, 2, 0, 1};  // the file's nodes 1 to 4
  const auto t = at::stage_timings(m);
  for (std::size_t i = 0; i != 4; ++i) {
    CHECK(t[by_number[i]].pipeline_ratio == near((*c)["pipeline_ratio"][i]));
    CHECK(t[by_number[i]].self_time == near((*c)["self"][i]));
    CHECK(t[by_number[i]].total_time == near((*c)["total"][i]));
  }
  for (const auto& [key, want] : (*sweep)["table"]["p,det,cycle"].items())
    for (int cycle = 1; cycle <= 3; ++cycle) {
      if (key[4] != '*' && key[4] - '0' != cycle) continue;
      at::model p{
          node(kind::known_ratio, 1, {}, 60, 60),   node(kind::known_ratio, 1, {}, 1200, 60),
          node(kind::known_ratio, 1, {}, 1200, 40), node(kind::known_ratio, 1, {}, 2400, 60),
          node(kind::known_ratio, 1, {}, 2000, 40), node(kind::async_interleave, 0, {0, 1, 2, 3, 4}, 2000, 100)};
      p[4].active = false;
      p[5].parallelism = {double(key[0] - '0'), 1, 10};
      p[5].deterministic = key[2] == '1';
      p[5].cycle_length = cycle;
      INFO(key << ", cycle " << cycle);
      // the file has nine digits
      CHECK(at::stage_timings(p)[5].total_time == Approx(double(want)).epsilon(2e-9));
      CHECK(at::stage_timings(p)[4].total_time == 0);
      CHECK(at::stage_timings(p)[3].pipeline_ratio == near(1.0 / cycle));
    }
}

TEST_CASE("autotune: the search by stages", "[data]") {
  const auto *one = cases("StageBased OneStage"), *capped = cases("StageBased capped"),
             *memory = cases("StageBased RamBudget");
  if (one == nullptr) return;
  const auto chain = [](double most) {
    at::model m{node(kind::known_ratio, 2, {}, 1000, 100), node(kind::known_ratio, 1, {0}, 3000, 100),
                node(kind::async_known_ratio, 1, {1}, 5000, 100)};
    m[2].parallelism = {4, 1, most};
    m[2].bytes_each = 100;
    return m;
  };
  auto m = chain(16);
  at::by_stages(m, {20, 1000}, 50);
  CHECK(m[2].parallelism->value == (*one)["expected"]);
  m = chain(3);
  at::by_stages(m, {20, 1000}, 50);
  CHECK(m[2].parallelism->value == (*capped)["expected"]);
  m = {node(kind::known_ratio, 2, {}, 1000, 100), node(kind::async_known_ratio, 1, {0}, 70000, 100),
       node(kind::async_known_ratio, 1, {1}, 62000, 100)};
  for (const std::size_t i : {1U, 2U}) m[i].parallelism = {4, 1, 16}, m[i].bytes_each = 100;
  for (std::size_t round = 0; round != 2; ++round) {
    at::by_stages(m, {10, round == 0 ? 100.0 : 100000.0}, 0);
    CHECK(m[2].parallelism->value == (*memory)["expected"][round][0]);
    CHECK(m[1].parallelism->value == (*memory)["expected"][round][1]);
  }
}

TEST_CASE("autotune: its latency goes to 0 with enough parallelism (Plumber, section 2.2)") {
  at::model m{source(1e3, 100), node(kind::async_known_ratio, 1, {0}, 1e9, 100),
              node(kind::async_known_ratio, 128, {1}, 1e6, 100)};
  for (const std::size_t i : {1U, 2U}) m[i].parallelism = {1, 1, 1e5};
  double before = at::output_time(m);
  for (const double p : {10.0, 1000.0, 1e5}) {
    for (const std::size_t i : {1U, 2U}) m[i].parallelism->value = p;
    CHECK(at::output_time(m) < before / 5);
    before = at::output_time(m);
  }
}
