// The decisions of a live run, from counters written by hand and from the simulator.
#include <catch2/catch.hpp>

#include <bench/baselines/simulated_stream.hpp>
#include <plumbline/model/live_form.hpp>
#include <plumbline/report/explain_live.hpp>

#include <model/traces.hpp>

#include <algorithm>

using namespace plumbline_test;
using Catch::Matchers::Contains;
using pl::form;

namespace {

/// Ten seconds in which 1000 elements passed `decode` and `crop`, a part each; a second's work of a core for 100 and
/// 1000.
struct recorded {
  double decode = 10e-3, crop = 1e-3, wait = 0;  ///< seconds for an element
  std::uint64_t count = 1000;
  double seconds = 10, bytes = 1000, waited = 1;
  pl::trace operator()() const {
    made_trace t(seconds, 8);
    const auto n = static_cast<double>(count);
    const auto all = pl::cardinality::forever();
    t.add({"numbers", form::source, {}, all, 0, {.completions = count}});
    t.add({"decode",
           form::element,
           {1},
           all,
           1,
           {.completions = count,
            .bytes = static_cast<std::uint64_t>(n * bytes),
            .cpu_seconds = n * decode,
            .wall_seconds = n * (decode + wait),
            .bytes_squared = n * bytes * bytes}});
    t.part({2}, false, 0, count);
    t.parts.back().cpu_seconds = n * decode;
    t.parts.back().wall_seconds = n * (decode + wait);
    t.add({"crop",
           form::element,
           {2},
           all,
           1,
           {.completions = count, .cpu_seconds = n * crop, .wall_seconds = n * crop}});
    t.part({3}, false, 0, count);
    t.parts.back().cpu_seconds = t.parts.back().wall_seconds = n * crop;
    t.consumer_wait_seconds = waited * seconds;
    return t;
  }
};
pl::live_state begun(std::size_t decode, std::size_t crop, std::size_t threads = 8) {
  pl::live_state s;
  s.limits = {
      .parts = {{.operators = {2}, .movable = true, .at_once = decode},
                {.operators = {3}, .movable = true, .at_once = crop}},
      .buffers =
          {{.first_part = 0, .parts = 2, .output = true, .has_stages = true, .messages = 2 * threads + 2, .most = 200}},
      .threads = threads};
  return s;
}
const pl::live_budget eight_cores{.have = {.cores = 8}};

}  // namespace

TEST_CASE("live: the counters of one message at a time give the plan's numbers at once") {
  const auto step = pl::decide_live(recorded{}(), begun(1, 1), eight_cores);
  CHECK(step.enough);
  // 11 ms of a core for each: 727 a second need 7.3 and 0.7 cores
  CHECK(step.next.limits.parts[0].at_once == 8);
  CHECK(step.next.limits.parts[1].at_once >= 2);
  REQUIRE(step.changes.size() == 2);
  CHECK(step.changes[0].what == "decode: 1 -> 8 at a time");
  CHECK(step.changes[0].observed == Approx(100));
  CHECK(step.changes[0].predicted == Approx(8 / 11e-3));
  CHECK_THAT(step.changes[0].why, Contains("727.3 a second need 7.27 at a time"));
  REQUIRE(step.next.trying);
}

TEST_CASE("live: the same counters again change nothing; nor do costs that vary by a tenth") {
  auto state = pl::decide_live(recorded{}(), begun(1, 1), eight_cores).next;
  for (int i = 0; i != 100; ++i) {
    const double by = 1 + 0.1 * std::sin(i);
    auto step = pl::decide_live(recorded{.decode = 10e-3 * by, .crop = 1e-3 / by, .count = 7000}(), state, eight_cores);
    CHECK(step.changes.empty());
    state = std::move(step.next);
  }
}

TEST_CASE("live: a consumer that does not wait gets nothing; what is stated stays") {
  CHECK(pl::decide_live(recorded{.waited = 0.01}(), begun(1, 1), eight_cores).changes.empty());
  auto state = begun(1, 1);
  state.limits.parts[0].stated = true;
  const auto step = pl::decide_live(recorded{}(), state, eight_cores);
  CHECK(step.next.limits.parts[0] == state.limits.parts[0]);
  CHECK(step.next.limits.parts[1].at_once > 1);
  state.limits.buffers[0].stated = true;
  const auto tight = pl::decide_live(recorded{}(), state, {.have = {.cores = 8, .memory = 10}});
  CHECK(tight.next.limits.buffers == state.limits.buffers);
}

