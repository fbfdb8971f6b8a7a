// Functions that wait: on I/O threads if stated or planned, recognised by their wall and processor time.
#include <algorithm>
#include <mutex>
#include <set>
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>
#include <thread>

#include <plumbline/model/planner.hpp>
#include <plumbline/tune.hpp>

#include <model/traces.hpp>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto slow = [](std::int64_t x) {
  std::this_thread::sleep_for(5ms);
  return x + 1;
};
/// The most calls of its function at once.
class crowd {
 public:
  auto counted() {
    return [this](std::int64_t x) {
      const int now = ++here_;
      for (int most = most_; most < now && !most_.compare_exchange_weak(most, now);) {
      }
      std::this_thread::sleep_for(5ms);
      --here_;
      return x;
    };
  }
  int most() const { return most_; }

 private:
  std::atomic<int> here_{0}, most_{0};
};
}  // namespace

TEST_CASE("waiting: map(blocking(f)) is map(f), on I/O threads") {
  const auto waits = pl::range(40) | pl::map(pl::blocking(square));
  static_assert(pl::facts_of<decltype(waits)>.blocking && pl::facts_of<decltype(waits)>.indexed);
  static_assert(pl::partition_of<std::remove_const_t<decltype(waits)>>.parts[1].blocks);
  op_laws(waits);
  op_laws(pl::range(90) | pl::map(square) | pl::map(pl::blocking(square)).named("ask") | pl::map(square) |
          pl::batch(7));
  op_laws(serial(90) | pl::map(pl::blocking([](std::int64_t x, pl::rng& r) {
            return x + static_cast<std::int64_t>(r.below(1000));
          })) |
          pl::shuffle(9, 1));
  crowd all;
  auto s = pl::run(pl::range(60) | pl::map(pl::blocking(all.counted())), {.threads = 1, .io_threads = 12});
  while (s.next()) {
  }
  CHECK(all.most() > 3);
  CHECK(all.most() <= 12);
}

TEST_CASE("waiting: on_io_threads runs an operator's stage on I/O threads") {
  const watchdog guard("on_io_threads");
  const auto p = pl::range(60) | pl::map(square).named("first") | pl::batch(4);
  for (const std::string which : {"first", "2"}) {
    auto s = pl::run(p, {.threads = 2, .on_io_threads = {which}});
    CHECK(drained(s) == reference_texts(p, {0, 0}));
    const auto parts = s.parts();
    CHECK(std::count_if(parts.begin(), parts.end(), [](const auto& part) { return part.blocks; }) == 1);
  }
  crowd all;
  auto s = pl::run(pl::range(80) | pl::map(square) | pl::map(all.counted()),
                   {.threads = 1, .parallelism = {{"3", 6}}, .io_threads = 12, .on_io_threads = {"3"}});
  while (s.next()) {
  }
  CHECK(all.most() > 2);
  CHECK(all.most() <= 6);
  // a serial part
  auto alone = pl::run(serial(30) | pl::filter([](std::int64_t x) { return x % 3 != 0; }) | pl::take(9),
                       {.threads = 2, .on_io_threads = {"take", "generate"}});
  CHECK(drained(alone).size() == 9);
  CHECK_THROWS_WITH(pl::run(p, {.on_io_threads = {"last"}}),
                    "plumbline: run: on_io_threads names \"last\": this pipeline has no such operator; it has 1 range, "
                    "2 first, 3 batch");
  CHECK_THROWS_WITH(pl::run(pl::range(9) | pl::shuffle(1) | pl::map(square), {.on_io_threads = {"shuffle"}}),
                    "plumbline: run: on_io_threads names \"shuffle\": this operator only changes indices "
                    "and runs no code; leave it out");
  CHECK_THROWS_WITH(pl::run(p, {.on_io_threads = {"map(lambda)"}}),
                    Contains("3 batch; give the number that explain shows, or a name of its own with named()"));
  // without threads it has no effect
  auto none = pl::run(p, {.threads = 0, .on_io_threads = {"2"}});
  CHECK(drained(none) == reference_texts(p, {0, 0}));
}

namespace {
/// 1000 elements: `decode` computes 1 ms each, `ask` waits 9 of 10 ms.
made_trace asking(bool with_reads) {
  made_trace t(10, 2);
  t.add({"numbers", pl::form::source, {}, pl::cardinality::exactly(1000), 0, {.completions = 1000}});
  std::uint32_t last = 1;
  if (with_reads) {
    last = t.add(
        {"read",
         pl::form::element,
         {1},
         pl::cardinality::exactly(1000),
         1,
         {.completions = 1000, .bytes = 1'000'000, .bytes_read = 1'000'000, .cpu_seconds = 0.1, .wall_seconds = 2}});
    t.part({last}, false);
    t.parts.back().blocks = true;
    t.operators.back().blocking = true;
  }
  const auto decode = t.add({"decode",
                             pl::form::element,
                             {last},
                             pl::cardinality::exactly(1000),
                             1,
                             {.completions = 1000, .cpu_seconds = 1, .wall_seconds = 1.1}});
  const auto ask = t.add({"ask",
                          pl::form::element,
                          {decode},
                          pl::cardinality::exactly(1000),
                          1,
                          {.completions = 1000, .cpu_seconds = 1, .wall_seconds = 10}});
  t.part({decode, ask}, false);
  return t;
}
}  // namespace

