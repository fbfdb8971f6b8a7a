// The decisions of optimize, from given traces and rates (decided.hpp).
#include <support/streams.hpp>
#include <tune/decided.hpp>

#include <plumbline/model/plan_caches.hpp>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {
using numbers = std::vector<std::uint32_t>;
constexpr double us = 1e-6;

const auto plus_one = [](std::int64_t x) { return x + 1; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return 10 * x + static_cast<std::int64_t>(r.below(1'000'000)); };
const auto many = [](std::int64_t x) { return std::vector<std::int64_t>(1000, x); };
const auto one = [](const std::vector<std::int64_t>& v, pl::rng& r) { return jitter(v.back(), r); };
}  // namespace

TEST_CASE("decisions: a cache where it saves most and fits, and why not elsewhere") {
  const auto p = pl::range(200) | pl::shuffle(3) | pl::map(many) | pl::map(one) | pl::batch(20);
  const std::vector<double> each{0, 0, 200 * us, us, us};
  auto runs = trials_of(p);
  runs.will_run(500, trace_of(p, each));
  runs.will_run(9000, trace_of(as_planned<3>(p), {0, 0, 200 * us, us, us, us}, true));
  const auto why = runs.decide(two_cores());
  CHECK(why.made.best.caches == numbers{3});
  CHECK(why.attempts.size() == 2);
  CHECK(why.kept == 1);
  CHECK(why.attempts[1].predicted > 3 * 2 / (200 * us * 20));  // two cores, 20 elements per minibatch
  CHECK_THAT(pl::explain(why).text, Contains("HERE: 1.6 MB") && Contains("random since operator 4") &&
                                        Contains("<- kept") && Contains("bottleneck"));
  CHECK(why.made.share.proven);
  // all is kept already: more memory adds nothing
  CHECK(*why.made.gain_of_a_gigabyte == Approx(0).margin(1e-6));
  CHECK_THAT(pl::explain(why).text, Contains("one GB more for caches adds nothing\n") && !Contains("did not prove"));
  // whole caches, with and without enough memory
  auto whole = two_cores();
  whole.shares = false;
  whole.memory = 1e6;
  const auto few = planned(p, each, whole);
  CHECK(few.made.best.caches.empty());
  CHECK(1 + *few.made.gain_of_a_gigabyte == Approx(why.made.share.rate / few.made.share.rate));
  whole.caches = false;
  CHECK(!planned(p, each, whole).made.gain_of_a_gigabyte);
  // a cache that does not fit keeps a share of the elements
  auto o = two_cores();
  o.memory = 1e6;
  const auto some = planned(p, each, o);
  CHECK(some.made.best.caches == numbers{3});
  REQUIRE(some.made.best.shares.size() == 1);
  CHECK(some.made.best.shares[0].from == 0);
  CHECK(some.made.best.shares[0].to == Approx(0.9e6 / 1.6e6).epsilon(0.05));
  CHECK(some.made.best.memory < 1e6);
  CHECK(1 + *some.made.gain_of_a_gigabyte == Approx(why.made.share.rate / some.made.share.rate));
  CHECK_THAT(pl::explain(some).text, Contains("HERE: 5") && Contains(" % of 1.6 MB") &&
                                         Contains("one GB more for caches adds ") &&
                                         Contains("; at first, each MB adds ") && Contains("planned, cache of 5"));
  // the shadow price, against planning again with 1 % more memory; nine tenths of it are for caches
  const auto price = some.made.gain_per_byte;
  o.memory = 1.01e6;
  CHECK(0.9 * 1e4 * price == Approx(1 - some.made.share.rate / planned(p, each, o).made.share.rate).epsilon(0.1));
  auto shared = pl::run(p, some.made.best, with({}, {}, 11));
  for (std::uint64_t e = 0; e != 3; ++e) {
    CHECK(drained(shared) == reference_texts(p, {11, e}));
    shared.restart();
  }
  o = two_cores();
  o.caches = false;
  CHECK(planned(p, each, o).made.best.caches.empty());
  // the form that the plan names is what runs
  auto s = pl::run(p, why.made.best, with({}, {}, 11));
  CHECK(drained(s) == reference_texts(p, {11, 0}));
  CHECK(s.traced().operators[3].name == "cache(100 %)");
}