TEST_CASE("live: too little is said, and waited for") {
  CHECK_FALSE(pl::decide_live(recorded{.count = 2, .seconds = 0.1}(), begun(1, 1), eight_cores).enough);
  CHECK_FALSE(pl::decide_live(recorded{.count = 0, .seconds = 0.1}(), begun(1, 1), eight_cores).enough);
  // nothing in a second: each part gets twice as many
  const auto step = pl::decide_live(recorded{.count = 0, .seconds = 1.5}(), begun(3, 8), eight_cores);
  CHECK(step.enough);
  CHECK(step.next.limits.parts[0].at_once == 6);
  CHECK(step.next.limits.parts[1].at_once == 8);
  CHECK(step.changes.size() == 1);
  CHECK_FALSE(pl::decide_live(pl::trace{}, begun(1, 1), eight_cores).enough);
}

TEST_CASE("live: a part that waits, in two looks, moves to I/O threads, and back") {
  const recorded waits{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 10e-3};
  auto one = pl::decide_live(waits(), begun(1, 1), eight_cores);
  CHECK_FALSE(one.next.limits.parts[0].waits);
  auto two = pl::decide_live(waits(), one.next, eight_cores);
  CHECK(two.next.limits.parts[0].waits);
  CHECK(two.next.limits.parts[0].at_once == 64);
  CHECK(two.next.limits.io_threads == 64);
  CHECK_THAT(two.changes[0].what, Contains("decode: 1 -> 64 at a time, on I/O threads"));
  const auto threads = [&](const pl::live_change& c) { return c.what == "I/O threads: 0 -> 64"; };
  CHECK(std::count_if(two.changes.begin(), two.changes.end(), threads) == 1);
  // more messages in flight, so that as many can wait
  CHECK(two.next.limits.buffers[0].messages >= 128);
  // a number of I/O threads that the user stated, and what runs on them
  auto stated = eight_cores;
  stated.io_stated = true;
  stated.have.io_threads = 4;
  one = pl::decide_live(waits(), begun(1, 1), stated);
  const auto four = pl::decide_live(waits(), one.next, stated).next.limits;
  CHECK((four.parts[0].waits && four.parts[0].at_once == 4 && four.io_threads == 4));
  one = pl::decide_live(waits(), begun(8, 8), stated);  // eight compute threads are more
  CHECK_FALSE(pl::decide_live(waits(), one.next, stated).next.limits.parts[0].waits);
  stated = eight_cores;
  stated.places_stated = true;
  one = pl::decide_live(waits(), begun(1, 1), stated);
  CHECK_FALSE(pl::decide_live(waits(), one.next, stated).next.limits.parts[0].waits);
  auto state = two.next;
  state.trying.reset();
  for (int i = 0; i != 4; ++i) state = pl::decide_live(recorded{.count = 6000}(), state, eight_cores).next;
  CHECK_FALSE(state.limits.parts[0].waits);
  CHECK(state.limits.parts[0].at_once == 8);
}

TEST_CASE("live: time without a core does not move a part that computes to I/O threads") {
  // 0.1 s of computing, and 1 s in which it did not compute
  const recorded in_decode{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 1e-3}, in_crop{.decode = 0.1e-3, .crop = 0.1e-3};
  const auto look = [](const recorded& r, double without_core, const pl::live_state& last) {
    auto t = r();
    t.run_delay_seconds = without_core;
    return pl::decide_live(t, last, eight_cores).next;
  };
  // all of it may have been without a core: a slice of a busy core that fell into this part, now and then
  auto state = begun(8, 8);
  for (int i = 0; i != 40; ++i) {
    state = look(i % 8 < 7 ? in_decode : in_crop, 1.0, state);
    CHECK_FALSE(state.limits.parts[0].waits);
  }
  // in one look after the other, it is not chance
  for (int i = 0; i != 8; ++i) state = look(in_decode, 1.0, state);
  CHECK(state.limits.parts[0].waits);
  // most of it was not
  state = begun(8, 8);
  for (int i = 0; i != 2; ++i) state = look(in_decode, 0.3, state);
  CHECK(state.limits.parts[0].waits);
}

