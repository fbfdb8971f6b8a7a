// The planner's linear program, compared with Plumber's figures and with every choice of caches tried one by one.
#include <catch2/catch.hpp>

#include <plumbline/model/program.hpp>

#include <model/reference_trace.hpp>
#include <model/traces.hpp>

#include <chrono>
#include <random>

using namespace plumbline_test;
using pl::cardinality;
using pl::form;

namespace {

pl::demand demand_at(const pl::trace& t, double memory, const pl::stored_files& stored = {}) {
  const auto r = pl::rates(t);
  return pl::demand_of(t, r, pl::cache_sites(t, r, pl::sizes(t, stored), memory));
}

/// A random tree of operators in parts: every operator is finite and seen completely; some are random, some serial.
made_trace random_tree(std::mt19937_64& random, int operators) {
  made_trace t(10, 4);
  const auto real = [&](double from, double to) { return std::uniform_real_distribution<>(from, to)(random); };
  std::vector<std::uint32_t> open;
  for (int i = 0; i < operators || open.size() > 1; ++i) {
    const bool join = open.size() > 1 && (i >= operators - 1 || real(0, 1) < 0.3),
               source = !join && (open.empty() || (i < operators / 2 && real(0, 1) < 0.25));
    std::vector<std::uint32_t> inputs;
    if (join) {
      inputs = {open[open.size() - 2], open.back()};
      open.resize(open.size() - 2);
    } else if (!source) {
      inputs = {open.back()};
      open.pop_back();
    }
    const std::uint64_t n = 1000;
    pl::operator_counters did{
        .completions = n, .bytes = n * std::uint64_t(std::exp(real(2, 9))), .cpu_seconds = std::exp(real(-6, 1))};
    if (source && real(0, 1) < 0.6) did.bytes_read = did.bytes;
    did.wall_seconds = did.cpu_seconds;
    const auto id = t.add({"op" + std::to_string(i),
                           source ? form::source
                           : join ? form::structure
                                  : form::element,
                           inputs, cardinality::exactly(n), join ? 0.0 : 1.0, did});
    auto& row = t.operators.back();
    row.facts.keyed = real(0, 1) < 0.5;  // a cache of it is read by index, on all threads
    row.random = !source && real(0, 1) < 0.1;
    bool drawn = row.random;
    for (const auto from : inputs) drawn = drawn || t.operators[from - 1].facts.draws != pl::randomness::none;
    if (drawn) row.facts.draws = pl::randomness::seeded;
    t.part({id}, real(0, 1) < 0.3, real(0, 0.01), std::uint64_t{1} << 40);
    open.push_back(id);
  }
  return t;
}

double best_by_trying(const pl::demand& d, const pl::resources& have) {
  double best = 0;
  const auto n = d.sites.size();
  for (std::uint32_t set = 0; set != 1U << n; ++set) {
    std::vector<bool> cached(n);
    for (std::size_t c = 0; c != n; ++c) cached[c] = (set >> c & 1) != 0;
    const auto twice = [&](const auto& g) {
      return std::count_if(g.begin(), g.end(), [&](auto c) { return cached[c]; }) > 1;
    };
    if (std::any_of(d.groups.begin(), d.groups.end(), twice)) continue;
    const auto all = pl::limits(d, have, cached);
    double bytes = 2 * d.root_bytes, most = all.front().rate;
    for (std::size_t c = 0; c != n; ++c) bytes += cached[c] ? d.sites[c].bytes : 0;
    if (bytes <= have.memory) best = std::max(best, most);
  }
  return best;
}

}  // namespace

TEST_CASE("program: Plumber's published bound of its traced pipeline", "[data]") {
  const auto file = reference("plumber_trace.json");
  if (file.is_null()) return;
  const auto a = pl::allocate(demand_at(trace_of(file), 0), {.cores = file["derived_not_published"]["num_cores"]});
  CHECK(a.rate == Approx(double(file["derived_not_published"]["LP_rate_analytic"])).epsilon(1e-9));
}