TEST_CASE("decisions: the prediction is what the cores can do") {
  const auto p = pl::range(200) | pl::map(plus_one) | pl::map(jitter) | pl::batch(20);
  auto o = two_cores();
  o.caches = false;
  const double most = 2 / (20 * 100 * us + 20 * us + us);  // minibatches of 20 on two cores
  const double rate = planned(p, {0, 100 * us, us, us}, o).made.best.rate;
  CHECK(rate <= most);
  CHECK(rate > 0.95 * most);
}

TEST_CASE("decisions: a plan runs the same pipeline again, and no other") {
  const auto p = pl::range(200) | pl::map(plus_one) | pl::map(jitter) | pl::batch(20);
  const auto plan = planned(p, {0, 100 * us, us, us}).made.best;
  CHECK(plan.caches == numbers{2});
  auto s = pl::run(p, plan, with({}, {}, 11));
  CHECK(drained(s) == reference_texts(p, {11, 0}));
  CHECK_THROWS_WITH(pl::run(p | pl::map([](auto t) { return t.span()[0]; }), plan),
                    Contains("another pipeline") && Contains("4 operators") && Contains("5"));
  auto other = plan;
  other.caches = {1};
  CHECK_THROWS_WITH(pl::run(p, other), Contains("cache after operator 1"));
}

TEST_CASE("decisions: where streams fork, a cache on each branch") {
  const auto branch = pl::range(100) | pl::map(many) | pl::map(one);
  const auto p = pl::zip(branch, branch) | pl::batch(10);
  const std::vector<double> each{0, 200 * us, us, 0, 200 * us, us, 0, us};
  const auto why = planned<5>(p, each);
  CHECK(why.made.best.caches == numbers{2, 5});
  CHECK_THAT(pl::explain(why).text, Contains("planned, cache after 2 (map(") && Contains(", cache after 5 (map("));
  // only one of them fits
  auto small = two_cores();
  small.memory = 1.3e6;
  const auto one_and_some = planned<5>(p, each, small).made.best;
  CHECK(one_and_some.caches == numbers{2, 5});
  REQUIRE(one_and_some.shares.size() == 2);
  CHECK(one_and_some.shares[0].size() + one_and_some.shares[1].size() == Approx(0.9 * 1.3e6 / 0.8e6).epsilon(0.05));
  // a plan with both runs in another process, if both were compiled
  auto s = pl::run<5>(p, why.made.best, with({}, {}, 11));
  for (std::uint64_t e = 0; e != 3; ++e) {
    CHECK(drained(s) == reference_texts(p, {11, e}));
    s.restart();
  }
  CHECK_THROWS_WITH(pl::run<1>(p, why.made.best), Contains("caches after operator 2 and 5 are not among the forms"));
}

TEST_CASE("decisions: two caches on one way divide the elements") {
  // reading is 150 us, decoding 100 us; a file takes a tenth of the memory of what is decoded
  const auto file = [](std::int64_t x) { return std::vector<std::int64_t>(100, x); };
  const auto decode = [](const std::vector<std::int64_t>& v) { return std::vector<std::int64_t>(1000, v.front()); };
  const auto p = pl::range(200) | pl::map(file) | pl::map(decode) | pl::map(one) | pl::batch(20);
  const std::vector<double> each{0, 150 * us, 100 * us, us, us};
  auto o = two_cores();
  o.memory = 6e5;  // everything decoded: 1.6 MB
  const auto why = planned(p, each, o);
  const auto& plan = why.made.best;
  REQUIRE(plan.caches == numbers{2, 3});
  REQUIRE(plan.shares.size() == 2);
  CHECK(plan.shares[1].from == 0);  // what is decoded comes first, the files are others
  CHECK(plan.shares[0].from == Approx(plan.shares[1].to));
  CHECK(plan.shares[0].to == Approx(1));
  CHECK(plan.shares[1].to > 0.1);
  // better than all of one of the two
  o.shares = false;
  CHECK(plan.rate > 1.1 * planned(p, each, o).made.best.rate);
  auto s = pl::run(p, plan, with({}, {}, 11));
  for (std::uint64_t e = 0; e != 3; ++e) {
    CHECK(drained(s) == reference_texts(p, {11, e}));
    s.restart();
  }
  auto other = plan;
  other.shares.pop_back();
  CHECK_THROWS_WITH((pl::run(p, other)), Contains("1 of 2 caches"));
  other = plan;
  other.shares[0].to = 2;
  CHECK_THROWS_WITH((pl::run(p, other)), Contains("changed by hand"));
  other.caches = {4};
  other.shares = {{0, 0.5}};
  CHECK_THROWS_WITH(pl::run<1>(p, plan), Contains("caches after operator 2 and 3 are not among the forms"));
}