// Another program has half of each core. If waiting for cores counted, each look would find that more are needed.
TEST_CASE("live: I/O threads that wait for cores do not become more and more") {
  for (const bool moved : {false, true}) {
    auto state = begun(1, 8);
    state.limits.parts[0].waits = true;
    state.limits.io_threads = 1;
    for (int i = 0; i != 20; ++i) {
      const auto at_once = static_cast<double>(state.limits.parts[0].at_once);
      // 2 ms of a core and 8 ms of waiting for each; 8 cores could do 4000 a second, and do 2000
      const double rate = std::min(2000.0, at_once / 10e-3), without_core = at_once / rate - 10e-3;
      const auto count = static_cast<std::uint64_t>(10 * rate);
      auto t = recorded{.decode = 2e-3, .crop = 1e-9, .wait = 8e-3 + without_core, .count = count}();
      t.parts[0].blocks = !moved;  // or it is counted as a part on compute threads, where it was when the run began
      (moved ? t.run_delay_seconds : t.io_run_delay_seconds) = 10 * rate * without_core;
      state = pl::decide_live(t, state, eight_cores).next;
      CAPTURE(moved, i);
      CHECK(state.limits.parts[0].at_once <= 47);  // 4000 a second need 40, and the square root
    }
    CHECK(state.limits.parts[0].at_once >= 20);
  }
}

// A plan gives such a part all I/O threads, for the epoch that fills a cache.
TEST_CASE("live: a part on I/O threads that took no time gets no more") {
  auto state = begun(2, 8);
  state.limits.parts[0].waits = true;
  state.limits.io_threads = 4;
  auto t = recorded{.decode = 0}();
  t.parts[0].blocks = true;
  for (int i = 0; i != 3; ++i) {
    const auto step = pl::decide_live(t, state, eight_cores);
    REQUIRE(step.enough);
    CHECK(step.next.limits.parts[0].at_once == 2);
    CHECK(step.next.limits.io_threads == 4);
    state = step.next;
  }
}

TEST_CASE("live: more reads at a time that are no faster are undone, and not tried again until the cost changes") {
  const recorded waits{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 10e-3};
  auto state = begun(4, 8);
  state.limits.parts[0].waits = true;
  auto step = pl::decide_live(waits(), state, eight_cores);
  REQUIRE(step.next.limits.parts[0].at_once == 64);
  // the same rate: each of 64 waits 16 times as long
  const recorded crowded{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 160e-3};
  step = pl::decide_live(crowded(), step.next, eight_cores);
  CHECK(step.next.limits.parts[0].at_once == 4);
  CHECK_THAT(step.changes[0].why, Contains("undone: no faster"));
  for (int i = 0; i != 20; ++i) {
    step = pl::decide_live(waits(), step.next, eight_cores);
    CHECK(step.changes.empty());
  }
  // nor, for some seconds, if both that and the rate have changed
  const recorded slower{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 40e-3, .count = 400};
  step = pl::decide_live(slower(), step.next, eight_cores);
  CHECK(step.next.limits.parts[0].at_once == 4);
  step.next.at = 10;
  CHECK(pl::decide_live(waits(), step.next, eight_cores).next.limits.parts[0].at_once == 4);
  const recorded much_slower{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 40e-3, .count = 200};
  bool again = false;
  for (int i = 0; i != 3; ++i) {
    step = pl::decide_live(much_slower(), step.next, eight_cores);
    again = again || step.next.limits.parts[0].at_once == 64;
  }
  CHECK(again);
}

TEST_CASE("live: a part that asks a service which serves three at a time gets about three") {
  auto state = begun(2, 8);
  state.limits.parts[0].waits = true;
  std::vector<std::size_t> seen;
  for (int i = 0; i != 12; ++i) {
    const auto at_once = static_cast<double>(state.limits.parts[0].at_once);
    const double rate = std::min(at_once, 3.0) / 10e-3;  // 10 ms each
    const auto count = static_cast<std::uint64_t>(10 * rate);
    // what it costs of a core is next to nothing, and varies
    const recorded now{.decode = i % 2 == 0 ? 2e-6 : 4e-6, .crop = 1e-6, .wait = at_once / rate, .count = count};
    auto step = pl::decide_live(now(), state, eight_cores);
    if (i == 1) CHECK_THAT(step.changes[0].why, Contains("an element waits 213 ms in it, and with fewer at a time 10"));
    state = std::move(step.next);
    seen.push_back(state.limits.parts[0].at_once);
  }
  CHECK(seen[0] == 64);
  CHECK(std::all_of(seen.begin() + 1, seen.end(), [](auto n) { return n == 5; }));
}

TEST_CASE(
    "live: a part that waits moves to I/O threads, though few of it wait at a time: others need the compute threads") {
  // of two threads it would occupy 0.9, and crop needs two cores
  const recorded waits{.decode = 0.1e-3, .crop = 20e-3, .wait = 9e-3, .count = 690};
  const pl::live_budget two_cores{.have = {.cores = 2}};
  const auto one = pl::decide_live(waits(), begun(2, 2, 2), two_cores);
  CHECK(pl::decide_live(waits(), one.next, two_cores).next.limits.parts[0].waits);
}