TEST_CASE("program: section 4.1's numbers, 30 minibatches a second are 15 cores and 450 MB/s") {
  made_trace t(10, 16);
  t.add({"read", form::source, {}, {}, 0, {.completions = 100, .bytes_read = 1'500'000'000}});
  t.add({"decode", form::element, {1}, {}, 1, {.completions = 100, .bytes = 1, .cpu_seconds = 50}});
  t.part({1}, true);
  t.part({2}, false);
  const auto d = demand_at(t, 0);
  const pl::resources have{.cores = 64, .disk = pl::disk_curve::flat(2e9)};
  const auto a = pl::allocate(d, have, {.rate = 30});
  CHECK(a.feasible);
  CHECK(a.cores[1] == Approx(15));
  CHECK(a.bytes_per_second == Approx(450e6));
  CHECK(pl::allocate(d, {.cores = 15, .disk = pl::disk_curve::flat(2e9)}).rate == Approx(30));
  CHECK(pl::allocate(d, {.cores = 64, .disk = pl::disk_curve::flat(450e6)}).rate == Approx(30));
  CHECK(!pl::allocate(d, {.cores = 14}, {.rate = 30}).feasible);
  const auto limits = pl::limits(d, {.cores = 15, .disk = pl::disk_curve::flat(600e6)}, {});
  CHECK(limits[0].text == "15 cores");
  CHECK(limits[0].rate == Approx(30));
  CHECK(limits[1].text == "600 MB/s of the disk");
  CHECK(limits[1].rate == Approx(40));
}

TEST_CASE("program: the consumer's calls are serial, and take a core of the machine") {
  made_trace t(10, 2);
  t.add({"lines", form::source, {}, {}, 0, {.completions = 1000, .cpu_seconds = 1}});
  t.add({"map", form::element, {1}, {}, 1, {.completions = 1000, .cpu_seconds = 3}});
  t.part({1}, true);
  t.parts.back().blocks = true;
  t.part({2}, false, 1, 100);
  const auto at = [&](double consumer, const pl::resources& have) {
    t.consumer_seconds = consumer;
    const auto d = demand_at(t, 0);
    const auto least = pl::limits(d, have, {}).front();
    CHECK(pl::allocate(d, have).rate == Approx(least.rate));
    return least;
  };
  CHECK(at(0, {.cores = 2}).rate == Approx(400));  // 5 ms, of which 1 ms is the executor's
  CHECK(at(3, {.cores = 2}).rate == Approx(250));
  CHECK(at(3, {.cores = 2, .all_cores = 8}).rate == Approx(1000 / 3.0));
  CHECK(at(1, {.cores = 1, .all_cores = 8}).rate == Approx(250));
  CHECK(at(1, {.cores = 1, .all_cores = 8}).text == "1 compute threads");
  CHECK(at(8, {.cores = 8}).rate == Approx(125));
  CHECK(at(8, {.cores = 8}).kind == pl::limit_kind::consumer);
  CHECK(at(8, {.cores = 8}).text == "the consumer's next(): serial; batch more");
}

TEST_CASE("program: the disk's curve, and the fewest reads at a time that reach its maximum") {
  const auto curve = pl::disk_curve::fit({{1, 50e6}, {2, 100e6}, {4, 150e6}, {8, 170e6}, {16, 165e6}, {32, 170e6}});
  CHECK(curve.corners == std::vector<pl::disk_curve::point>{{0, 0}, {2, 100e6}, {4, 150e6}, {8, 170e6}});
  CHECK(curve.at(1) == Approx(50e6));
  CHECK(curve.at(3) == Approx(125e6));
  CHECK(curve.at(64) == Approx(170e6));
  CHECK(curve.least_reads(150e6) == Approx(4));
  CHECK(curve.least_reads(1e9) == Approx(8));
  CHECK(curve.measured.size() == 6);
  CHECK(curve.measured[4] == pl::disk_curve::point{16, 165e6});
  // the same curve under a limit
  CHECK(curve.at_most(1e9) == curve);
  CHECK(curve.at_most(150e6).corners == std::vector<pl::disk_curve::point>{{0, 0}, {2, 100e6}, {4, 150e6}});
  CHECK(curve.at_most(25e6).corners == std::vector<pl::disk_curve::point>{{0, 0}, {0.5, 25e6}});
  CHECK(curve.at_most(25e6).measured == curve.measured);
  CHECK(pl::disk_curve{}.at_most(3e6).at(1) == 3e6);
  CHECK(pl::disk_curve::flat(5e6).at_most(3e6).most() == 3e6);
  CHECK_THROWS_WITH(pl::disk_curve::fit({{1, 0}}), Catch::Contains("both must be positive numbers"));
  made_trace t(10, 4);
  t.add({"read", form::element, {}, {}, 0, {.completions = 100, .bytes_read = 1'000'000'000, .cpu_seconds = 1}});
  t.operators[0].how = form::source;
  t.part({1}, false);
  const auto d = demand_at(t, 0);
  const auto few = pl::allocate(d, {.cores = 4, .io_threads = 3, .disk = curve});
  CHECK(few.rate == Approx(12.5));
  const auto many = pl::allocate(d, {.cores = 4, .io_threads = 64, .disk = curve});
  CHECK(many.rate == Approx(17));
  CHECK(many.reads == Approx(8));
}

TEST_CASE("program: the best of all choices of caches, on trees") {
  std::mt19937_64 random(3);
  int with_caches = 0, forked = 0;
  std::vector<double> took;
  for (int trial = 0; trial != 300; ++trial) {
    auto t = random_tree(random, 4 + trial % 7);
    if (trial % 3 == 0) t.consumer_seconds = std::uniform_real_distribution<>(0, 20)(random);
    const double memory = std::exp(std::uniform_real_distribution<>(9, 17)(random));
    const auto d = demand_at(t, memory);
    const pl::resources have{.cores = double(1 + trial % 16),
                             .all_cores = trial % 5 == 0 ? double(4 + trial % 16) : 0.0,
                             .memory = memory,
                             .disk = trial % 2 == 0 ? pl::disk_curve{} : pl::disk_curve::flat(2e5)};
    const auto start = std::chrono::steady_clock::now();
    const auto a = pl::allocate(d, have);
    took.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const double best = best_by_trying(d, have);
    INFO("trial " << trial << ", " << d.sites.size() << " sites");
    CHECK(a.rate == Approx(best).epsilon(2e-3));
    CHECK(a.feasible == (best > 0));
    if (best == 0) continue;  // what is ready for the consumer does not fit
    const auto many = std::count(a.cached.begin(), a.cached.end(), true);
    with_caches += many > 0;
    forked += many > 1;
    // the same rate as a target costs no more than what was found
    const auto again = pl::allocate(d, have, {.rate = a.rate * 0.999});
    CHECK(again.feasible);
    CHECK(again.cost <= a.cost * (1 + 1e-6));
  }
  CHECK(with_caches > 100);
  CHECK(forked > 10);
  std::sort(took.begin(), took.end());
  CHECK(took[took.size() / 2] < 1e-3);
}

TEST_CASE("program: too little memory even without a cache is infeasible") {
  made_trace t(10, 4);
  t.add({"make", form::source, {}, {}, 0, {.completions = 100, .bytes = 100'000'000, .cpu_seconds = 1}});
  t.part({1}, false);
  CHECK(!pl::allocate(demand_at(t, 0), {.cores = 4, .memory = 1e6}).feasible);
}
