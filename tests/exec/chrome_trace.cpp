// Files for Chrome's viewer and Perfetto, of several runs, checked by the rules of their format; and each thread that
// takes batches has a track of its own.
#include <support/chrome_check.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/watchdog.hpp>

#include <plumbline/ext/chrome_trace.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>

#include <algorithm>
#include <chrono>
#include <latch>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>

using namespace plumbline_test;
using namespace std::chrono_literals;

namespace {
std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
void work_for(std::chrono::nanoseconds n) {
  for (const auto end = now() + n.count(); now() < end;) {
  }
}
auto busy(std::chrono::nanoseconds n) {
  return [n](std::int64_t x) {
    work_for(n);
    return x;
  };
}
const auto even = [](std::int64_t x) { return x % 2 == 0; };

/// Takes all elements of some epochs by so many threads, each of which works for a while on each. No thread has a
/// second one before each has one, however late it begins.
template <class Stream> void take(Stream& s, std::size_t consumers, std::size_t epochs, std::chrono::nanoseconds step) {
  for (std::size_t e = 0; e != epochs; ++e) {
    if (e != 0) s.restart();
    std::latch each_has_one(static_cast<std::ptrdiff_t>(consumers));
    const auto all = [&] {
      bool some = s.next().has_value();
      each_has_one.arrive_and_wait();
      for (; some; some = s.next().has_value()) work_for(step);
    };
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < consumers; ++i) others.emplace_back(all);
    all();
  }
}
/// Exports what a run recorded; checks the file and that it is read back.
chrome_check exported(const pl::timeline& t) {
  const auto text = pl::chrome_trace(t);
  CHECK(pl::write_json(pl::read_chrome_trace(text)) == pl::write_json(t));
  chrome_check file(nlohmann::json::parse(text));
  CHECK(file.mistakes() == std::vector<std::string>{});
  return file;
}
}  // namespace

TEST_CASE("chrome trace: the check finds what is wrong") {
  const auto mistakes = [](const std::string& events) {
    return chrome_check(
               nlohmann::json::parse(R"({"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}},)"
                                     R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"t"}},)" +
                                     events + "]}"))
        .mistakes()
        .size();
  };
  const std::string part = R"({"ph":"X","name":"a","cat":"part","pid":1,"tid":1,"ts":0,"dur":10})",
                    batch = R"({"ph":"X","name":"b","cat":"batch","pid":1,"tid":1,"ts":10,"dur":5})",
                    flow = R"("name":"f","cat":"f","pid":1,"tid":1,"id":1,)";
  const auto ends = [&](const char* from, const char* to) {
    return part + "," + batch + R"(,{"ph":"s",)" + flow + R"("ts":)" + from + R"(},{"ph":"f","bp":"e",)" + flow +
           R"("ts":)" + to + "}";
  };
  CHECK(mistakes(ends("9", "10")) == 0);
  CHECK(mistakes(ends("10", "10")) == 1);
  CHECK(mistakes(ends("9", "15")) == 1);
  CHECK(mistakes(part + R"(,{"ph":"X","name":"b","cat":"part","pid":1,"tid":1,"ts":9,"dur":2})") == 1);
  CHECK(mistakes(R"({"ph":"X","name":"b","cat":"part","pid":1,"tid":2,"ts":9,"dur":2})") == 1);
  CHECK(mistakes(R"({"ph":"X","name":"b","cat":"part","pid":1,"tid":1,"ts":9,"dur":-1})") == 1);
  CHECK(mistakes(R"({"ph":"X","name":"b","cat":"part","pid":1,"tid":0,"ts":9,"dur":1})") == 1);
  CHECK(mistakes(R"({"ph":"s",)" + flow + R"("ts":9})") == 1);
  const std::string counter = R"({"ph":"C","name":"c","pid":1,"ts":)";
  CHECK(mistakes(counter + R"(5,"args":{"n":1}},)" + counter + R"(5,"args":{"n":0}})") == 0);
  CHECK(mistakes(counter + R"(5,"args":{"n":1}},)" + counter + R"(4,"args":{"n":0}})") == 1);
  CHECK(mistakes(counter + R"(5,"args":{"n":"1"}})") == 1);
  CHECK(mistakes(R"({"ph":"B","name":"b","cat":"part","pid":1,"tid":1,"ts":9})") == 1);
}

TEST_CASE("chrome trace: files of several pipelines keep to the format") {
  const watchdog guard("chrome trace: pipelines");
  const auto check = [](const auto& p, std::size_t batches, std::size_t epochs = 2) {
    for (const std::size_t threads : {0U, 1U, 3U})
      for (const std::size_t consumers : {1U, 3U}) {
        CAPTURE(threads, consumers, pl::explain(p).text);
        auto s = pl::run<pl::tracing::timeline>(p, with(threads));
        take(s, consumers, epochs, 20us);
        const auto t = s.timeline();
        REQUIRE(t.dropped == 0);
        const auto file = exported(t);
        CHECK(file.flows() == batches * epochs);
        CHECK(file.slices() > batches * epochs);
        CHECK((file.counters() > 0 || threads == 0));
      }
  };
  check(pl::range(400) | pl::map(busy(20us)) | pl::filter(even) | pl::batch(10), 20);
  check(pl::range(2000) | pl::map(busy(0ns)), 2000);
  check(pl::range(6) | pl::interleave([](std::int64_t x) { return pl::range(x, x + 20) | pl::map(busy(5us)); }) |
            pl::shuffle(8, 1) | pl::batch(7),
        18);
  check(pl::zip(pl::range(200) | reads(busy(5us)) | pl::map(busy(10us)), serial(200) | pl::map(busy(3us))) |
            pl::map([](const auto& x) { return std::get<0>(x); }) | pl::batch(4) | pl::prefetch(6),
        50);
}