TEST_CASE("live: a part that waits gets no more I/O threads than the consumer, messages and memory can use") {
  const recorded waits{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 10e-3};
  const auto given = [](const pl::trace& t, const pl::live_state& from, const pl::live_budget& budget) {
    const auto one = pl::decide_live(t, from, budget);
    return pl::decide_live(t, one.next, budget).next.limits.parts[0].at_once;
  };
  CHECK(given(waits(), begun(1, 1), eight_cores) == 64);
  auto slow = waits;
  slow.waited = 0.5;  // it could take 200 a second
  CHECK(given(slow(), begun(1, 1), eight_cores) == 4);
  auto three = begun(1, 1);
  three.limits.buffers[0].stated = true;
  three.limits.buffers[0].messages = 3;
  CHECK(given(waits(), three, eight_cores) == 3);
  CHECK(given(waits(), begun(1, 1), {.have = {.cores = 8, .memory = 9e3}}) <= 9);  // of 1 kB each
}

TEST_CASE("live: a change that makes it slower is undone, unless the work or the cores changed") {
  const auto first = pl::decide_live(recorded{}(), begun(1, 1), eight_cores);
  const auto worse = pl::decide_live(recorded{.count = 800}(), first.next, eight_cores);
  CHECK(worse.next.limits.parts[0].at_once == 1);
  CHECK_THAT(worse.changes[0].why, Contains("undone: slower than the 100 a second before"));
  const auto other = pl::decide_live(recorded{.decode = 40e-3, .count = 800}(), first.next, eight_cores);
  CHECK(other.next.limits.parts[0].at_once == 8);
  auto taken = recorded{.count = 800}();
  taken.run_delay_seconds = 8;
  CHECK(pl::decide_live(taken, first.next, eight_cores).next.limits.parts[0].at_once == 8);
}

TEST_CASE("live: messages in flight never hold more than the budget") {
  for (const double memory : {3e3, 10e3, 18e3, 40e3, 1e9}) {
    CAPTURE(memory);
    const auto step = pl::decide_live(recorded{}(), begun(8, 8), {.have = {.cores = 8, .memory = memory}});
    CHECK(step.in_flight <= memory);
    CHECK(step.next.limits.buffers[0].messages >= 1);
    if (memory >= 40e3) CHECK(step.next.limits.buffers[0].messages == 18);
    if (memory < 18e3) CHECK_THAT(step.changes.back().why, Contains("they may hold"));
    // twice as many, at once
    auto more = pl::decide_live(recorded{}(), step.next, {.have = {.cores = 8, .memory = 10 * memory}});
    CHECK(more.next.limits.buffers[0].messages >= 13);
    // elements four times as large
    auto large =
        pl::decide_live(recorded{.count = 900, .bytes = 4000}(), step.next, {.have = {.cores = 8, .memory = memory}});
    CHECK(large.in_flight <= std::max(memory, 2 * 4000.0));
  }
  // not at the limit, and not far from it: no change
  auto state = begun(8, 8);
  state.limits.buffers[0].messages = 14;
  CHECK(pl::decide_live(recorded{}(), state, {.have = {.cores = 8, .memory = 16e3}}).changes.empty());
}

TEST_CASE("live: messages of fewer elements where one is too much") {
  auto t = recorded{}();
  for (auto& p : t.parts) p.messages = 10;  // of 100 elements, 100 kB
  const auto step = pl::decide_live(t, begun(8, 8), {.have = {.cores = 8, .memory = 50e3}});
  CHECK(step.next.limits.buffers[0].messages == 1);
  CHECK(step.next.limits.buffers[0].elements == 25);
  CHECK(step.changes.back().what == "messages in flight: after crop 18 -> 1 of up to 25 elements");
  const auto stated = pl::decide_live(t, begun(8, 8), {.have = {.cores = 8, .memory = 50e3}, .chunk_stated = true});
  CHECK(stated.next.limits.buffers[0].elements == 0);
  // as many as before when the budget has grown
  for (auto& p : t.parts) p.messages = 40;  // of 25
  auto state = step.next;
  for (int i = 0; i != 10; ++i) state = pl::decide_live(t, state, {.have = {.cores = 8, .memory = 8e9}}).next;
  CHECK(state.limits.buffers[0].elements == 0);
  CHECK(state.limits.buffers[0].messages == 18);
}

TEST_CASE("live: a cost at the border of short messages changes their limit once") {
  // an element takes 1 us and 5 % more or less: 100 us are 95 or 105 elements; an epoch has 100 for each of 32 messages
  auto state = begun(8, 8);
  std::size_t changes = 0;
  for (int i = 0; i != 20; ++i) {
    auto t = recorded{.decode = 1e-6 * (i % 2 == 0 ? 0.95 : 1.05), .crop = 1e-5}();
    for (auto& row : t.operators) row.facts.count = pl::cardinality::exactly(3200);
    auto step = pl::decide_live(t, state, {.have = {.cores = 8, .memory = 8e9}});
    changes += step.changes.size();
    state = std::move(step.next);
    CHECK(state.limits.buffers[0].elements == 100);
  }
  CHECK(changes == 1);
}

