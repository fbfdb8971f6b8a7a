// What a run with tracing::timeline records: every message and batch, who made it and when, in agreement with the
// counters, with the consumer's own clocks and with where slow elements really are.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/tries.hpp>
#include <support/watchdog.hpp>

#include <plumbline/exec/event_ring.hpp>
#include <plumbline/ext/chrome_trace.hpp>
#include <plumbline/model/mistakes.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>

#include <atomic>
#include <limits>
#include <numeric>
#include <set>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
auto busy(std::chrono::nanoseconds n) {
  return [n](std::int64_t x) {
    for (const auto end = now() + n.count(); now() < end;) {
    }
    return x;
  };
}
const auto even = [](std::int64_t x) { return x % 2 == 0; };
template <class P> pl::timeline events(const P& p, std::size_t threads, std::size_t epochs = 1) {
  auto s = pl::run<pl::tracing::timeline>(p, with(threads));
  for (std::size_t e = 0; e != epochs; ++e) {
    if (e != 0) s.restart();
    drained(s);
  }
  return s.timeline();
}

}  // namespace

TEST_CASE("timeline: a run without events says how to get them") {
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run<pl::tracing::counters>(pl::range(10), with(threads));
    drained(s);
    CHECK_THROWS_WITH(s.timeline(), Contains("plumbline: timeline: this run records no events") &&
                                        Contains("run<pl::tracing::timeline>(p)"));
    auto t = pl::run(pl::range(10), with(threads));
    CHECK_THROWS_WITH(t.timeline(), Contains("records no events"));
  }
}

namespace {
/// Returns x unchanged. It blocks, and its try refuses every third element.
struct tried_op : pl::op_base {
  static constexpr std::string_view name = "tried";
  static constexpr bool blocking = true;
  template <class In> In transform(const pl::element_context&, In&& x) const { return x; }
  template <class In> std::optional<In> try_transform(const pl::element_context&, In& x) const {
    return x % 3 == 0 ? std::nullopt : std::optional<In>(x);
  }
};
}  // namespace

TEST_CASE("timeline: work that is tried and refused has an end, too") {
  const auto t = events(pl::range(300) | tried_op{} | pl::batch(10), 2);
  std::size_t refused = 0;
  for (const auto& w : t.work) {
    CHECK(w.begun <= w.ended);
    refused += w.made ? 0 : 1;
  }
  CHECK(refused > 0);
}

TEST_CASE("timeline: the elements and counters are the same") {
  const auto noise = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(50)); };
  const auto text = [](std::int64_t x) { return std::to_string(x); };
  const auto size = [](const std::string& s) { return static_cast<std::int64_t>(s.size()); };
  const auto p =
      pl::zip(pl::range(500) | pl::map(text) | pl::map(size) | pl::map(noise) | pl::filter(even) | pl::shuffle(7, 3),
              serial(100)) |
      pl::enumerate() | pl::batch(3);
  for (const std::size_t threads : {0U, 1U, 3U}) {
    auto s = pl::run<pl::tracing::timeline>(p, with(threads));
    CHECK(drained(s) == reference_texts(p, {7, 0}));
    const auto whole =
        pl::range(500) | pl::map(text) | pl::map(size) | pl::filter(even) | pl::shuffle(7, 3) | pl::batch(3);
    auto e = pl::run<pl::tracing::timeline>(whole, with(threads));
    auto c = pl::run<pl::tracing::counters>(whole, with(threads));
    drained(e);
    drained(c);
    const auto a = e.traced(), b = c.traced();
    for (std::size_t i = 0; i != a.counters.size(); ++i) {
      CHECK(a.counters[i].completions == b.counters[i].completions);
      CHECK(a.counters[i].bytes == b.counters[i].bytes);
    }
  }
}