TEST_CASE("decisions: shares that are not much faster than predicted for whole caches are compared with these") {
  const auto file = [](std::int64_t x) { return std::vector<std::int64_t>(100, x); };
  const auto decode = [](const std::vector<std::int64_t>& v) { return std::vector<std::int64_t>(1000, v.front()); };
  const auto p = pl::range(200) | pl::map(file) | pl::map(decode) | pl::map(one) | pl::batch(20);
  const std::vector<double> each{0, 150 * us, 100 * us, us, us};
  auto o = two_cores();
  o.memory = 6e5;
  const auto decided = [&](double shared, double whole, double shared_again = 0, double whole_again = 0) {
    auto runs = trials_of(p);
    runs.will_run(300, trace_of(p, each));
    for (const auto& [with_shares, without] : {std::pair{shared, whole}, {shared_again, whole_again}}) {
      runs.will_run(with_shares, trace_of(as_planned<2>(as_planned<3>(p)), {0, 150 * us, us, 100 * us, us, us, us}));
      runs.will_run(without, trace_of(as_planned<2>(p), {0, 150 * us, us, 100 * us, us, us}, true));
    }
    auto why = runs.decide(o);
    CHECK(runs.traces.size() == (why.attempts.size() < 3 ? 3 : shared_again > 0 ? 0 : 2));
    return why;
  };
  const auto slow = decided(400, 900);  // files whole: 2 cores, 20 elements of 102 us: 980 a second
  CHECK(slow.attempts.size() == 3);
  CHECK(slow.kept == 2);
  CHECK(slow.made.best.caches == numbers{2});
  CHECK(slow.made.best.shares.empty());
  const auto slower = decided(400, 330);
  CHECK(slower.attempts.size() == 3);
  CHECK(slower.kept == 1);
  CHECK(slower.made.best.shares.size() == 2);
  CHECK(slower.made.demand.sites.size() > 1);
  // faster than that, but not by enough to be sure: costs of the pipeline as written may be too high
  const auto little_faster = decided(1150, 1300, 1150, 1300);
  CHECK(little_faster.attempts.size() == 3);
  CHECK(little_faster.kept == 2);
  CHECK(little_faster.made.best.shares.empty());
  // little slower: both are traced again, and the faster run of each counts
  const auto seemed_slower = decided(1150, 1130, 1100, 1160);
  CHECK(seemed_slower.attempts.size() == 3);
  CHECK(seemed_slower.kept == 2);
  CHECK(seemed_slower.made.best.shares.empty());
  CHECK(seemed_slower.attempts[1].observed == 1150);
  const auto as_fast = decided(1150, 1130, 1140, 1140);
  CHECK(as_fast.attempts.size() == 3);
  CHECK(as_fast.kept == 1);
  CHECK(as_fast.made.best.shares.size() == 2);
  const auto fast = decided(1500, 900);
  CHECK(fast.attempts.size() == 2);
  CHECK(fast.kept == 1);
  CHECK(fast.made.best.shares.size() == 2);
}

TEST_CASE("decisions: planned again if operators cost less in the planned form") {
  const auto file = [](std::int64_t x) { return std::vector<std::int64_t>(100, x); };
  const auto decode = [](const std::vector<std::int64_t>& v) { return std::vector<std::int64_t>(1000, v.front()); };
  const auto p = pl::range(200) | pl::map(file) | pl::map(decode) | pl::map(one) | pl::batch(20);
  auto o = two_cores();
  o.memory = 6e5;  // everything decoded: 1.6 MB
  const std::vector<double> usual{0, 150 * us, 100 * us, us, us}, disturbed{0, 15 * us, 300 * us, us, us};
  const auto right = planned(p, usual, o).made.best, wrong = planned(p, disturbed, o).made.best;
  REQUIRE_FALSE(pl::detail::same_caches(right, wrong));
  // `first`: what the pipeline as written seems to cost; then the planned form costs the usual
  const auto decided = [&](const std::vector<double>& first, double planned_first, double planned_again) {
    auto runs = trials_of(p);
    runs.will_run(300, trace_of(p, first));
    for (const double rate : {planned_first, planned_again})
      runs.will_run(rate, trace_of(as_planned<2>(as_planned<3>(p)), {0, 150 * us, us, 100 * us, us, us, us}));
    auto why = runs.decide(o);
    CHECK(runs.traces.size() + why.attempts.size() == 3);
    return why;
  };
  const auto corrected = decided(disturbed, 700, 1300);
  REQUIRE(corrected.attempts.size() == 3);
  CHECK(corrected.kept == 2);
  CHECK(pl::detail::same_caches(corrected.made.best, right));
  CHECK(corrected.made.rates.cpu_seconds == Approx(20 * 252 * us).epsilon(0.01));
  CHECK(corrected.seen.counters[1].cpu_seconds == Approx(200 * 150 * us));
  // it was not faster
  const auto slower = decided(disturbed, 1100, 700);
  REQUIRE(slower.attempts.size() == 3);
  CHECK(slower.kept == 1);
  CHECK(pl::detail::same_caches(slower.made.best, wrong));
  CHECK(slower.seen.counters[1].cpu_seconds == Approx(200 * 15 * us));
  // costs are as they were
  CHECK(decided(usual, 1300, 0).attempts.size() == 2);
}