TEST_CASE("waiting: a plan gives a part that waits I/O threads by its wall time, and cores by its processor time") {
  const auto made = pl::make_plan(asking(false), {.cores = 2, .io_threads = 64});
  REQUIRE(made.rates.parts.size() == 1);
  CHECK(made.rates.parts[0].waits);
  CHECK(made.best.parts[0].blocks);
  CHECK(made.best.rate == Approx(1000));  // 2 ms of processor time each on two cores
  CHECK(made.best.bottleneck == "2 cores");
  // 11.1 of them at once, and the square root
  CHECK(made.best.parts[0].parallelism == 15);
  CHECK(made.best.io_threads == 15);
  const auto few = pl::make_plan(asking(false), {.cores = 2, .io_threads = 4});
  CHECK(few.best.rate == Approx(4 / 11.1e-3));
  CHECK_THAT(few.best.bottleneck, Contains("4 "));
  CHECK(few.best.parts[0].parallelism == 4);
}

TEST_CASE("waiting: reads from a disk and other waiting share the I/O threads") {
  pl::disk_curve disk;
  disk.corners = {{0, 0}, {4, 4e5}};
  const auto made = pl::make_plan(asking(true), {.cores = 64, .io_threads = 64, .disk = disk},
                                  {.cache_sites = std::vector<std::uint32_t>{}});
  REQUIRE(made.best.parts.size() == 2);
  CHECK(made.best.rate == Approx(400));  // 1 KB each
  CHECK(made.best.parts[0].parallelism == 4);
  CHECK(made.best.parts[1].parallelism == 7);  // 400 x 11.1 ms = 4.44 at once
  CHECK(made.best.io_threads == 11);
}

TEST_CASE("waiting: time without a core is not waiting") {
  made_trace t(10, 2);
  t.add({"numbers", pl::form::source, {}, pl::cardinality::exactly(1000), 0, {.completions = 1000}});
  t.add({"decode",
         pl::form::element,
         {1},
         pl::cardinality::exactly(1000),
         1,
         {.completions = 1000, .cpu_seconds = 5, .wall_seconds = 15}});
  t.part({2}, false);
  CHECK(pl::rates(t).parts[0].waits);
  t.run_delay_seconds = 8;  // other processes took turns with it
  CHECK_FALSE(pl::rates(t).parts[0].waits);
}

TEST_CASE("waiting: a cache over a part that waits is filled with all I/O threads") {
  auto t = asking(false);
  t.counters[2].bytes = 1'000'000;
  const auto made = pl::make_plan(t, {.cores = 2, .memory = 1e9, .io_threads = 64});
  REQUIRE(made.best.caches == std::vector<std::uint32_t>{3});
  CHECK(made.best.parts[0].waits);
  CHECK(made.best.parts[0].parallelism == 64);
  CHECK(pl::options_of(made.best).io_threads == 64);
  CHECK(pl::options_of(made.best, {.io_threads = 7}).io_threads == 7);
  pl::tuning shown{};
  shown.seen = t;
  shown.made = made;
  CHECK_THAT(pl::explain(shown).text,
             Contains("I/O threads; state that with map(blocking(f)), in the epoch that fills"));
  const auto off = pl::make_plan(t, {.cores = 2, .memory = 1e9}, {.cache_sites = std::vector<std::uint32_t>{}});
  CHECK_THAT(off.sites[2].reason, Contains("caches are off"));
}

TEST_CASE("waiting: a serial part that waits limits the rate by its wall time") {
  made_trace t(10, 2);
  t.add({"service",
         pl::form::source,
         {},
         pl::cardinality::exactly(1000),
         0,
         {.completions = 1000, .cpu_seconds = 0.5, .wall_seconds = 10}});
  t.part({1}, true);
  const auto made = pl::make_plan(t, {.cores = 2});
  CHECK(made.best.rate == Approx(100));
  CHECK(made.best.bottleneck == "service: serial, and waits");
}

TEST_CASE("waiting: optimize finds a map that sleeps, and gives it I/O threads") {
  const watchdog guard("optimize: a map that sleeps");
  const auto p = pl::range(1 << 20) | pl::map(square) | pl::map(slow) | pl::batch(4);
  pl::optimize_options o;
  o.run.threads = 2;
  o.seconds = 1;
  o.caches = false;
  o.progress = [](const std::string&) {};
  auto tuned = pl::optimize(p, o);
  const auto& parts = tuned.plan().parts;
  const auto waits = std::find_if(parts.begin(), parts.end(), [](const auto& part) { return part.blocks; });
  REQUIRE(waits != parts.end());
  CHECK(waits->parallelism > 4);
  CHECK_THAT(pl::explain(tuned).text, Contains("(operator 3) waits ") && Contains(" I/O threads"));
  const auto& tried = tuned.why().attempts;
  CHECK(tried[tuned.why().kept].observed > 1.5 * tried[0].observed);  // about 30 times
  CHECK(tuned.next().has_value());
  // the plan, saved and loaded, runs the same way
  auto again = pl::run(p, tuned.plan());
  const auto built = again.parts();
  CHECK(std::any_of(built.begin(), built.end(), [](const auto& part) { return part.blocks; }));
}

TEST_CASE("waiting: on_io_threads that the user stated is never overridden") {
  const pl::plan made{.pipeline = {},
                      .threads = 2,
                      .io_threads = 5,
                      .parts = {{.operators = {2, 3}, .blocks = true, .waits = true, .parallelism = 5, .cores = 1}}};
  CHECK(pl::options_of(made).on_io_threads == std::vector<std::string>{"2", "3"});
  CHECK(pl::options_of(made, {.on_io_threads = {"7"}}).on_io_threads == std::vector<std::string>{"7"});
}