TEST_CASE("timeline: a record for each message, take, fetch and batch") {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    INFO("threads " << threads);
    const auto p =
        pl::range(5000) | pl::map(busy(0ns)) | pl::filter(even) | pl::batch(10) | pl::map([](auto b) { return b; });
    auto s = pl::run<pl::tracing::timeline>(p, with(threads));
    for (int epoch = 0; epoch != 2; ++epoch)
      for (auto& b : s) CHECK(b.size() == 10);
    const auto t = s.timeline();
    CHECK(t.dropped == 0);
    CHECK(t.operators.size() == 5);
    CHECK(t.threads.front() == "consumer");
    std::uint64_t fetched = 0, messages = 0;
    for (const auto& f : t.fetches) fetched += f.elements;
    CHECK(fetched == 500);
    for (const auto& part : s.traced().parts) messages += part.messages;
    CHECK(static_cast<std::uint64_t>(std::count_if(t.work.begin(), t.work.end(), [](auto& w) { return w.made; })) ==
          messages);
    for (const auto& w : t.work) {
      CHECK(w.begun <= w.ended);
      CHECK((w.queued == 0 || w.queued <= w.begun + 1000));
      CHECK(w.thread < t.threads.size());
    }
    const auto log = pl::batches_of(t);
    REQUIRE(log.batches.size() == 500);
    std::set<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const auto& b : log.batches) {
      all.emplace(b.epoch, b.index);
      CHECK(b.begun <= b.ready);
      CHECK(b.ready <= b.had);
      CHECK(b.asked <= b.had);
      CHECK((b.released == 0 || b.released >= b.consumed));
    }
    CHECK(all.size() == 500);
    CHECK(all.rbegin()->first == 1);
    CHECK(all.rbegin()->second == 249);
    for (const auto& d : pl::queue_depths(t)) CHECK(d.messages >= 0);
    CHECK_NOTHROW(pl::report(log));
    CHECK_THAT(pl::write_csv(log), Contains("\n1,249,"));
  }
}

TEST_CASE("timeline: operators' times are those of the counters") {
  for (const std::size_t threads : {0U, 2U}) {
    INFO("threads " << threads);
    const auto p = pl::range(3000) | pl::map(busy(30us)) | pl::filter(even) | pl::map(busy(20us)) | pl::batch(100);
    const auto sum = [](const pl::trace& t) {
      double all = 0;
      for (const auto& x : t.counters) all += x.wall_seconds;
      return all;
    };
    const auto agree = [&](auto& measured) {
      auto c = pl::run<pl::tracing::counters>(p, with(threads));
      drained(c);
      auto e = pl::run<pl::tracing::timeline>(p, with(threads));
      drained(e);
      const auto seconds = pl::operator_seconds(e.timeline());
      const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0), own = sum(e.traced()),
                   other = sum(c.traced());
      measured << all << " s, its counters " << own << " s, those of another run " << other << " s; ";
      // A quiet machine shows 5 %. The events are wall time as it passed; from the counters' the time is taken in which
      // a thread had no core, so with other work on the machine the events are several times longer.
      const auto near = [](double x) { return x > 0.5 && x < 5; };
      return near(all / own) && near(all / other) && near(seconds[1] / e.traced().counters[1].wall_seconds);
    };
    CHECK(holds_in_time("times of operators", agree));
  }
}

TEST_CASE("timeline: waits and delays are those of the consumer's own clocks") {
  for (const std::size_t threads : {0U, 1U, 2U}) {
    for (const bool slow_consumer : {false, true}) {
      INFO("threads " << threads << ", slow consumer " << slow_consumer);
      // when the last element of each batch was made
      const auto made = std::make_shared<std::array<std::atomic<std::int64_t>, 40>>();
      const auto p = pl::range(40 * 8) | pl::map([](std::int64_t x) { return busy(200us)(x); }) | pl::batch(8) |
                     pl::map([made](pl::tensor<std::int64_t> b) {
                       (*made)[static_cast<std::size_t>(b.data()[0] / 8)] = now();
                       return b;
                     });
      const auto agree = [&](auto& measured) {
        auto s = pl::run<pl::tracing::timeline>(p, with(threads));
        std::vector<std::array<std::int64_t, 2>> own;
        for (auto asked = now();; asked = now()) {
          const auto b = s.next();
          if (!b) break;
          own.push_back({asked, now()});
          if (slow_consumer) busy(2ms)(0);
        }
        const auto log = pl::batches_of(s.timeline());
        if (log.batches.size() != 40 || own.size() != 40) return false;
        double worst_wait = 0, worst_delay = 0;
        for (std::size_t i = 0; i != 40; ++i) {
          const auto& b = log.batches[i];
          worst_wait = std::max(worst_wait, std::abs(b.wait() - 1e-9 * double(own[i][1] - own[i][0])));
          worst_delay = std::max(worst_delay, std::abs(b.delay() - 1e-9 * double(own[i][1] - (*made)[i])));
        }
        measured << "wait off by " << worst_wait << " s, delay by " << worst_delay << " s; ";
        return worst_wait < 500e-6 && worst_delay < 500e-6;  // ten times what a quiet machine shows
      };
      CHECK(holds_in_time("waits and delays", agree, 30));
    }
  }
}