TEST_CASE("live: what is upstream of a cache counts while it is filled, and not once it is full") {
  const auto into_cache = [](const recorded& r, bool full) {
    auto t = r();
    t.operators.back().replays = true;
    if (full) {
      t.counters[1].completions = t.counters[1].bytes = t.parts[0].messages = 0;
      t.counters[1].cpu_seconds = t.counters[1].wall_seconds = t.counters[1].bytes_squared = 0;
      t.parts[0].cpu_seconds = t.parts[0].wall_seconds = 0;
    }
    return t;
  };
  const pl::live_budget tight{.have = {.cores = 8, .memory = 10e3}};
  const auto step = pl::decide_live(into_cache({}, false), begun(1, 1), tight);
  CHECK(step.next.limits.parts[0].at_once == 8);
  CHECK(step.next.limits.buffers[0].messages <= 8);
  CHECK(step.in_flight > 0.5 * tight.have.memory);
  CHECK(step.in_flight <= tight.have.memory);
  const auto full = pl::decide_live(into_cache({}, true), begun(1, 1), tight);
  CHECK(full.enough);
  CHECK(full.next.limits.parts[0].at_once == 1);
  CHECK(full.in_flight == 0);
  // a part that waits moves to I/O threads
  const recorded waits{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 10e-3};
  auto state = begun(1, 1);
  for (int i = 0; i != 2; ++i) state = pl::decide_live(into_cache(waits, false), state, eight_cores).next;
  CHECK(state.limits.parts[0].waits);
  // one that was about to when the cache became full is not waited for: the run may rest
  state = pl::decide_live(into_cache(waits, false), begun(1, 1), eight_cores).next;
  REQUIRE(state.elsewhere[0] == 1);
  CHECK(pl::decide_live(into_cache(waits, true), state, eight_cores).next.elsewhere[0] == 0);
}

TEST_CASE("live: a move to I/O threads that makes it slower is undone, also if as many are processed at a time") {
  const recorded waits{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 10e-3};
  auto state = begun(64, 8);
  for (int i = 0; i != 2; ++i) state = pl::decide_live(waits(), state, eight_cores).next;
  REQUIRE(state.limits.parts[0].waits);
  REQUIRE(state.limits.parts[0].at_once == 64);
  const auto worse =
      pl::decide_live(recorded{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 10e-3, .count = 500}(), state, eight_cores);
  CHECK_FALSE(worse.next.limits.parts[0].waits);
}

TEST_CASE("live: the bottleneck is that of the limits in force, not that of the plan") {
  const auto says = [](const pl::trace& t, pl::live_state state, const pl::live_budget& budget = eight_cores) {
    return pl::decide_live(t, state, budget).bottleneck;
  };
  CHECK(says(recorded{.count = 6000}(), begun(8, 8)) == "8 cores");
  CHECK(says(recorded{}(), begun(8, 8)).empty());  // 727 a second are possible, and there were 100
  CHECK(says(recorded{.waited = 0.03}(), begun(8, 8)) == "the consumer");
  auto state = begun(2, 8);
  state.limits.parts[0].stated = true;
  CHECK(says(recorded{}(), state) == "decode: 2 at a time, stated");
  // one that waits, on compute threads
  const recorded waits{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 10e-3},
      often{waits.decode, waits.crop, waits.wait, 7000};
  auto io_stated = eight_cores;
  io_stated.io_stated = true;
  io_stated.have.io_threads = 8;
  CHECK(says(often(), begun(8, 8), io_stated) ==
        "decode: 8 at a time; it waits, and the number of I/O threads is stated");
  state = begun(12, 8);
  state.limits.parts[0].stated = true;
  CHECK(says(often(), state) == "decode on 8 compute threads");
  // a service: more at a time were no faster
  state = begun(4, 8);
  state.limits.parts[0].waits = true;
  state = pl::decide_live(waits(), state, eight_cores).next;
  const auto undone = pl::decide_live(recorded{.decode = 0.1e-3, .crop = 0.1e-3, .wait = 160e-3}(), state, eight_cores);
  CHECK(undone.bottleneck == "decode: 4 at a time, as more were no faster");
  // messages
  CHECK(says(recorded{}(), begun(8, 8), {.have = {.cores = 8, .memory = 3e3}}) ==
        "1 message in flight after crop, for the memory budget");
  state = begun(8, 8);
  state.limits.buffers[0].messages = 1;
  state.limits.buffers[0].stated = true;
  CHECK(says(recorded{}(), state) == "1 message in flight after crop, stated");
  // cores that other programs took
  auto taken = recorded{.count = 4000}();
  taken.run_delay_seconds = 30;
  CHECK(says(taken, begun(8, 8)) == "8 cores, of which this run had 4.4");
}