namespace {
/// What threads that take from one stream, without threads of its own, would record: they prepare messages when there
/// are no more elements, pause between calls, and may lose their core before a call returns. Calls of a message are
/// recorded but for some that had begun before that was decided.
pl::timeline taken_by_turns(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto upto = [&](std::int64_t most) { return 1 + std::int64_t(random() % std::uint64_t(most)); };
  pl::timeline t;
  t.operators = {"range"};
  t.parts = {{.number = 0, .operators = {1}, .takes = 1, .element_bytes = 8}};
  t.threads = {"consumer", "consumer 2", "consumer 3"};
  std::vector<std::int64_t> now{0, 10, 20};
  std::int64_t unlocked = 0;
  std::uint64_t position = 0, left = 0;
  bool calls = false;
  const auto fetch = [&](std::uint32_t thread, std::uint64_t elements) {
    const auto asked = unlocked, done = asked + 1 + upto(400);
    unlocked = done + 2;
    const auto sequence = t.fetches.size();
    t.work.push_back({.thread = thread,
                      .sequence = sequence,
                      .first = position,
                      .elements = elements,
                      .begun = asked + 1,
                      .ended = done});
    t.fetches.push_back({0, sequence, 0, position, elements, asked, done + 1, 0, thread});
  };
  while (position != 300) {
    const auto thread = std::uint32_t(std::min_element(now.begin(), now.end()) - now.begin());
    const auto asked = now[thread];
    unlocked = std::max(unlocked, asked) + 1;
    if (left == 0) {
      left = std::min<std::uint64_t>(std::uint64_t(upto(8)), 300 - position);
      fetch(thread, left);
      calls = left > 1 && upto(3) == 1;
    }
    unlocked += upto(3);
    const auto had = unlocked + (upto(10) == 1 ? upto(900) : 1);
    if (calls && upto(4) != 1) t.calls.push_back({0, position, asked, had, thread});
    --left, ++position;
    now[thread] = had + (upto(5) == 1 ? upto(300) : upto(3));
  }
  for (std::uint32_t i = 0; i != 3; ++i) {
    unlocked = std::max(unlocked, now[i]) + 1;
    fetch(i, 0);
  }
  std::sort(t.calls.begin(), t.calls.end(), [](const auto& a, const auto& b) { return a.had < b.had; });
  return t;
}
}  // namespace

TEST_CASE("chrome trace: slices of a thread do not overlap where it is not known who had an element") {
  for (std::uint64_t seed = 0; seed != 50; ++seed) {
    CAPTURE(seed);
    CHECK(exported(taken_by_turns(seed)).flows() == 300);
  }
}

TEST_CASE("chrome trace: an epoch that is left, repeated and continued") {
  const auto p = pl::range(300) | pl::map(busy(10us)) | pl::batch(3);
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run<pl::tracing::timeline>(p, with(threads, 4));
    drained(s, 30);
    const auto saved = s.save();
    s.restart(0);
    drained(s, 50);
    s.load(saved);
    drained(s);
    CHECK(exported(s.timeline()).flows() >= 30 + 50 + 70);  // and what was fetched and not taken
  }
}

TEST_CASE("chrome trace: each thread that takes batches has a track of its own") {
  const watchdog guard("chrome trace: consumers");
  for (const std::size_t threads : {0U, 2U}) {
    CAPTURE(threads);
    const auto p = pl::range(900) | pl::map(busy(10us)) | pl::batch(3);
    auto s = pl::run<pl::tracing::timeline>(p, with(threads, 1));  // mostly messages of one batch
    take(s, 3, 1, 200us);
    const auto t = s.timeline();
    exported(t);
    CHECK(t.threads.front() == "consumer");
    CHECK(t.threads[t.threads.size() - 2] == "consumer 2");
    CHECK(t.threads.back() == "consumer 3");
    const auto log = pl::batches_of(t);
    REQUIRE(log.batches.size() == 300);
    // of one consumer, a batch is released when the next is asked for, after the 200 us that each takes
    std::map<std::string, const pl::batch_record*> last;
    std::size_t released = 0, kept = 0;
    for (const auto& b : log.batches) {
      if (const auto before = last.find(b.consumer); before != last.end()) {
        CHECK(before->second->released <= b.asked);
        kept += before->second->released >= before->second->had + 150'000 ? 1 : 0;
        ++released;
      }
      last[b.consumer] = &b;
    }
    CHECK(last.size() == 3);
    CHECK(released == 297);
    CHECK(kept > 200);  // who took one of several in a message is not always recorded
    // three wait at once, each for less than all of the time
    const auto r = pl::report(log);
    CHECK(r.waited_share < 1);
    CHECK(r.waited_share == Approx(r.wait.total() / r.seconds / 3));
    CHECK(pl::write_json(pl::read_json<pl::batch_log>(pl::write_json(log))) == pl::write_json(log));
  }
}