TEST_CASE("timeline: the report names a slow element, its operator and its batch") {
  // 10 of 10,000 elements, with others of a few nanoseconds before and after them
  const auto named = [](const auto& p, unsigned threads, std::size_t least) {
    INFO("threads " << threads << ", " << pl::explain(p).text);
    // where the slow ones are
    std::map<std::string, std::uint64_t> batch_of;
    {
      std::uint64_t i = 0;
      for (const auto& b : pl::run(p, with(4))) {
        for (const auto x : b.span())
          if (x % 1000 == 700) batch_of["element " + std::to_string(x) + " of range"] = i;
        ++i;
      }
    }
    auto s = pl::run<pl::tracing::timeline>(p, with(threads));
    drained(s);
    const auto r = pl::report(pl::batches_of(s.timeline()), {.limits = {0.05}, .worst = 50});
    std::size_t found = 0;
    for (const auto& e : r.slowest) {
      // with other work on the machine, others may be as slow
      if (e.seconds < 0.05 || batch_of.count(e.name) == 0) continue;
      INFO(e.name << " in " << e.operation << ", batch " << e.batch);
      CHECK(e.operation == "map(lambda)");
      CHECK(e.batch == batch_of[e.name]);
      ++found;
    }
    CHECK(found >= least);
    CHECK(r.preparation.above[0].share > 0.02);
  };
  const auto slow = pl::map([](std::int64_t x) {
    if (x % 1000 == 700) std::this_thread::sleep_for(100ms);
    return x;
  });
  const auto same = pl::map([](std::int64_t x) { return x; });
  // the first on each thread may be among elements that were not timed, and so may the one after it
  for (const unsigned threads : {0U, 1U, 3U}) {
    const std::size_t least = 10 - 2 * std::max(threads, 1U);
    named(pl::range(10000) | pl::shuffle(3) | same | slow | pl::batch(32), threads, least);
    // neither its place in the block nor that in the message is its place among the results
    const auto some = pl::filter([](std::int64_t x) { return x % 3 != 0 || x % 1000 == 700; });
    named(pl::range(10000) | some | slow | some | pl::batch(32), threads, least);
  }
}

TEST_CASE("timeline: a single slow element is named, wherever it is") {
  for (const std::int64_t at : {0, 23, 40, 71, 150, 298}) {
    const auto p = pl::range(300) | pl::map([](std::int64_t x) { return busy(20us)(x); }) |
                   pl::map([at](std::int64_t x) {
                     if (x == at) std::this_thread::sleep_for(50ms);
                     return x;
                   }) |
                   pl::batch(5);
    for (const std::size_t threads : {0U, 1U, 3U}) {
      INFO("threads " << threads);
      const auto r = pl::report(pl::batches_of(events(p, threads)));
      // with other work on the machine, others may be as slow
      const auto name = "element " + std::to_string(at) + " of range";
      const auto found = std::ranges::find(r.slowest, name, [](const auto& e) { return e.name; });
      REQUIRE(found != r.slowest.end());
      CHECK(found->operation == "map(lambda)");
      CHECK(found->batch == static_cast<std::uint64_t>(at / 5));
    }
  }
}