TEST_CASE("live: what was recorded between two snapshots") {
  const auto all = recorded{.count = 3000, .seconds = 30}(), before = recorded{}();
  const auto t = pl::recorded_since(all, before);
  CHECK(t.wall_seconds == Approx(20));
  CHECK(t.counters[1].completions == 2000);
  CHECK(t.counters[1].cpu_seconds == Approx(20));
  CHECK(t.parts[0].messages == 2000);
  CHECK(pl::recorded_since(before, all).counters[1].completions == 0);
}

TEST_CASE("live: explain shows the limits and every change with its reason") {
  auto step = pl::decide_live(recorded{}(), begun(1, 1), eight_cores);
  pl::live_report r{.rows = recorded{}().operators, .limits = step.next.limits, .changes = step.changes, .count = 2};
  r.memory = 1e9;
  CHECK_THAT(pl::explain(r).text, Contains("not known before the first look") && !Contains("1.0 GB"));
  r.looks = 1;
  const auto text = pl::explain(r).text;
  CHECK_THAT(text, Contains("decode") && Contains("decode: 1 -> 8 at a time") && Contains("727.3 a second need 7.27"));
  CHECK_THAT(text, Contains("of 1.0 GB") && Contains("2 changes") && !Contains("not shown"));
  // of a run with two buffers, after two changes
  r.limits = {.parts = {{.operators = {2, 3}, .movable = true, .at_once = 2}, {.operators = {1}, .serial = true}},
              .buffers = {{.first_part = 0, .parts = 1, .has_stages = true, .messages = 14, .elements = 5},
                          {.first_part = 1, .parts = 1, .stated = true, .messages = 2},
                          {.first_part = 2, .messages = 3}},
              .threads = 2,
              .io_threads = 1};
  r.changes.clear();
  r.seconds = 0.5;
  CHECK(pl::explain(r).text ==
        "operators      threads  at a time\n"
        "-------------  -------  ---------\n"
        "decode | crop  compute  2\n"
        "numbers        serial   1\n"
        "\n"
        "2 compute threads, 1 I/O thread\n"
        "messages in flight, at most\n"
        "  after crop (3): 14 of up to 5 elements\n"
        "  after numbers (1): 2, stated\n"
        "  indices: 3\n"
        "0 B in flight at most and 0 B in caches, of 1.0 GB\n"
        "\n"
        "2 changes in 500 ms, 1 look\n"
        "  (the first 2 are not shown: only the latest are kept)\n");
  // what is stated is marked; a budget that cannot be kept is said
  r.threads_stated = true;
  r.io_threads_stated = 1;
  r.in_flight = 2e9;
  CHECK_THAT(pl::explain(r).text, Contains("2 compute threads (stated), 1 I/O thread (stated)") &&
                                      Contains("of 1.0 GB: more than the budget\n"));
  for (auto& b : r.limits.buffers) b.messages = 1;
  CHECK_THAT(pl::explain(r).text, Contains("of 1.0 GB: more than the budget, as each buffer has at least one message"));
  r.count = 1502;
  r.changes = step.changes;
  CHECK_THAT(pl::explain(r).text, Contains("1502 changes") && Contains("the first 1500 are not shown"));
}

namespace {
using baselines::simulated_stream;
const std::vector<baselines::simulated_operator> photos{
    {"decode", 0.16}, {"crop", 0.02}, {"flip", 0.002}, {"normalise", 0.01}, {"batch", 0.002, true}};
/// The rate with all cores for every part.
double best_of(const std::vector<baselines::simulated_operator>& of, std::size_t cores) {
  simulated_stream s(of, cores);
  for (std::size_t i = 0; i != of.size(); ++i) s.limit(i, cores);
  s.run(2);
  const auto t = s.run(8);
  return static_cast<double>(t.counters.back().completions) / t.wall_seconds;
}
}  // namespace

