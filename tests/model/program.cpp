// The planner's linear program, compared with Plumber's figures and with every choice of caches tried one by one.
#include <catch2/catch.hpp>

#include <plumbline/model/in_flight.hpp>
#include <plumbline/model/planner.hpp>
#include <plumbline/model/program.hpp>
#include <plumbline/model/program_of.hpp>

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

/// Of what is in flight, only two minibatches for the consumer, which take memory however many threads work.
pl::demand only_output(pl::demand d) {
  d.segments = {{.output = true}};
  return d;
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

std::vector<std::uint32_t> all_sites(const pl::demand& d) {
  std::vector<std::uint32_t> all;
  for (const auto& s : d.sites) all.push_back(s.after);
  return all;
}

double best_by_trying(const pl::demand& d, const pl::resources& have) {
  double best = 0;
  const auto n = d.sites.size();
  for (std::uint32_t set = 0; set != 1U << n; ++set) {
    pl::kept_shares kept(n);
    for (std::size_t c = 0; c != n; ++c) kept[c] = (set >> c & 1) != 0 ? 1 : 0;
    const auto twice = [&](const auto& g) {
      return std::count_if(g.begin(), g.end(), [&](auto c) { return kept[c] > 0; }) > 1;
    };
    if (std::any_of(d.groups.begin(), d.groups.end(), twice)) continue;
    const auto all = pl::limits(d, have, kept);
    double bytes = 2 * d.root_bytes, most = all.front().rate;
    for (std::size_t c = 0; c != n; ++c) bytes += kept[c] * d.sites[c].bytes;
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

TEST_CASE("program: I/O threads use cores that compute threads do not") {
  pl::demand d;
  d.groups = {{}};
  d.bytes_read = {0};
  const double most = pl::detail::infinite;
  d.parts = {{.name = "fetch",
              .operators = {1},
              .blocks = true,
              .waits = true,
              .cores_most = most,
              .cpu = {0.1},
              .wall = {0.2}},
             {.name = "map", .operators = {2}, .cores_most = most, .cpu = {0.01}, .wall = {0.01}}};
  for (const pl::resources& have : {pl::resources{.cores = 1, .all_cores = 16}, pl::resources{.cores = 4},
                                    pl::resources{.cores = 1, .all_cores = 4, .io_threads = 2}}) {
    const auto a = pl::allocate(d, have);
    CHECK(a.rate == Approx(pl::limits(d, have, {}).front().rate));
    CHECK(a.at_once[0] == Approx(0.2 * a.rate));
  }
  // nothing has a price
  CHECK(pl::allocate(d, {.cores = 4},
                     {.price = {.core = 0, .gigabyte = 0, .gigabyte_per_second = 0, .gigabyte_on_disk = 0}})
            .rate == Approx(4 / 0.11));
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
    const auto d = only_output(demand_at(t, memory));
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
    const auto many = std::count(a.kept.begin(), a.kept.end(), 1.0);
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
  CHECK(took[took.size() / 2] < 0.02);
}

TEST_CASE("program: shares of caches, on trees") {
  std::mt19937_64 random(5);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  int between = 0, divided = 0, better = 0, priced = 0;
  for (int trial = 0; trial != 300; ++trial) {
    const auto t = random_tree(random, 4 + trial % 7);
    const double memory = std::exp(real(9, 17));
    const auto d = only_output(demand_at(t, 1e18));  // what does not fit as a whole may be kept in part
    const pl::resources have{.cores = double(1 + trial % 16),
                             .memory = memory,
                             .disk = trial % 2 == 0 ? pl::disk_curve{} : pl::disk_curve::flat(2e5)};
    const auto best = pl::allocate(d, have, {.share_sites = all_sites(d)});
    const double held = 2 * d.root_bytes;
    INFO("trial " << trial << ", " << d.sites.size() << " sites");
    REQUIRE(best.feasible == (held <= memory));
    if (!best.feasible) continue;
    // it is possible
    CHECK(best.memory <= memory * (1 + 1e-6) + 1e3);
    CHECK(best.rate == Approx(pl::limits(d, have, best.kept).front().rate));
    for (const auto& g : d.groups) {
      double on_path = 0;
      for (const auto c : g) on_path += best.kept[c];
      CHECK(on_path <= 1 + 1e-6);
    }
    // all or nothing is no better, and no other choice of shares is
    const auto whole = pl::allocate(only_output(demand_at(t, memory)), have);
    CHECK(best.rate >= whole.rate * (1 - 3e-3));
    better += best.rate > 1.05 * whole.rate;
    for (int k = 0; k != 200; ++k) {
      pl::kept_shares kept(d.sites.size());
      for (std::size_t c = 0; c != kept.size(); ++c) {
        kept[c] = real(0, 1) < 0.5 ? 0 : real(0, 1);
        if (d.sites[c].serial) kept[c] = kept[c] > 0 ? 1 : 0;
      }
      double bytes = held, most = 1;
      for (std::size_t c = 0; c != kept.size(); ++c) bytes += kept[c] * d.sites[c].bytes;
      for (const auto& g : d.groups) {
        double on_path = 0;
        for (const auto c : g) on_path += kept[c];
        most = std::max(most, on_path);
      }
      const bool serial = std::any_of(d.sites.begin(), d.sites.end(), [](const auto& s) { return s.serial; });
      if (bytes > memory || most > 1) {  // scaled down to what is possible
        if (serial) continue;
        const double room = std::max(0.0, (memory - held) / std::max(bytes - held, 1.0));
        for (auto& each : kept) each *= std::min(room, 1 / most);
      }
      const double rate = pl::limits(d, have, kept).front().rate;
      CHECK(rate <= best.rate * (1 + 3e-3));
    }
    // A minibatch's seconds are convex in the memory. So what 1 % of the memory saves at first, by the shadow price, is
    // at least what 1 % more saves, and at most what 1 % less costs; mostly the three are equal.
    if (std::none_of(d.sites.begin(), d.sites.end(), [](const auto& s) { return s.serial; })) {
      const auto solved = [&](double bytes) {
        auto other = have;
        other.memory = bytes;
        return pl::allocate(d, other, {.price = {0, 0, 0, 0}, .share_sites = all_sites(d)});
      };
      const auto here = solved(memory);
      const double saves = 0.01 * memory * here.rate_per_byte / (here.rate * here.rate);
      const double more = 1 / here.rate - 1 / solved(1.01 * memory).rate;
      CHECK(saves >= more - 1e-6 / here.rate);
      if (0.99 * memory > held) CHECK(saves <= 1 / solved(0.99 * memory).rate - 1 / here.rate + 1e-6 / here.rate);
      priced += more > 1e-4 / here.rate && saves == Approx(more).epsilon(1e-3);
      CHECK(here.rate_per_byte >= 0);
    }
    int parts = 0;
    for (const double each : best.kept) parts += each > 0.01 && each < 0.99;
    between += parts > 0;
    divided += parts > 1;
  }
  CHECK(between > 50);
  CHECK(divided > 10);
  CHECK(better > 20);
  CHECK(priced > 10);
}

TEST_CASE("program: shares of caches in memory and on disk, on trees") {
  std::mt19937_64 random(7);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  int both = 0, on_disk = 0, better = 0, limited = 0;
  std::vector<double> took;
  for (int trial = 0; trial != 300; ++trial) {
    const auto t = random_tree(random, 4 + trial % 7);
    const double memory = std::exp(real(9, 15)), speed = std::exp(real(12, 22));
    const auto curve = pl::disk_curve::fit({{1, speed}, {2, 1.8 * speed}, {4, 2.5 * speed}});
    const auto r = pl::rates(t);
    const auto places = pl::cache_sites(t, r, pl::sizes(t, {}), 1e18);
    std::vector<std::uint32_t> storable;
    for (const auto& row : t.operators)
      if (real(0, 1) < 0.8) storable.push_back(row.number);
    const auto d =
        only_output(pl::demand_of(t, r, places, {}, storable,
                                  {.seconds_each = 2e-7, .seconds_per_byte = 1e-10, .memory_each = 8, .disk_each = 8}));
    const pl::resources have{.cores = double(1 + trial % 16),
                             .all_cores = trial % 5 == 0 ? double(4 + trial % 16) : 0.0,
                             .memory = memory,
                             .disk = trial % 2 == 0 ? pl::disk_curve{} : pl::disk_curve::flat(2e5),
                             .for_caches = {.bytes = std::exp(real(9, 17)),
                                            .curve = trial % 3 == 0 ? pl::disk_curve{} : curve,
                                            .has_files = trial % 4 == 1}};
    const auto begin = std::chrono::steady_clock::now();
    const auto best = pl::allocate(d, have, {.share_sites = all_sites(d), .disk_sites = storable});
    took.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    const double held = 2 * d.root_bytes;
    INFO("trial " << trial << ", " << d.sites.size() << " sites");
    REQUIRE(best.feasible == (held <= memory));
    if (!best.feasible) continue;
    // it is possible
    const auto uses = [&](const pl::kept_shares& kept) {
      std::pair<double, double> bytes{held, 0};
      for (std::size_t c = 0; c != kept.size(); ++c) {
        bytes.first += kept[c] * d.sites[c].bytes;
        bytes.second += kept[c] * d.sites[c].disk_bytes;
      }
      return bytes;
    };
    const auto on_path = [&](const pl::kept_shares& kept) {
      double most = 0;
      for (const auto& g : d.groups) {
        double here = 0;
        for (const auto c : g) here += kept[c];
        most = std::max(most, here);
      }
      return most;
    };
    CHECK(uses(best.kept).first <= memory * (1 + 1e-6) + 1e3);
    CHECK(uses(best.kept).second == Approx(best.on_disk));
    CHECK(best.on_disk <= have.for_caches.bytes * (1 + 1e-6));
    CHECK(best.rate == Approx(pl::limits(d, have, best.kept).front().rate));
    CHECK(on_path(best.kept) <= 1 + 1e-6);
    // each element has one place at most
    const auto parts = pl::parts_of(d, best.kept);
    for (const auto& g : d.groups)
      for (const auto a : g)
        for (const auto b : g)
          if (a < b && parts[a].size() > 1e-9 && parts[b].size() > 1e-9)
            CHECK((parts[a].to <= parts[b].from + 1e-9 || parts[b].to <= parts[a].from + 1e-9));
    // no worse than memory alone, nor than any other choice of shares
    const auto memory_alone =
        pl::allocate(only_output(pl::demand_of(t, r, places)), have, {.share_sites = all_sites(d)});
    CHECK(best.rate >= memory_alone.rate * (1 - 3e-3));
    better += best.rate > 1.05 * memory_alone.rate;
    for (int k = 0; k != 200; ++k) {
      pl::kept_shares kept(d.sites.size());
      for (std::size_t c = 0; c != kept.size(); ++c) {
        kept[c] = real(0, 1) < 0.5 ? 0 : real(0, 1);
        if (d.sites[c].serial) kept[c] = kept[c] > 0 ? 1 : 0;
      }
      const auto [bytes, stored] = uses(kept);
      const double most = std::max(1.0, on_path(kept));
      if (bytes > memory || stored > have.for_caches.bytes || most > 1) {  // scaled down to what is possible
        if (std::any_of(d.sites.begin(), d.sites.end(), [](const auto& s) { return s.serial; })) continue;
        const double room = std::max(0.0, (memory - held) / std::max(bytes - held, 1.0)),
                     disk = have.for_caches.bytes / std::max(stored, 1.0);
        for (auto& each : kept) each *= std::min({room, disk, 1 / most});
      }
      CHECK(pl::limits(d, have, kept).front().rate <= best.rate * (1 + 3e-3));
    }
    CHECK(best.proven);
    bool of_memory = false, of_disk = false;
    for (std::size_t c = 0; c != parts.size(); ++c)
      if (best.kept[c] > 0.01) (d.sites[c].on_disk() ? of_disk : of_memory) = true;
    on_disk += of_disk;
    both += of_disk && of_memory;
    const auto least = pl::limits(d, have, best.kept).front().kind;
    limited += least == pl::limit_kind::cache_disk || least == pl::limit_kind::shared_disk;
  }
  CHECK(on_disk > 100);
  CHECK(both > 50);
  CHECK(better > 50);
  CHECK(limited > 3);
  std::sort(took.begin(), took.end());
  CHECK(took[took.size() / 2] < 0.1);
}

TEST_CASE("program: every solution of the planner's program is proven") {
  namespace lp = pl::lp;
  std::mt19937_64 random(11);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  int optimal = 0, infeasible = 0, trees = 0, in_part = 0, on_disk = 0, read_limits = 0, of_prices = 0, branches = 0;
  const auto holds = [&](const lp::problem& p, const lp::solution& s) {
    optimal += s.status == lp::status::optimal;
    infeasible += s.status == lp::status::infeasible;
    trees += !s.tree.empty();
    const auto found = lp::verify(p, s);
    INFO(lp::name_of(s.status) << ", the proof is off by " << found.measured.worst());
    CHECK(found.holds);
    if (s.status != lp::status::optimal) return;
    const auto fails = [&](auto damage) {  // the verifier sees what is wrong by 1e-4
      auto bad = s;
      damage(bad);
      return !lp::verify(p, bad).holds;
    };
    const bool of_rate = p.variables[0].cost > 0 && s.x[0] > 0;
    if (of_rate) CHECK(fails([](auto& b) { b.x[0] *= 1 + 1e-4; }));
    if (of_rate) CHECK(fails([](auto& b) { b.x[0] *= 1 - 1e-4; }));
    const bool priced = std::any_of(s.duals.begin(), s.duals.end(), [](double y) { return y != 0; });
    if (s.tree.empty() && priced)
      CHECK(fails([](auto& b) {
        for (auto& y : b.duals) y *= 1 + 1e-4;
      }));
    for (std::size_t n = 0; n != s.tree.size(); ++n)
      branches += fails([&](auto& b) {
        for (auto& y : b.tree[n].multipliers) y *= 1 + 1e-2;
      });
  };
  for (int trial = 0; trial != 400; ++trial) {
    auto t = random_tree(random, 4 + trial % 7);
    for (auto& part : t.parts) part.blocks = real(0, 1) < 0.3;
    const auto r = pl::rates(t);
    const double memory = std::exp(real(9, 17)), speed = std::exp(real(12, 22));
    const auto curve = pl::disk_curve::fit({{1, speed}, {2, 1.8 * speed}, {4, 2.5 * speed}});
    const bool shares = trial % 4 != 0, disk = trial % 4 >= 2, limited = trial % 3 == 1;
    std::vector<std::uint32_t> storable;
    for (const auto& row : t.operators)
      if (disk && real(0, 1) < 0.8) storable.push_back(row.number);
    const auto d = pl::demand_of(t, r, pl::cache_sites(t, r, pl::sizes(t, {}), shares ? 1e18 : memory), {}, storable);
    pl::resources have{.cores = double(1 + trial % 16),
                       .all_cores = trial % 5 == 0 ? double(4 + trial % 16) : 0.0,
                       .memory = memory,
                       .disk = limited          ? curve.at_most(std::exp(real(8, 14)))
                               : trial % 3 == 0 ? pl::disk_curve{}
                                                : curve};
    if (disk) have.for_caches = {.bytes = std::exp(real(9, 17)), .curve = curve, .has_files = trial % 7 == 0};
    pl::goal want{.disk_sites = storable};
    if (shares) want.share_sites = all_sites(d);
    INFO("trial " << trial << ", " << d.sites.size() << " sites");
    lp::basis last, lasts;
    double most = 0;
    for (const double part : {0.0, 0.9, 1.2}) {  // the highest rate; then a rate at the lowest cost, or out of reach
      if (part > 0 && most == 0) break;
      want.rate = part * most;
      pl::detail::program_columns at;
      pl::detail::byte_prices each_byte;
      const auto p = pl::program_to_solve(d, have, want, at, each_byte);
      const auto s = lp::solve(p, {.keep_tree = true});
      holds(p, s);
      if (last.rows.size() == p.rows.size()) holds(p, lp::solve(p, {.keep_tree = true}, last));  // as allocate() does
      last = s.basis;
      if (shares && part == 0) {  // the program whose duals are the shadow prices
        pl::detail::program_columns its;
        const auto priced = pl::program_of(d, have, want, its, pl::detail::rate_above_shares(d, have), true);
        holds(priced, lp::solve(priced, {.keep_tree = true}));
        of_prices += each_byte.memory > 0 || each_byte.disk > 0;
      }
      // what allocate() returns is that solution
      const auto a = pl::allocate(d, have, want, &lasts);
      if (!at.fits || s.status != lp::status::optimal) {
        CHECK(!a.feasible);
        continue;
      }
      CHECK(a.rate <= s.x[0] * (1 + 1e-9));
      for (std::size_t c = 0; c != a.kept.size(); ++c) in_part += a.kept[c] > 0.01 && a.kept[c] < 0.99;
      on_disk += a.on_disk > 0;
      read_limits += limited && a.bytes_per_second > 0.99 * have.disk.most();
      if (part == 0) most = a.rate;
    }
  }
  CHECK(optimal > 1000);
  CHECK(infeasible > 100);
  CHECK(trees > 100);
  CHECK(in_part > 100);
  CHECK(on_disk > 40);
  CHECK(read_limits > 10);
  CHECK(of_prices > 50);
  CHECK(branches > 100);
}

TEST_CASE("program: a disk that holds what memory does not") {
  // Of 100 elements of 10 bytes, each takes a second to make; there is one core.
  made_trace t(10, 1);
  t.add({"make", form::source, {}, {}, 0, {.completions = 100, .bytes = 1000, .cpu_seconds = 100}});
  t.operators[0].facts.count = pl::cardinality::exactly(100);
  t.operators[0].facts.keyed = true;
  t.part({1}, false);
  const auto r = pl::rates(t);
  auto d = pl::demand_of(t, r, pl::cache_sites(t, r, pl::sizes(t, {}), 1e18), {}, {1});
  REQUIRE(d.sites.size() == 2);
  CHECK(!d.sites[0].on_disk());
  REQUIRE(d.sites[1].on_disk());
  CHECK(d.sites[1].disk_read == Approx(10));
  CHECK(d.sites[1].bytes == Approx(100 * pl::disk_replay_cost{}.memory_each));
  CHECK(d.sites[1].disk_bytes == Approx(1000 + 100 * pl::disk_replay_cost{}.disk_each));
  d.sites[0].replay_seconds = 0;
  d.sites[1].replay_seconds = 0.1;
  d.sites[1].bytes = 0;
  d.sites[1].disk_bytes = 1000;
  for (auto& p : d.parts) p.message_bytes = 0;
  d.root_bytes = 0;
  const auto at = [&](double memory, double disk, pl::disk_curve curve = {}) {
    return pl::allocate(d, {.cores = 1, .memory = memory, .for_caches = {.bytes = disk, .curve = std::move(curve)}},
                        {.share_sites = {1}, .disk_sites = {1}});
  };
  const auto some = at(200, 300);
  CHECK(some.kept[0] == Approx(0.2));
  CHECK(some.kept[1] == Approx(0.3));
  CHECK(some.on_disk == Approx(300));
  CHECK(some.rate == Approx(1 / (0.5 + 0.03)));
  CHECK(some.rate_per_byte == Approx(some.rate * some.rate / 1000));  // 1 / rate = 1 - memory / 1000 - 0.9 disk / 1000
  CHECK(some.rate_per_byte_on_disk == Approx(some.rate * some.rate * 0.9 / 1000));
  CHECK(at(200, 1e6).kept[1] == Approx(0.8));
  CHECK(at(1000, 1e6).kept[1] == Approx(0).margin(1e-6));
  CHECK(at(200, 0).kept[1] == Approx(0).margin(1e-6));
  // 20 bytes a second: the thread reads for half a second for each element, instead of computing
  const auto slow = at(0, 1e6, pl::disk_curve::fit({{1, 20}}));
  CHECK(slow.kept[1] == Approx(1));
  CHECK(slow.rate == Approx(1 / (0.1 + 0.5)));
  // 8 bytes a second: making one is faster, 1 s, than reading it, 1.25 s
  CHECK(at(0, 1e6, pl::disk_curve::fit({{1, 8}})).kept[1] == Approx(0).margin(1e-6));
  // the same on the disk of the files, which I/O threads do not read now: the compute thread reads all the same
  d.reads_most = 0;
  const auto shared = pl::allocate(d,
                                   {.cores = 1,
                                    .memory = 0,
                                    .disk = pl::disk_curve::fit({{1, 20}}),
                                    .for_caches = {.bytes = 1e6, .has_files = true}},
                                   {.share_sites = {1}, .disk_sites = {1}});
  CHECK(shared.kept[1] == Approx(1));
  CHECK(shared.rate == Approx(1 / (0.1 + 0.5)));
}

TEST_CASE("program: two caches divide the elements") {
  // Of 100 elements, each is kept as a file of 1 byte, or decoded in a second as 10 bytes; there is one core.
  made_trace t(10, 1);
  t.add({"read", form::source, {}, {}, 0, {.completions = 100, .bytes = 100, .bytes_read = 100, .cpu_seconds = 0}});
  t.add({"decode",
         form::element,
         {1},
         pl::cardinality::exactly(100),
         1,
         {.completions = 100, .bytes = 1000, .cpu_seconds = 100}});
  t.operators[0].facts.count = pl::cardinality::exactly(100);
  for (auto& row : t.operators) row.facts.keyed = true;
  t.part({1}, false);
  t.part({2}, false);
  auto d = demand_at(t, 1e18);
  REQUIRE(d.sites.size() == 2);
  for (auto& s : d.sites) s.replay_seconds = 0;
  for (auto& p : d.parts) p.message_bytes = 0;
  d.root_bytes = 0;
  // storage gives 2 elements a second, the core 1: no files need be kept, and each decoded one saves a second
  const auto at = [&](double memory, double bandwidth) {
    return pl::allocate(d, {.cores = 1, .memory = memory, .disk = pl::disk_curve::flat(bandwidth)},
                        {.share_sites = all_sites(d)});
  };
  CHECK(at(500, 2).rate == Approx(2));
  CHECK(at(500, 2).kept[0] == Approx(0).margin(1e-6));
  CHECK(at(500, 2).kept[1] == Approx(0.5));
  CHECK(at(500, 2).rate_per_byte == Approx(2 * 2 / 1000.0));  // of 1 / (1 - bytes / 1000)
  // storage gives half an element a second: with shares f and d, 1 / rate = max(2 (1 - f - d), 1 - d)
  const auto both = at(550, 0.5);
  CHECK(both.kept[1] == Approx(5 / 9.5));  // f = (1 - d) / 2 and f + 10 d = 5.5
  CHECK(both.kept[0] == Approx((1 - 5 / 9.5) / 2));
  const auto some = at(190, 0.5);
  CHECK(some.kept[1] == Approx(1.4 / 9.5));
  CHECK(some.kept[0] == Approx((1 - 1.4 / 9.5) / 2));
  CHECK(some.rate == Approx(1 / (1 - 1.4 / 9.5)));
  CHECK(some.rate_per_byte == Approx(some.rate * some.rate / 950));  // d = (bytes - 50) / 950
  CHECK(at(2000, 0.5).rate_per_byte == Approx(0).margin(1e-9));
  CHECK(some.rate_per_byte_on_disk == 0);
}

TEST_CASE("program: messages in flight, for each thread that computes and for each that waits") {
  // 1 MB, for which a thread waits 0.1 s and computes 1 ms; with a stage, half of it is left; then one thread takes it
  const auto trace_with = [](bool stage) {
    made_trace t(10, 2);
    const auto add = [&](form how, std::uint64_t bytes, double cpu, double wall) {
      const auto before = static_cast<std::uint32_t>(t.operators.size());
      std::vector<std::uint32_t> inputs;
      if (before != 0) inputs = {before};
      t.add({"op" + std::to_string(before), how, inputs, {}, 0, {.completions = 1000, .bytes = 1000 * bytes}});
      t.counters.back().cpu_seconds = cpu, t.counters.back().wall_seconds = wall;
      t.part({before + 1}, how == form::serial, 0, 1000);
      t.parts.back().blocks = before == 0;
    };
    add(form::source, 1'000'000, 1, 100);
    if (stage) add(form::element, 500'000, 0.01, 0.01);
    add(form::serial, 8, 0.01, 0.01);
    return t;
  };
  const auto t = trace_with(false);
  const auto d = demand_at(t, 0);
  REQUIRE(d.segments.size() == 2);
  CHECK(!d.segments[0].output);
  CHECK(d.segments[1].output);
  CHECK(pl::in_flight(d, 2, 10, 2) == Approx((2 * 2 + 2 + 2 * 10) * 1e6 + 2 * 8));
  CHECK(pl::in_flight(d, 0, 0, 4) == Approx(2 * 1e6 + 4 * 8));
  const auto at = [&](double memory) { return pl::allocate(d, {.cores = 8, .memory = memory, .io_threads = 64}); };
  CHECK(at(1e9).rate == Approx(640));
  const auto some = at(50e6);  // (2 + 2 x 24) x 1 MB, the computing thread's share with it
  CHECK(some.rate == Approx(240).epsilon(0.02));
  CHECK(some.memory <= 50e6 * (1 + 1e-6));
  CHECK(!at(5e6).feasible);
  const pl::goal no_caches{.cache_sites = std::vector<std::uint32_t>{}};
  for (const double memory : {1e9, 50e6, 20e6, 10e6}) {
    const auto made = pl::make_plan(t, {.cores = 8, .memory = memory, .io_threads = 64}, no_caches).best;
    CHECK(made.memory <= memory);
    CHECK(made.memory ==
          Approx(pl::in_flight(d, double(made.threads), double(made.io_threads), double(made.prefetch))));
    CHECK(made.io_threads == made.parts[0].parallelism);
  }
  // a buffer whose size is stated does not depend on the threads
  auto stated = t;
  stated.operators[1].buffers = 7;
  CHECK(pl::in_flight(demand_at(stated, 0), 2, 10, 2) == Approx(7 * 1e6 + 2 * 8));
  // a stage in the same segment: a message is what it takes or what it makes, and both while it is worked on
  const auto two = demand_at(trace_with(true), 0);
  REQUIRE(two.segments.size() == 2);
  CHECK(two.segments[0].parts.size() == 2);
  CHECK(pl::in_flight(two, 2, 10, 2) == Approx((2 * 2 + 2 + 2 * 10) * 1e6 + 2 * 0.5e6 + 2 * 8));
}

TEST_CASE("program: too little memory even without a cache is infeasible") {
  made_trace t(10, 4);
  t.add({"make", form::source, {}, {}, 0, {.completions = 100, .bytes = 100'000'000, .cpu_seconds = 1}});
  t.part({1}, false);
  CHECK(!pl::allocate(demand_at(t, 0), {.cores = 4, .memory = 1e6}).feasible);
}