TEST_CASE("timeline: slow files are named") {
  temp_folder folder;
  for (int i = 0; i != 40; ++i) folder.write("f" + std::to_string(100 + i), std::string(i == 23 ? 3000 : 100, 'x'));
  for (const std::size_t threads : {0U, 2U}) {
    const auto p = pl::files(folder.path() + "/*") | pl::shuffle(1) | pl::read_file() |
                   pl::map([](const pl::file_contents& f) {
                     if (f.data.size() > 1000) std::this_thread::sleep_for(50ms);
                     return std::string(f.data.size(), 'y');
                   }) |
                   pl::map([](const std::string& x) { return static_cast<std::int64_t>(x.size()); }) | pl::batch(5);
    std::uint64_t batch = 0, at = 0;
    for (const auto& b : pl::run(p, with(2))) {
      for (const auto x : b.span())
        if (x > 1000) batch = at;
      ++at;
    }
    pl::batch_report r;
    const auto timed = [&](auto& measured) {  // which elements are timed depends on what they cost
      r = pl::report(pl::batches_of(events(p, threads)));
      if (r.slowest.empty()) return false;
      measured << r.slowest[0].name << " is the slowest";
      return r.slowest[0].name.find("f123") != std::string::npos;
    };
    REQUIRE(holds_in_time("the slow file is timed", timed));
    CHECK(r.slowest[0].batch == batch);
    CHECK(r.slowest[0].operation == "map(lambda)");
    CHECK_THAT(pl::explain(r).text, Contains("f123"));
  }
}