TEST_CASE("live: in the simulator, at most a few changes to 95 % of the best rate, on any number of cores") {
  for (const std::size_t cores : {2U, 16U, 32U, 96U}) {
    CAPTURE(cores);
    const double best = best_of(photos, cores);
    simulated_stream s(photos, cores);
    const auto live = baselines::tune_in_simulation(s, baselines::set_by_live(double(cores)), 0.05, best, 10);
    CHECK(live.reached);
    CHECK(live.steps <= 2);
    simulated_stream one(photos, cores);
    const auto steps = baselines::tune_in_simulation(one, baselines::set_by_steps(double(cores)), 0.5, best, 60);
    CHECK(live.lost < steps.lost);
  }
}

TEST_CASE("live: in the simulator, five minutes of steady load: at most one change after the first ten seconds") {
  for (const std::size_t cores : {2U, 16U, 96U})
    for (std::uint64_t seed = 1; seed != 4; ++seed) {
      CAPTURE(cores, seed);
      simulated_stream s(photos, cores, 0.4, seed);
      const auto live = baselines::tune_in_simulation(s, baselines::set_by_live(double(cores)), 0.05, 1e9, 300);
      CHECK(live.late_changes <= 1);
    }
}

TEST_CASE("live: in the simulator, an operator that becomes slower gets more") {
  // crop becomes the most expensive part
  auto later = photos;
  later[1].seconds = 0.32;
  const double best = best_of(later, 16);
  simulated_stream s(photos, 16);
  const auto by = baselines::set_by_live(16);
  double next = 0.05;
  for (bool slow = false; s.now() < 20;) {
    if (!slow && s.now() > 10) s.cost(1, 0.32), slow = true;
    next = by(s, s.run(next));
  }
  const auto t = s.run(5);
  CHECK(static_cast<double>(t.counters.back().completions) / t.wall_seconds > 0.95 * best);
}

namespace {
/// 1000 elements of `decode`, 1 MB, take 9 of 10 seconds; `crop` draws random numbers.
pl::trace cached_or_not() {
  made_trace t(10, 2);
  t.add({"numbers", form::source, {}, pl::cardinality::exactly(1000), 0, {.completions = 1000}});
  t.add({"decode",
         form::element,
         {1},
         pl::cardinality::exactly(1000),
         1,
         {.completions = 1000, .bytes = 1'000'000, .cpu_seconds = 9, .wall_seconds = 9}});
  t.part({2}, false, 0, 1000);
  t.add({"crop",
         form::element,
         {2},
         pl::cardinality::exactly(1000),
         1,
         {.completions = 1000, .bytes = 1000, .cpu_seconds = 1, .wall_seconds = 1}});
  t.operators.back().random = true;
  t.part({3}, false, 0, 1000);
  return t;
}
}  // namespace

TEST_CASE("live: another form, if caches no longer fit, or the plan is a tenth faster") {
  const auto t = cached_or_not();
  pl::goal want;
  want.cache_sites = std::vector<std::uint32_t>{2};
  const pl::resources large{.cores = 2, .memory = 1e8}, small{.cores = 2, .memory = 1e5};
  const auto rich = pl::make_plan(t, large, want), poor = pl::make_plan(t, small, want);
  REQUIRE(rich.best.caches == std::vector<std::uint32_t>{2});
  REQUIRE(poor.best.caches.empty());
  CHECK_FALSE(pl::better_form(t, rich.best, 1e6, large, want, 0));
  CHECK_FALSE(pl::better_form(t, poor.best, 0, small, want, 0));
  const auto dropped = pl::better_form(t, rich.best, 1e6, small, want, 7);
  REQUIRE(dropped);
  CHECK(dropped->made.best.caches.empty());
  CHECK(dropped->log.what == "form: cache after 2 -> no cache");
  CHECK_THAT(dropped->log.why, Contains("the caches hold 1.0 MB, and the budget is 100 kB now"));
  const auto put = pl::better_form(t, poor.best, 0, large, want, 7);
  REQUIRE(put);
  CHECK(put->made.best.caches == std::vector<std::uint32_t>{2});
  auto fast = poor.best;
  fast.rate = put->made.best.rate / 1.05;
  CHECK_FALSE(pl::better_form(t, fast, 0, large, want, 7));
}

