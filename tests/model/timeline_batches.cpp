// Batches and depths of queues of timelines that are made by hand.
#include <plumbline/timeline.hpp>

#include <catch2/catch.hpp>

namespace pl = plumbline;

namespace {

/// One part on one thread, whose messages are in segment 0.
struct events {
  pl::timeline t{};
  events() {
    t.operators = {"range", "map"};
    t.parts = {{.number = 0, .operators = {1, 2}, .takes = 1, .element_bytes = 8}};
    t.threads = {"consumer", "thread 1"};
  }
  void made(std::uint64_t sequence, std::uint64_t elements, std::int64_t at) {
    pl::work_record w;
    w.thread = 1;
    w.sequence = sequence, w.elements = elements, w.begun = at - 1, w.ended = at;
    t.work.push_back(w);
  }
  void fetched(std::uint64_t sequence, std::uint64_t first, std::uint64_t elements, std::uint64_t skipped,
               std::int64_t asked, std::int64_t had) {
    t.fetches.push_back({0, sequence, 0, first, elements, asked, had, skipped});
  }
};

}  // namespace

TEST_CASE("timeline batches: the wait for a loaded state includes the messages that are passed over") {
  events e;
  for (std::uint64_t i = 0; i != 4; ++i) e.made(i, 10, 100 + 100 * std::int64_t(i));
  e.fetched(0, 10, 0, 10, 50, 101);
  e.fetched(1, 20, 0, 10, 102, 201);
  e.fetched(2, 25, 5, 5, 202, 301);
  e.fetched(3, 30, 10, 0, 310, 401);
  // of elements that were timed, those of batches
  for (const std::uint64_t place : {0U, 7U}) {
    pl::sample_record s;
    s.thread = 1, s.operation = 2, s.sequence = 2, s.place = place, s.begun = 299, s.ended = 300;
    e.t.samples.push_back(s);
  }
  const auto log = pl::batches_of(e.t);
  REQUIRE(log.batches.size() == 15);
  CHECK((log.batches[0].index == 25 && log.batches[0].asked == 50 && log.batches[0].had == 301));
  CHECK((log.batches[5].index == 30 && log.batches[5].asked == 310));
  for (std::size_t i = 0; i != 15; ++i) CHECK((log.batches[i].pass == 0 && log.batches[i].elements.size() == (i == 2)));
}

TEST_CASE("timeline batches: a message whose own work is not recorded, but that another part took") {
  pl::timeline t;
  t.operators = {"map", "batch"};
  t.parts = {{.number = 1, .operators = {1}}, {.number = 2, .operators = {2}, .serial = true, .takes = 2}};
  t.threads = {"consumer", "thread 1"};
  t.takes.push_back({.segment = 0, .by = 1, .sequence = 7, .at = 5});
  for (std::uint64_t i = 0; i != 3; ++i) {
    pl::work_record w;
    w.thread = 1, w.part = 2, w.segment = 1, w.sequence = i, w.first = i, w.elements = 1;
    w.takes = true, w.input_sequence = 7, w.input_used = 2 * (i + 1);
    w.begun = 10 * std::int64_t(i), w.ended = w.begun + 9;
    t.work.push_back(w);
    t.fetches.push_back({1, i, 0, i, 1, w.ended, w.ended + 1, 0});
  }
  CHECK(pl::batches_of(t).batches.size() == 3);
}

TEST_CASE("timeline batches: a beginning that was overwritten is not known") {
  // a stage's message goes into a serial part's, which a stage of another part completes
  pl::timeline t;
  t.operators = {"map", "batch", "map"};
  t.parts = {{.number = 1, .operators = {1}},
             {.number = 2, .operators = {2}, .serial = true, .takes = 2},
             {.number = 3, .operators = {3}}};
  t.threads = {"consumer", "thread 1"};
  for (std::uint64_t i = 0; i != 3; ++i) {
    const auto at = 100 * std::int64_t(i);
    t.work.push_back(
        {.thread = 1, .part = 1, .sequence = i, .first = 2 * i, .elements = 2, .begun = at, .ended = at + 10});
    t.takes.push_back({.segment = 0, .by = 1, .sequence = i, .at = at + 20});
    pl::work_record w{.thread = 1, .part = 2, .segment = 1, .sequence = i, .first = i, .elements = 1};
    w.begun = at + 20, w.ended = at + 30, w.takes = true, w.input_sequence = i, w.input_used = 2;
    t.work.push_back(w);
    w = {.thread = 1, .part = 3, .segment = 1, .sequence = i, .first = i, .elements = 1};
    w.begun = at + 40, w.ended = at + 50;
    t.work.push_back(w);
    t.fetches.push_back({1, i, 0, i, 1, at + 50, at + 60, 0});
  }
  const auto lost = [](const pl::timeline& of) {
    std::string all;
    for (const auto& b : pl::batches_of(of).batches) all += b.begun_lost ? 'x' : '.';
    return all;
  };
  CHECK(lost(t) == "...");
  const auto cut = [&](auto&& change) {
    auto less = t;
    less.dropped = 1;
    change(less);
    return lost(less);
  };
  CHECK(cut([](auto&) {}) == "...");
  CHECK(cut([](auto& less) { less.since = 100; }) == "x..");
  const auto without_work = [&](std::ptrdiff_t i) {
    return cut([&](auto& less) { less.work.erase(less.work.begin() + i); });
  };
  CHECK(without_work(0) == "xx.");  // of a message of unknown size, a rest may be in the next batch
  CHECK(without_work(1) == "x..");
  CHECK(without_work(3) == ".xx");
  CHECK(cut([](auto& less) { less.takes.erase(less.takes.begin() + 1); }) == ".x.");
  CHECK(cut([](auto& less) {
          less.takes.erase(less.takes.begin() + 1);
          less.parts[1].takes = 0;
        }) == "xxx");
  CHECK(cut([](auto& less) { less.parts[1].takes = 0; }) == "x..");  // what it had before the first is not known
}