TEST_CASE("timeline: one file in a thousand takes 100 ms") {
  temp_folder folder;
  for (int i = 0; i != 3000; ++i) folder.write("f" + std::to_string(10'000 + i), i % 1000 == 700 ? "slow" : "x");
  const auto p = pl::files(folder.path() + "/*") | pl::read_file() | pl::map([](const pl::file_contents& f) {
                   if (f.data.size() > 1) std::this_thread::sleep_for(100ms);
                   return busy(20us)(static_cast<std::int64_t>(f.data.size()));
                 }) |
                 pl::batch(10);
  for (const std::size_t threads : {0U, 2U}) {
    const auto r = pl::report(pl::batches_of(events(p, threads)));
    for (const std::uint64_t i : {700U, 1700U, 2700U}) {
      const auto name = "/f" + std::to_string(10'000 + i);
      INFO(name << ", " << threads << " threads");
      const auto found =
          std::ranges::find_if(r.slowest, [&](const auto& e) { return e.name.find(name) != std::string::npos; });
      REQUIRE(found != r.slowest.end());
      CHECK(found->operation == "map(lambda)");
      CHECK(found->batch == i / 10);
    }
  }
}

TEST_CASE("timeline: batches out of order") {
  const watchdog guard("timeline: out of order");
  // made by several threads at once, of which the first waits for the others
  const auto made = std::make_shared<std::array<std::atomic<bool>, 12>>();
  const auto p = pl::range(12) | pl::map([made](std::int64_t x) {
                   const auto i = static_cast<std::size_t>(x);
                   if (x % 3 == 0) {
                     for (const auto later : {i + 1, i + 2}) (*made)[later].wait(false);
                     std::this_thread::sleep_for(60ms);
                   }
                   (*made)[i] = true;
                   (*made)[i].notify_all();
                   return x;
                 });
  auto s = pl::run<pl::tracing::timeline>(p, {.threads = 3, .chunk = 1});
  drained(s);
  const auto r = pl::report(pl::batches_of(s.timeline()));
  CHECK(r.batches == 12);
  CHECK(r.out_of_order >= 4);
  CHECK(r.kept.most > 0.02);
  CHECK(r.waited_for_order > 0.02);
  CHECK(r.producer_bound);
}

TEST_CASE("timeline: memory is limited, and what is dropped is counted") {
  for (const std::size_t threads : {0U, 2U}) {
    const auto p = pl::range(20000) | pl::map(busy(0ns));
    auto options = with(threads);
    options.chunk = 10;
    options.timeline_bytes = 64 * 1024;  // 1,024 events
    auto s = pl::run<pl::tracing::timeline>(p, options);
    drained(s);
    const auto t = s.timeline();
    const auto kept = t.work.size() + t.takes.size() + t.fetches.size() + t.calls.size() + t.samples.size();
    CHECK(kept <= 1024);
    CHECK(t.dropped > 1000);
    const auto r = pl::report(pl::batches_of(t));
    CHECK(r.dropped == t.dropped);
    CHECK_THAT(pl::explain(r).text,
               Contains(std::to_string(t.dropped) + " events were overwritten: the report covers "));
    CHECK_THAT(pl::write_csv(pl::batches_of(t)), Contains("," + std::to_string(t.dropped) + "\n"));
    // with a file, nothing is lost as long as it keeps up
    temp_folder folder;
    options.timeline_file = folder / "events";
    options.timeline_bytes = 8 << 20;
    auto f = pl::run<pl::tracing::timeline>(p, options);
    drained(f);
    const auto all = f.timeline();
    CHECK(all.dropped == 0);
    CHECK(pl::batches_of(all).batches.size() == 20000);
    CHECK(f.timeline().work.size() == all.work.size());
  }
  auto options = with(2);
  options.timeline_bytes = 0;
  CHECK_THROWS_WITH(
      pl::run<pl::tracing::timeline>(pl::range(3), options),
      "plumbline: run: timeline_bytes is 0, which keeps no events; leave it out or give bytes, 64 for each event");
  options = with(2);
  options.timeline_file = "/nowhere/events";
  CHECK_THROWS_WITH(pl::run<pl::tracing::timeline>(pl::range(3), options),
                    Contains("timeline_file \"/nowhere/events\" cannot be written: No such file or directory; name"));
  {
    temp_folder folder;
    options.timeline_file = folder / "events";
    auto first = pl::run<pl::tracing::timeline>(pl::range(100) | pl::batch(10), options);
    drained(first);
    CHECK_THROWS_WITH(pl::run<pl::tracing::timeline>(pl::range(3), options),
                      Contains("/events\" holds the timeline of another stream, which still exists; give each"));
    CHECK(pl::batches_of(first.timeline()).batches.size() == 10);
    for (const std::size_t threads : {0U, 2U}) {
      options.threads = threads;
      CHECK_THROWS_WITH(pl::run(pl::range(3), options),
                        Contains("timeline_file is set, but this run records no timeline"));
      CHECK_THROWS_WITH(pl::run<pl::tracing::counters>(pl::range(3), options), Contains("records no timeline"));
    }
    options.threads = 2;
    std::ofstream(folder / "events", std::ios::binary) << std::string(100, 'x');  // another program writes to it
    CHECK_THROWS_WITH(first.timeline(), Contains("has been changed by something else; name a file that nothing"));
  }
  options.timeline_file = "/dev/full";
  auto s = pl::run<pl::tracing::timeline>(pl::range(3), options);
  drained(s);
  CHECK_THROWS_WITH(s.timeline(), Contains("timeline_file \"/dev/full\" could not be written or read: No space left on "
                                           "device; name a file on a disk with room"));
}

TEST_CASE("timeline: pausing, and copies while it runs") {
  auto s = pl::run<pl::tracing::timeline>(pl::range(2000) | pl::map(busy(1us)) | pl::batch(10), with(2));
  std::size_t n = 0;
  s.record(false);
  while (s.next() && ++n != 100) {
  }
  CHECK(s.timeline().fetches.empty());
  s.record(true);
  while (s.next()) CHECK_NOTHROW(pl::batches_of(s.timeline()));
  CHECK(!s.timeline().fetches.empty());
}

TEST_CASE("timeline: threads begin to record while the consumer does") {
  constexpr int threads = 4;
  for (int round = 0; round != 500; ++round) {
    pl::detail::event_log log({.bytes = 1U << 16U, .threads = threads, .file = {}}, true);
    std::atomic<int> begun{0};
    std::vector<std::jthread> workers;
    for (int i = 0; i != threads; ++i)
      workers.emplace_back([&] {
        log.own(false)->write({});
        ++begun;
      });
    while (begun != threads) log.consumer().write({});
  }
}

TEST_CASE("timeline: a ring that is copied while it is written") {
  constexpr std::size_t block = pl::detail::event_ring::block_bytes;
  // one that stays as it is, and one that doubles three times and then drops events
  const bool grows = GENERATE(false, true);
  pl::detail::event_budget more(8 * block);
  pl::detail::event_ring ring(grows ? block : 64 * 64, more, "thread");
  std::atomic<bool> ended{false};
  std::thread writer([&] {
    for (std::uint64_t i = 0; i != 200'000; ++i) {
      pl::detail::timeline_event e;
      e.sequence = e.index = e.other = i;
      e.begun = e.ended = static_cast<std::int64_t>(i);
      ring.write(e);
    }
    ended = true;
  });
  std::uint64_t from = 0, seen = 0, lost = 0;
  std::vector<pl::detail::timeline_event> some;
  for (bool last = false;; last = ended) {
    some.clear();
    const auto before = from;
    const auto first = ring.copy(some, from);
    lost += first - before;
    for (std::size_t i = 0; i != some.size(); ++i) {
      const auto want = first + i;
      // whole, in order, without gaps
      REQUIRE((some[i].sequence == want && some[i].index == want && some[i].other == want &&
               some[i].ended == static_cast<std::int64_t>(want)));
    }
    seen += some.size();
    REQUIRE(seen + lost == from);
    if (last) break;
  }
  writer.join();
  CHECK(from == 200'000);
  from = 0;
  some.clear();
  const std::uint64_t kept = grows ? 8 * block / 64 : 64;
  CHECK(ring.copy(some, from) == 200'000 - kept);
  CHECK(some.size() == kept);
  CHECK(more.take(grows ? block : 8 * block));
  CHECK(!more.take(1));
}

TEST_CASE("timeline: threads that write little leave their memory to the others") {
  // as on a machine with 96 cores, where each would have 2,048 events
  constexpr std::size_t threads = 96 + 192 + 1, written = 150'000;
  pl::detail::event_log log({.bytes = std::size_t{64} << 20U, .threads = threads, .file = {}}, true);
  std::vector<std::jthread> idle;
  for (std::size_t i = 1; i != threads; ++i) idle.emplace_back([&] { log.own(true)->write({}); });
  idle.clear();
  auto& worker = *log.own(false);
  for (std::size_t i = 0; i != 4 * written; ++i) worker.write({});  // it does not get the consumer's
  for (std::size_t i = 0; i != written; ++i) log.consumer().write({});
  for (auto* ring : {&worker, &log.consumer()}) {
    std::vector<pl::detail::timeline_event> some;
    std::uint64_t from = 0;
    ring->copy(some, from);
    CHECK(some.size() >= written);
  }
}

TEST_CASE("timeline: JSON and Chrome's trace format, and back") {
  for (const std::size_t threads : {0U, 2U}) {
    const auto p = pl::range(400) | pl::map(busy(20us)) | pl::filter(even) | pl::batch(10);
    const auto t = events(p, threads, 2);
    CHECK(pl::write_json(pl::read_json<pl::timeline>(pl::write_json(t))) == pl::write_json(t));
    const auto text = pl::chrome_trace(t);
    CHECK(pl::write_json(pl::read_chrome_trace(text)) == pl::write_json(t));
    const auto v = nlohmann::json::parse(text);
    std::map<int, std::string> names;
    std::map<int, std::vector<std::pair<double, double>>> slices;
    std::map<std::uint64_t, std::vector<nlohmann::json>> flows;
    std::size_t counters = 0, batches = 0;
    double most_memory = 0;
    for (const auto& e : v["traceEvents"]) {
      if (e["ph"] == "M" && e["name"] == "thread_name") names[e["tid"]] = e["args"]["name"];
      if (e["ph"] == "X") slices[e["tid"]].emplace_back(e["ts"], double(e["ts"]) + double(e["dur"]));
      if (e["ph"] == "X" && e["cat"] == "batch") ++batches;
      if (e["ph"] == "s" || e["ph"] == "f") flows[e["id"]].push_back(e);
      if (e["ph"] == "C") {
        ++counters;
        const auto after = e["name"].get<std::string>();
        CHECK_THAT(after, Contains("ready after filter") || Contains("ready after batch"));
        const auto& args = e["args"];
        CHECK(args.size() == 1);  // viewers stack what is in one counter
        if (args.contains("MB"))
          most_memory = std::max(most_memory, args["MB"].get<double>());
        else
          CHECK(args["messages"].get<int>() >= 0);
      }
    }
    CHECK(batches == 40);
    CHECK(flows.size() == 40);
    CHECK((counters > 0 || threads == 0));
    for (const auto& part : t.parts)
      CHECK((part.operators.back() == 4 ? part.element_bytes >= 80 : part.element_bytes == 8));
    for (const auto& d : pl::queue_depths(t)) {
      CHECK((d.bytes == 0 || (d.messages > 0 && d.bytes > 0)));        // a message may be empty
      most_memory -= most_memory == 1e-6 * d.bytes ? most_memory : 0;  // the highest is one of them
    }
    CHECK(most_memory == 0);
    for (const auto& [tid, all] : slices) CHECK(names.count(tid) == 1);
    for (const auto& [id, both] : flows) {
      REQUIRE(both.size() == 2);
      CHECK((both[0]["ph"] == "s" && both[1]["ph"] == "f" && both[1]["bp"] == "e"));
      CHECK(double(both[0]["ts"]) <= double(both[1]["ts"]));
      for (const auto& e : both) {  // viewers bind it to the slice around it
        const auto& in = slices[e["tid"]];
        CHECK(std::any_of(in.begin(), in.end(),
                          [&](const auto& s) { return s.first <= double(e["ts"]) && double(e["ts"]) <= s.second; }));
      }
    }

    for (auto& [tid, all] : slices) {  // slices of one thread nest
      std::sort(all.begin(), all.end(),
                [](auto a, auto b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
      std::vector<double> open;
      for (const auto& [from, to] : all) {
        while (!open.empty() && open.back() <= from) open.pop_back();  // as viewers do: a rounding counts, too
        if (!open.empty()) CHECK(to <= open.back());
        open.push_back(to);
      }
    }
  }
  using Catch::StartsWith;
  CHECK_THROWS_WITH(pl::read_chrome_trace("{\"traceEvents\":[]}"),
                    StartsWith("plumbline: chrome_trace: this is not a trace of plumbline"));
  CHECK_THROWS_WITH(pl::read_chrome_trace("{"), StartsWith("plumbline: chrome_trace: the text cannot be parsed"));
  CHECK_THROWS_WITH(
      pl::load_chrome_trace("nowhere.json"),
      StartsWith("plumbline: chrome_trace: nowhere.json cannot be read: No such file or directory; give the path"));
  temp_folder folder;
  const auto path = folder.write("half.json", "{");
  CHECK_THROWS_WITH(pl::load_chrome_trace(path), StartsWith("plumbline: chrome_trace: " + path + ": the text cannot"));
  CHECK_THROWS_WITH(pl::save_chrome_trace({}, "/dev/full"),
                    StartsWith("plumbline: chrome_trace: /dev/full cannot be written: No space left on device; give"));
}

TEST_CASE("timeline: no run's is taken for a mistake") {
  const auto numbers = [](std::int64_t x) { return pl::range(x % 7); };
  const auto whole = [](const auto& p) {
    for (const std::size_t threads : {0U, 3U}) {
      INFO("threads " << threads);
      const auto t = events(p, threads, 2);
      CHECK(pl::detail::mistake_in(t) == "");
      CHECK(pl::detail::mistake_in(pl::batches_of(t)) == "");
    }
  };
  whole(pl::range(500));
  whole(pl::range(500) | pl::filter(even) | pl::enumerate());  // whose last part has no operator of its own
  whole(pl::range(500) | pl::interleave(numbers, {.cycle_length = 4}) | pl::batch(3) | pl::prefetch(2));
  whole(pl::range(500) | pl::filter(even) | pl::flat_map([](std::int64_t x) {
          return std::vector{x, x};
        }) |
        pl::shuffle(20, 1) | pl::batch(7) | pl::unbatch() | pl::enumerate());
  whole(pl::zip(pl::range(300) | pl::filter(even) | pl::map(busy(0ns)), serial(100) | pl::batch(2)) | pl::group(5));
  whole(pl::concat(pl::range(100) | pl::batch(3), pl::range(50) | pl::filter(even) | pl::batch(4)) | pl::prefetch(3));
}

namespace {
/// A message of segment 0 is taken by segment 1, and that one's message is fetched.
pl::timeline of_two_messages() {
  pl::timeline t;
  t.operators = {"range", "batch"};
  t.parts = {{.number = 1, .operators = {1}}, {.number = 2, .operators = {2}, .serial = true, .takes = 2}};
  t.threads = {"consumer", "thread 1"};
  t.names = {"", "a"};
  t.work = {
      {.thread = 1, .part = 1, .elements = 2, .begun = 10, .ended = 20},
      {.thread = 1, .part = 2, .segment = 1, .elements = 1, .begun = 20, .ended = 30, .takes = true, .input_used = 2}};
  t.takes = {{.segment = 0, .by = 1, .at = 20}};
  t.fetches = {{.segment = 1, .elements = 1, .asked = 5, .had = 30, .thread = 0}};
  t.calls = {{.asked = 5, .had = 30}};
  t.samples = {{.thread = 1, .operation = 1, .name = 1, .begun = 11, .ended = 12}};
  return t;
}
/// What chrome_trace would write of `t`, in the frame of another timeline, with which it does not crash.
std::string in_chrome_form(const pl::timeline& t, const pl::timeline& frame) {
  const auto is = nlohmann::json::parse(pl::write_json(t));
  auto v = nlohmann::json::parse(pl::chrome_trace(frame));
  for (auto& [name, to] : v["otherData"]["timeline"].items())
    if (name != "work" && name != "samples") to = is[name];
  std::size_t work = 0, samples = 0;
  for (auto& e : v["traceEvents"]) {
    if (e.value("cat", "") == "part") e["args"] = is["work"][work++];
    if (e.value("cat", "") == "operator") e["args"] = is["samples"][samples++];
  }
  return v.dump();
}
}  // namespace

TEST_CASE("timeline: a file whose records name what is not there is refused") {
  const auto good = of_two_messages();
  CHECK(pl::read_json<pl::timeline>(pl::write_json(good)).work.size() == 2);
  CHECK(pl::write_json(pl::read_chrome_trace(in_chrome_form(good, good))) == pl::write_json(good));
  const auto batches = pl::batches_of(good).batches;
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].begun == 10);
  const auto refused = [&](auto&& change, const std::string& what) {
    auto t = good;
    change(t);
    CHECK_THROWS_WITH(pl::read_json<pl::timeline>(pl::write_json(t)), Catch::StartsWith("plumbline: json: " + what));
    CHECK_THROWS_WITH(pl::read_chrome_trace(in_chrome_form(t, good)),
                      Catch::StartsWith("plumbline: chrome_trace: " + what));
  };
  constexpr std::int64_t early = std::numeric_limits<std::int64_t>::min(), late = std::int64_t{1} << 62;
  refused([](auto& t) { t.parts[0].operators = {0}; },
          "parts[0].operators is 0; it must be 1 to 2, the number of operators");
  refused([](auto& t) { t.parts[1].operators = {1, 3}; }, "parts[1].operators is 3; it must be 1 to 2");
  refused([](auto& t) { t.parts[1].takes = -1; }, "parts[1].takes is -1");
  refused([](auto& t) { t.parts[1].takes = std::numeric_limits<double>::infinity(); }, "parts[1].takes is inf");
  refused([](auto& t) { t.parts[1].takes = std::numeric_limits<double>::quiet_NaN(); }, "parts[1].takes is nan");
  refused([](auto& t) { t.work[1].thread = 9999; },
          "work[1].thread is 9999; it must be less than 2, the number of threads");
  refused([](auto& t) { t.work[0].ended = late; }, "work[0].ended is 4611686018427387904; it must be at least 0");
  refused([](auto& t) { t.work[0].queued = early; }, "work[0].queued is -9223372036854775808");
  refused([](auto& t) { t.takes[0].by = 0; },
          "takes[0].by is 0; it must be more than 0, the segment that it took from");
  refused([](auto& t) { t.takes[0].at = -1; }, "takes[0].at is -1");
  refused([](auto& t) { t.work[1].elements = 7; }, "fetches[0].elements is 1; it must be 7, as in the message");
  refused([](auto& t) { t.fetches[0].had = late; }, "fetches[0].had is ");
  refused([](auto& t) { t.calls[0].asked = early; }, "calls[0].asked is ");
  refused([](auto& t) { t.fetches[0].thread = 2; }, "fetches[0].thread is 2; it must be less than 2");
  refused([](auto& t) { t.calls[0].thread = 2; }, "calls[0].thread is 2; it must be less than 2");
  refused([](auto& t) { t.samples[0].thread = 2; }, "samples[0].thread is 2; it must be less than 2");
  refused([](auto& t) { t.samples[0].operation = 3; }, "samples[0].operation is 3; it must be 1 to 2");
  refused([](auto& t) { t.samples[0].name = 2; }, "samples[0].name is 2; it must be less than 2, the number of names");
  refused([](auto& t) { t.samples[0].begun = early; }, "samples[0].begun is ");
  // almost no elements for one
  auto odd = good;
  odd.parts[1].takes = 1e-300;
  CHECK(pl::batches_of(pl::read_json<pl::timeline>(pl::write_json(odd))).batches.size() == 1);
}