TEST_CASE("decisions: planned again from the trace of the planned form") {
  const auto p = pl::range(300) | pl::map(many) | pl::map(one) | pl::batch(10);
  const auto written = trace_of(p, {0, 200 * us, us, us});
  const auto with_cost = [&](double replay) { return trace_of(as_planned<2>(p), {0, 200 * us, replay, us, us}, true); };
  auto runs = trials_of(p);
  runs.will_run(300, written);
  runs.will_run(5000, with_cost(3 * us));
  const auto why = runs.decide(two_cores());
  REQUIRE(why.attempts.size() == 2);
  REQUIRE(why.kept == 1);
  REQUIRE(why.again);
  CHECK(why.attempts[0].observed == 300);
  CHECK(why.attempts[1].observed == 5000);
  CHECK(why.attempts[1].after == why.made.best.rate);
  CHECK(why.attempts[1].after > 0);
  CHECK(why.again->seen.operators.size() == pl::layout(p).size() + 1);
  CHECK_THAT(pl::explain(why).text, Contains("predicted") && Contains(", then "));

  // pass by pass, each predicted by the one before
  auto often = two_cores();
  often.passes = 4;
  runs.will_run(300, written);
  for (const double replay : {3 * us, 9 * us, 30 * us}) runs.will_run(5000, with_cost(replay));
  const auto moving = runs.decide(often);
  REQUIRE(moving.attempts.size() == 4);
  for (std::size_t i = 2; i != 4; ++i) CHECK(moving.attempts[i].predicted == moving.attempts[i - 1].after);
  CHECK(moving.attempts[moving.kept].after == moving.made.best.rate);
  CHECK(moving.kept == 3);  // of equally good rates, the later
  // until the estimate settles
  runs.will_run(300, written);
  for (int i = 0; i != 3; ++i) runs.will_run(5000, with_cost(3 * us));
  CHECK(runs.decide(often).attempts.size() == 3);
  CHECK(runs.traces.size() == 1);
  // the fastest of the forms that ran
  runs.traces.clear();
  runs.will_run(300, written);
  for (const double replay : {3 * us, 9 * us, 30 * us}) runs.will_run(replay < 5 * us ? 5000 : 4000, with_cost(replay));
  const auto slower = runs.decide(often);
  CHECK(slower.kept == 1);
  CHECK(slower.made.best.rate == slower.attempts[1].after);
  auto none = two_cores();
  none.passes = 0;
  CHECK_THROWS_WITH(runs.decide(none), Contains("passes is 0"));
}

TEST_CASE("decisions: a part that fills batches and the one that passes them on keep their own parallelism") {
  const auto rows =
      pl::range(300) | pl::map([](std::int64_t x) { return pl::tensor<std::int64_t>({100}, x); }) | pl::batch<10>();
  auto o = two_cores();
  o.caches = false;
  auto runs = trials_of(rows);
  for (int i = 0; i != 2; ++i) runs.will_run(100, trace_of(rows, {0, 30 * us, us}));
  const auto why = runs.decide(o);
  REQUIRE(why.made.best.parts.size() == 2);
  REQUIRE(why.again);
  CHECK(why.again->made.best.parts == why.made.best.parts);
  for (const auto& part : why.made.best.parts) CHECK((part.serial || part.parallelism == 2));
}