TEST_CASE("live: a cache where whole epochs showed that it is worth it, as far as the consumer takes elements") {
  auto t = cached_or_not();
  t.consumer_wait_seconds = 9.9;
  pl::goal want;
  want.cache_sites = std::vector<std::uint32_t>{2};
  const pl::resources have{.cores = 2, .memory = 1e8};
  const pl::plan none{};
  const auto put = pl::form_shown(t, none, have, want, 7);
  REQUIRE(put);
  CHECK(put->made.best.caches == std::vector<std::uint32_t>{2});
  CHECK(put->log.what == "form: no cache -> cache after 2");
  CHECK_THAT(put->log.why, Contains("from what its elements cost and hold, 200 a second are possible without"));
  CHECK(put->log.observed == Approx(100));
  CHECK_FALSE(pl::better_form(put->seen, put->made.best, 1e6, have, want, 8));
  CHECK_FALSE(pl::form_shown(t, none, {.cores = 2, .memory = 1e5}, want, 7));
  // the consumer computes for half of the time: it takes at most 200 a second
  t.consumer_wait_seconds = 5;
  CHECK_FALSE(pl::form_shown(t, none, have, want, 7));
  // what it would save is little
  t = cached_or_not();
  t.counters[1].cpu_seconds = t.counters[1].wall_seconds = t.parts[0].cpu_seconds = t.parts[0].wall_seconds = 0.1;
  t.consumer_wait_seconds = 9.9;
  CHECK_FALSE(pl::form_shown(t, none, have, want, 7));
}

TEST_CASE("live: what was not recorded counts as what was") {
  auto t = cached_or_not();
  auto part = t;
  part.epochs = t.epochs = 2;
  t.files["a"] = {2000, 1000}, part.files["a"] = {700, 1000};
  for (auto& c : part.counters) {
    c.completions /= 4, c.bytes /= 4, c.cpu_seconds /= 4, c.wall_seconds /= 4;
    c.unrecorded = 3 * c.completions, c.unrecorded_bytes = 3 * c.bytes;
  }
  for (auto& p : part.parts) p.messages /= 4, p.cpu_seconds /= 4, p.wall_seconds /= 4;
  part.wall_seconds /= 4;
  const auto all = pl::as_if_recorded(part);
  for (std::size_t i = 0; i != 3; ++i) {
    CHECK(all.counters[i].completions == t.counters[i].completions);
    CHECK(all.counters[i].bytes == t.counters[i].bytes);
    CHECK(all.counters[i].cpu_seconds == t.counters[i].cpu_seconds);
    CHECK(all.counters[i].unrecorded == 0);
  }
  CHECK(all.parts[1].messages == t.parts[1].messages);
  CHECK(all.parts[1].wall_seconds == t.parts[1].wall_seconds);
  CHECK(all.wall_seconds == t.wall_seconds);
  CHECK(all.files.at("a").bytes == 2000);
}

TEST_CASE("live: caches that hold more than was planned go, once") {
  auto t = cached_or_not();
  pl::goal want;
  want.cache_sites = std::vector<std::uint32_t>{2};
  const pl::resources have{.cores = 2, .memory = 5e6};
  const auto rich = pl::make_plan(t, have, want);
  REQUIRE(rich.best.caches == std::vector<std::uint32_t>{2});
  const auto dropped = pl::better_form(t, rich.best, 1e8, have, want, 7);
  REQUIRE(dropped);
  CHECK(dropped->made.best.caches.empty());
  CHECK_THAT(dropped->log.why, Contains("the caches hold 100 MB, not 1.0 MB as planned, and the budget is 5.0 MB now"));
  CHECK_FALSE(pl::better_form(dropped->seen, dropped->made.best, 0, have, want, 8));
  // it comes back where it fits
  const pl::resources more{.cores = 2, .memory = 2e8};
  const auto put = pl::better_form(dropped->seen, dropped->made.best, 0, more, want, 9);
  REQUIRE(put);
  CHECK(put->made.best.caches == std::vector<std::uint32_t>{2});
  CHECK_FALSE(pl::better_form(put->seen, put->made.best, 1e8, more, want, 10));
}

TEST_CASE(
    "live: of a cache that holds more than was planned a share is kept, and a small share goes for the same reason") {
  auto t = cached_or_not();
  for (auto& row : t.operators) row.facts.keyed = true;
  pl::goal want;
  want.cache_sites = std::vector<std::uint32_t>{2};
  want.share_sites = {2};
  const pl::resources have{.cores = 2, .memory = 5e6};
  const auto small = pl::better_form(t, pl::make_plan(t, have, want).best, 1e8, have, want, 7);
  REQUIRE(small);
  REQUIRE(small->made.best.shares.size() == 1);
  const double kept = small->made.best.shares[0].size();
  CHECK(kept <= 0.045);
  CHECK(kept >= 0.036);
  CHECK_FALSE(pl::better_form(small->seen, small->made.best, 4.4e6, have, want, 8));
  // it holds twice as much as it should: half of it would be worth less than 2 %
  const auto none = pl::better_form(small->seen, small->made.best, 9e6, have, want, 9);
  REQUIRE(none);
  CHECK(none->made.best.caches.empty());
  CHECK_FALSE(pl::better_form(none->seen, none->made.best, 0, have, want, 10));
}