TEST_CASE("timeline batches: what was fetched and left is not waited for until the next pass") {
  events e;
  e.made(0, 4, 100);
  e.made(1, 4, 1000);
  e.fetched(0, 0, 4, 0, 50, 101);
  e.fetched(1, 0, 4, 0, 900, 1001);
  const auto log = pl::batches_of(e.t);
  REQUIRE(log.batches.size() == 8);
  for (std::size_t i = 0; i != 8; ++i) CHECK((log.batches[i].pass == i / 4 && log.batches[i].index == i % 4));
  for (std::size_t i = 0; i != 4; ++i) CHECK((log.batches[i].had == 101 && log.batches[i].released <= 101));
}

TEST_CASE("timeline batches: a call that returns late moves no other thread's elements") {
  events e;
  e.t.threads.push_back("consumer 2");
  e.made(0, 5, 100);
  e.made(1, 5, 400);
  e.fetched(0, 0, 5, 0, 50, 100);
  e.fetched(1, 5, 5, 0, 300, 500);
  // consumer 2 had element 2, and lost its core before it could record that
  e.t.calls.push_back({.epoch = 0, .position = 2, .asked = 150, .had = 450, .thread = 2});
  const auto log = pl::batches_of(e.t);
  REQUIRE(log.batches.size() == 10);
  CHECK((log.batches[2].consumer == "consumer 2" && log.batches[2].had == 450));
  for (const std::size_t i : {1U, 3U, 4U}) {
    CAPTURE(i);
    const auto& b = log.batches[i];
    CHECK((b.consumer == "consumer" && b.had == 100 + 40 * std::int64_t(i)));
    CHECK(b.released == (i == 1 ? 220 : i == 3 ? 260 : 300));
  }
}

TEST_CASE("timeline batches: what a thread had, it had when it called for more") {
  events e;
  e.made(0, 4, 100);
  e.made(1, 4, 500);
  e.fetched(0, 0, 4, 0, 50, 100);
  e.fetched(1, 4, 4, 0, 480, 510);
  e.t.calls.push_back({.epoch = 0, .position = 4, .asked = 140, .had = 511});  // it lost its core before it fetched
  const auto log = pl::batches_of(e.t);
  REQUIRE(log.batches.size() == 8);
  for (std::size_t i = 0; i != 4; ++i)
    CHECK((log.batches[i].had == 100 + 10 * std::int64_t(i) && log.batches[i].released == log.batches[i].had + 10));
  CHECK(log.batches[4].asked == 140);
}

TEST_CASE("timeline batches: depths of queues with empty messages, and messages that are passed over") {
  events e;
  e.made(0, 0, 10);
  e.made(1, 2, 20);
  e.made(2, 0, 30);
  e.made(3, 2, 40);
  e.made(4, 0, 50);
  e.fetched(1, 2, 0, 2, 60, 61);
  e.fetched(3, 2, 2, 0, 70, 71);
  e.fetched(0, 4, 0, 0, 80, 81);  // the end
  const auto depths = pl::queue_depths(e.t);
  REQUIRE(depths.size() == 4);
  const std::int64_t at[]{20, 40, 61, 71}, messages[]{1, 2, 1, 0};
  for (std::size_t i = 0; i != 4; ++i) CHECK((depths[i].at == at[i] && depths[i].messages == messages[i]));
  for (const auto& d : depths) CHECK(d.bytes == 16 * double(d.messages));
}