TEST_CASE("decisions: more threads than cores are not more cores") {
  const auto p = pl::range(200) | pl::map(plus_one);
  auto o = two_cores();
  o.caches = false;
  const auto two = planned(p, {0, 500 * us}, o);
  o.run.threads = 8;
  const auto eight = planned(p, {0, 500 * us}, o);
  CHECK(eight.made.best.rate == Approx(two.made.best.rate));
  CHECK(eight.made.best.threads == 8);
  CHECK(eight.made.limits.front().text == two.made.limits.front().text);
}

TEST_CASE("decisions: invalid options of the disk are refused before anything runs") {
  const auto p = pl::range(200) | pl::map(plus_one);
  auto o = two_cores();
  o.measure_disk = pl::disk_options{.rounds = 0};
  auto runs = trials_of(p);  // none may be made
  CHECK_THROWS_WITH(runs.decide(o), Contains("plumbline: measure_disk: rounds must be at least 1"));
}

TEST_CASE("decisions: a planned form that only seemed slower runs again") {
  const auto p = pl::range(200) | pl::map(plus_one);
  const auto t = trace_of(p, {0, 500 * us});
  auto o = two_cores();
  o.caches = false;
  std::string said;
  const auto run = [&](double written, double planned, std::deque<double> again, std::uint64_t count = 1000) {
    auto runs = trials_of(p);
    runs.will_run(written, t, count);
    runs.will_run(planned, t, count);
    runs.rates = std::move(again);
    const auto why = runs.decide(o);
    CHECK(runs.rates.empty());
    const auto rematch = [](const auto& line) { return line.starts_with("the planned form seemed slower"); };
    const auto rematches = std::count_if(runs.lines.begin(), runs.lines.end(), rematch);
    said = pl::explain(why).text;
    return std::tuple{why.kept, rematches, runs.lines.back() == "kept as written"};
  };
  CHECK(run(100, 97.5, {}) == std::tuple{std::size_t{1}, 0, false});              // as good
  CHECK(run(100, 90, {95, 99}) == std::tuple{std::size_t{1}, 1, false});          // disturbed in its first run
  CHECK(run(100, 90, {95, 90, 99, 98}) == std::tuple{std::size_t{1}, 1, false});  // and the second
  CHECK(run(100, 90, {95, 90, 95, 90}) == std::tuple{std::size_t{0}, 1, true});   // slower
  CHECK(run(100, 40, {}) == std::tuple{std::size_t{0}, 0, true});                 // much slower
  CHECK_THAT(said, !Contains("seemed slower, but"));
  CHECK(run(100, 60, {}, 10) == std::tuple{std::size_t{1}, 0, false});  // few elements: only a large gap counts
  CHECK_THAT(said,
             Contains("the kept form seemed slower, but 10 minibatches of it and 10 of the pipeline as written are"));
  CHECK(run(100, 40, {}, 10) == std::tuple{std::size_t{0}, 0, true});
}

TEST_CASE("decisions: a plan that is not compared with a run") {
  const auto p = pl::range(200) | pl::map(plus_one) | pl::map(jitter);
  const auto why = planned(p, {0, 100 * us, us});
  CHECK(why.kept == 1);
  CHECK(why.attempts[1].count == 0);
  CHECK(why.rate() == why.made.best.rate);
  CHECK_THAT(pl::explain(why).text, Contains("not run") && Contains("cache after 2 (map(") && Contains("))   <- kept"));
}

TEST_CASE("decisions: whole and cached if memory allows, else both in one function") {
  const auto free = pl::range(100) | pl::shuffle(3) | pl::map(many) | pl::map(one) | pl::batch(10);
  const auto fused = pl::range(100) | pl::shuffle(3) | pl::map(jitter) | pl::batch(10);
  auto o = two_cores();
  const auto rate = [&](const auto& p, const std::vector<double>& each) { return planned(p, each, o).made.best.rate; };
  const std::vector<double> whole{0, 0, 600 * us, 20 * us, us}, in_one{0, 0, 200 * us, us};
  o.memory = 2e6;  // 800 kB of elements
  CHECK(rate(free, whole) > 2 * rate(fused, in_one));
  o.memory = 6e5;
  o.shares = false;
  CHECK(rate(fused, in_one) > 2 * rate(free, whole));
  o.shares = true;  // about two thirds of the elements: the whole is nearly as good
  CHECK(rate(fused, in_one) < 1.5 * rate(free, whole));
}
