// The report of batches: small cases worked out by hand, random ones against a plain second implementation, the figures
// published with Lotus' artifact if they are there, and damaged logs.
#include <plumbline/ext/json.hpp>
#include <plumbline/timeline.hpp>

#include <catch2/catch.hpp>

#include <model/batch_logs.hpp>
#include <support/real_data.hpp>
#include <support/temp_folder.hpp>

#include <limits>
#include <random>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {

void same(double got, double want) { CHECK(got == Approx(want).epsilon(1e-9).margin(1e-15)); }

// Means and quantiles again, the plain way: by their definitions, from a sorted copy.
struct plain {
  std::vector<double> x;
  double mean() const {
    long double s = 0;
    for (const auto v : x) s += v;
    return static_cast<double>(s / static_cast<long double>(x.size()));
  }
  double deviation() const {
    long double s = 0;
    const auto m = static_cast<long double>(mean());
    for (const auto v : x) s += (v - m) * (v - m);
    return static_cast<double>(std::sqrt(s / static_cast<long double>(x.size())));
  }
  double at(double q) const {  // numpy's default
    auto sorted = x;
    std::sort(sorted.begin(), sorted.end());
    const double place = q * double(sorted.size() - 1), low = std::floor(place);
    const auto i = std::size_t(low), j = std::min(i + 1, sorted.size() - 1);
    return sorted[i] * (1 - (place - low)) + sorted[j] * (place - low);
  }
  double above(double limit) const {
    double n = 0;
    for (const auto v : x) n += v > limit;
    return n / double(x.size());
  }
};
void same(const pl::distribution& got, const plain& want, double limit) {
  REQUIRE(got.count == want.x.size());
  if (want.x.empty()) return;
  same(got.mean, want.mean());
  same(got.deviation, want.deviation());
  same(got.least, want.at(0));
  same(got.q25, want.at(0.25));
  same(got.median, want.at(0.5));
  same(got.q75, want.at(0.75));
  same(got.q90, want.at(0.9));
  same(got.most, want.at(1));
  REQUIRE(got.above.size() == 1);
  same(got.above[0].share, want.above(limit));
}

}  // namespace

TEST_CASE("distribution: few numbers") {
  CHECK(pl::distribution_of({}).count == 0);
  const auto one = pl::distribution_of({7});
  CHECK((one.mean == 7 && one.deviation == 0 && one.least == 7 && one.q25 == 7 && one.most == 7));
  const auto d = pl::distribution_of({4, 1, 3, 2}, {2, 4, 0});
  CHECK((d.mean == 2.5 && d.q25 == 1.75 && d.median == 2.5 && d.q75 == 3.25));
  same(d.deviation, std::sqrt(1.25));
  CHECK((d.above[0].share == 0.5 && d.above[1].share == 0 && d.above[2].share == 1));  // above, not at
}

TEST_CASE("batch report: who waits for a batch that is there does not wait for the order") {
  pl::batch_log log;
  for (std::uint64_t k = 0; k != 2; ++k) {
    pl::batch_record b;
    b.index = k;
    const auto at = static_cast<std::int64_t>(10'000'000 * k);
    b.begun = 1 + at, b.ready = 50'000'000 + at;
    b.asked = 1, b.had = b.consumed = 100'000'000 + at, b.released = b.had + 1;
    log.batches.push_back(b);
  }
  const auto r = pl::report(log);
  CHECK(r.out_of_order == 0);
  CHECK(r.waited_for_order == 0);
  CHECK(r.waited_for_arrival == Approx(0.05 + 0.05));
}

TEST_CASE("batch report: four batches by hand") {
  const auto r = pl::report(four_batches(), {.limits = {0.05}, .worst = 2});
  CHECK((r.batches == 4 && r.epochs == 1 && r.workers == 2));
  same(r.seconds, 0.25);  // from 10 to 260
  same(r.preparation.mean, (100 + 40 + 50 + 150) / 4000.0);
  same(r.wait.total(), (90 + 0 + 0 + 100) / 1000.0);
  same(r.delay.total(), (0 + 80 + 50 + 0) / 1000.0);
  same(r.step.total(), (20 + 20 + 10 + 10) / 1000.0);
  same(r.preparation.above[0].share, 0.5);  // 50 is not above 50
  CHECK(r.out_of_order == 2);               // batches 1 and 2, both before batch 0
  same(r.kept.mean, (80 + 50) / 2000.0);
  same(r.waited_for_order, 0.06);  // for batch 0 from 40 on, when batch 1 was there, until 100
  same(r.waited_share, 190.0 / 250);
  CHECK(r.producer_bound);
  CHECK_THAT(r.verdict, Contains("producer-bound: the consumer waited in 76 % of the time") &&
                            Contains("4.2 times as fast") && Contains("32 % of its waiting a later batch"));
  REQUIRE(r.operators.size() == 2);
  CHECK(r.operators[0].name == "read");
  same(r.operators[1].seconds.mean, 0.075);
  same(r.operators[1].total_seconds, 0.3);
  same(r.timed_share, 1);
  REQUIRE(r.worst.size() == 2);
  CHECK((r.worst[0].index == 3 && r.worst[1].index == 0));
  REQUIRE(r.worst[0].elements.size() == 2);
  CHECK((r.worst[0].elements[0].name == "d.jpg" && r.worst[0].elements[0].operation == "decode"));
  REQUIRE(r.slowest.size() == 2);
  CHECK((r.slowest[1].name == "a.jpg" && r.slowest[1].batch == 0));
}

TEST_CASE("batch report: an operator's figures are of all elements, where only some were timed") {
  auto log = four_batches();
  for (auto& b : log.batches) b.elements.clear();
  // a block of 8 elements that took 8 us, each of which represents 100; and one of 100 ms that was found
  log.batches[0].elements = {{1, 0, 0, 8e-6, 8, 100}, {1, 0, 0, 0.1}};
  const auto r = pl::report(log, {.limits = {1e-3}});
  REQUIRE(r.operators.size() == 1);
  const auto& o = r.operators[0];
  same(o.total_seconds, 800e-6 + 0.1);
  same(o.seconds.mean, (800e-6 + 0.1) / 801);
  same(o.seconds.median, 1e-6);
  same(o.seconds.q90, 1e-6);
  same(o.seconds.most, 0.1);
  same(o.seconds.above[0].share, 1.0 / 801);
  CHECK(o.seconds.count == 9);
  log.batches[0].elements[0].weight = 0;
  CHECK_THROWS_WITH(pl::report(log), Contains("has a time of no element, or one that represents none"));
}

TEST_CASE("batch report: consumer-bound") {
  auto log = four_batches();
  for (auto& b : log.batches) b.asked = b.had - 1000;
  const auto r = pl::report(log);
  CHECK(!r.producer_bound);
  CHECK_THAT(r.verdict, Contains("consumer-bound: the consumer waited in 0 % of the time") && Contains("32.5 ms"));
  CHECK_THAT(pl::report({}).verdict, Contains("no batches"));
}

TEST_CASE("batch report: what explains the variance, if there are enough batches") {
  auto log = twelve_batches();
  const auto r = pl::report(log);
  // the operators' times add up to the preparation, and reading does not vary
  same(r.explained, 1);
  same(r.operators[0].explains, 0);
  same(r.operators[1].explains, 1);
  same(r.explained_by_slowest, 1);
  log.batches.resize(9);
  const auto few = pl::report(log);
  CHECK((few.explained == 0 && few.explained_by_slowest == 0));
  for (const auto& o : few.operators) CHECK(o.explains == 0);
  for (const auto& e : few.slowest) CHECK(e.explains == 0);
}

TEST_CASE("batch report: shares of the variance are bounded") {
  // of an element, not its time counts, but how far it is from the others'
  pl::batch_log log;
  log.operators = {"x", "y"};
  for (std::uint32_t i = 0; i != 12; ++i) {
    pl::batch_record b;
    b.index = i;
    const double seconds = i == 5 ? 101 : 100;
    b.ready = std::int64_t(seconds * 1e9);
    log.names.push_back(std::to_string(i));
    b.elements = {{0, i + 1, 0, seconds}};
    log.batches.push_back(b);
  }
  auto r = pl::report(log, {.worst = 12});
  CHECK(r.slowest[0].name == "5");
  same(r.slowest[0].explains, 11.0 / 12);
  double all = 0;
  for (const auto& e : r.slowest) all += e.explains;
  same(all, 1);
  // x grows ten times as much as the sum, as y falls
  for (auto& b : log.batches) {
    const auto i = double(b.index);
    b.ready = std::int64_t((20 + i / 10) * 1e9);
    b.elements = {{0, 0, 0, i}, {1, 0, 0, 20 - 0.9 * i}};
  }
  r = pl::report(log);
  same(r.explained, 1);
  for (const auto& o : r.operators) CHECK(o.explains == 0);
  for (const auto& e : r.slowest) CHECK(e.explains == 0);
}

TEST_CASE("batch report: a batch whose beginning is not known is in no figure of preparation") {
  auto log = twelve_batches();
  auto& b = log.batches[0];  // batch 3, the longest
  b.begun_lost = true;
  b.elements[1].seconds = 1000;
  const auto r = pl::report(log, {.worst = 12});
  CHECK(
      (r.begun_lost == 1 && r.batches == 12 && r.preparation.count == 11 && r.wait.count == 12 && r.delay.count == 12));
  same(r.preparation.total(), (3 * (100 + 40 + 50 + 150) - 150) / 1000.0);
  same(r.explained, 1);
  CHECK(r.worst.size() == 11);
  CHECK(r.slowest[0].seconds == 1000);  // what it took is known
  CHECK(std::abs(r.slowest[0].explains) <= 1);
  for (auto& each : log.batches) each.begun_lost = true;
  const auto none = pl::report(log);
  CHECK((none.preparation.count == 0 && none.worst.empty() && none.explained == 0));
  CHECK_NOTHROW(pl::page(log));
  CHECK_THAT(pl::explain(none).text, !Contains("nan") && !Contains("took longest"));
}

TEST_CASE("batch report: two operators divide the variance by their covariance with it") {
  pl::batch_log log;
  log.operators = {"x", "y"};
  const double xs[] = {1, 2, 3, 4}, ys[] = {2, 2, 4, 4}, rest[] = {1, 0, 0, 1};
  for (std::uint64_t i = 0; i != 12; ++i) {
    pl::batch_record b;
    b.index = i;
    b.ready = std::int64_t((xs[i % 4] + ys[i % 4] + rest[i % 4]) * 1e9);
    b.elements = {{0, 0, 0, xs[i % 4]}, {1, 0, 0, ys[i % 4]}};
    log.batches.push_back(b);
  }
  const auto r = pl::report(log);
  // sum 3 4 7 8 (mean 5.5), preparation 4 4 7 9 (mean 6): covariance 4.25, variances 4.25 and 4.5
  same(r.explained, 4.25 * 4.25 / (4.25 * 4.5));
  // x: covariance (3 + 1 + .5 + 4.5) / 4 - ... = 2.25; y: ((-1)(-2) + (-1)(-2) + 1 + 3) / 4 = 2
  same(r.operators[0].explains, r.explained * 2.25 / 4.25);
  same(r.operators[1].explains, r.explained * 2 / 4.25);
}

TEST_CASE("batch report: random timelines, against a plain second evaluation") {
  std::mt19937_64 random(1);
  const auto below = [&](std::int64_t n) { return std::int64_t(random() % std::uint64_t(n)); };
  for (int round = 0; round != 50; ++round) {
    pl::batch_log log;
    const auto epochs = 1 + below(3), n = 1 + below(60);
    const double limit = 1e-9 * double(below(1000));
    plain preparation, wait, delay, kept;
    double for_order = 0, for_arrival = 0, seconds = 0;
    for (std::int64_t e = 0; e != epochs; ++e) {
      std::vector<pl::batch_record> own;
      std::int64_t now = 1'000'000'000'000 * (e + 1);
      const auto start = now;
      for (std::int64_t i = 0; i != n; ++i) {
        pl::batch_record b;
        b.epoch = std::uint64_t(e), b.index = std::uint64_t(i), b.worker = std::to_string(below(4));
        b.ready = now + below(2000) - 1000;
        b.begun = b.ready - below(1000);
        b.asked = now;
        b.arrived = b.ready + below(100);
        b.had = b.consumed = std::max(now, b.arrived);
        b.released = now = b.had + below(500);
        own.push_back(b);
      }
      seconds += 1e-9 * double(now - start);
      for (std::size_t i = 0; i != own.size(); ++i) {
        const auto& b = own[i];
        preparation.x.push_back(1e-9 * double(b.ready - b.begun));
        wait.x.push_back(1e-9 * double(b.had - b.asked));
        delay.x.push_back(1e-9 * double(b.consumed - b.ready));
        bool early = false;
        for (std::size_t j = 0; j != i; ++j) early = early || own[j].arrived > b.arrived;
        if (early) kept.x.push_back(1e-9 * double(b.consumed - b.arrived));
        std::int64_t ns = 0;  // counted one by one
        for (auto t = b.asked; t != b.had; ++t) {
          bool later = false;
          for (std::size_t j = i + 1; j != own.size(); ++j) later = later || own[j].arrived <= t;
          ns += later;
          for_arrival += 1e-9 * double(!early && b.ready <= t);
        }
        for_order += 1e-9 * double(ns);
      }
      log.batches.insert(log.batches.end(), own.begin(), own.end());
    }
    std::shuffle(log.batches.begin(), log.batches.end(), random);
    const auto r = pl::report(log, {.limits = {limit}});
    same(r.preparation, preparation, limit);
    same(r.wait, wait, limit);
    same(r.delay, delay, limit);
    same(r.kept, kept, limit);
    same(r.waited_for_order, for_order);
    same(r.waited_for_arrival, for_arrival);
    same(r.seconds, seconds);
    CHECK(r.epochs == std::uint64_t(epochs));
  }
}

TEST_CASE("batch report: what is not a timeline is refused") {
  auto log = four_batches();
  log.batches[0].ready = log.batches[0].begun - 1;
  CHECK_THROWS_WITH(pl::report(log), Contains("batch 3 of epoch 0 was ready before its preparation began"));
  log = four_batches();
  log.batches[1].had = log.batches[1].asked - 1;
  CHECK_THROWS_WITH(pl::report(log), Contains("batch 1 of epoch 0 was there before the consumer asked"));
  log = four_batches();
  log.batches[2].index = 1;
  CHECK_THROWS_WITH(pl::report(log), Contains("batch 1 of epoch 0 is there twice"));
  log.batches[2].pass = 1;  // the epoch was repeated
  CHECK(pl::report(log).epochs == 2);
  log = four_batches();
  log.batches[2].elements[0].operation = 2;
  CHECK_THROWS_WITH(pl::report(log), Contains("operator or name is not in the log"));
}

TEST_CASE("batch report: limits that are no times are refused") {
  for (const double limit : {-1.0, -1e-9, std::nan(""), HUGE_VAL})
    CHECK_THROWS_WITH(pl::report(four_batches(), {.limits = {0, limit}}),
                      Catch::StartsWith("plumbline: report: limits[1] is ") && Contains("give a finite number"));
  CHECK_NOTHROW(pl::report(four_batches(), {.limits = {0, 1e9}}));
}

TEST_CASE("batch report: a log may say that a batch was early") {
  auto log = four_batches();
  auto& late = log.batches[0];  // batch 3, the last to arrive
  late.early = true;
  CHECK(pl::report(log).out_of_order == 3);
  // alone, without those that it overtook; the request is not known, so time begins with its use
  pl::batch_log alone;
  alone.batches = {late};
  alone.batches[0].elements.clear();
  const auto r = pl::report(alone);
  CHECK(r.out_of_order == 1);
  same(r.seconds, 0.01);
}

TEST_CASE("batch report: events that were overwritten") {
  auto log = four_batches();
  CHECK(pl::report(log).dropped == 0);
  log.dropped = 7;
  const auto r = pl::report(log);
  CHECK((r.dropped == 7 && r.first.epoch == 0 && r.first.index == 0 && r.last.epoch == 0 && r.last.index == 3));
  pl::timeline t;
  t.dropped = 5;
  CHECK(pl::batches_of(t).dropped == 5);
}

TEST_CASE("batch report: an element that is slow in several epochs is one entry") {
  pl::batch_log log;
  log.operators = {"read", "decode"};
  log.names = {"", "slow.jpg", "once.jpg", "a.jpg"};
  for (std::uint64_t e = 0; e != 10; ++e)
    for (std::uint64_t i = 0; i != 4; ++i) {
      const bool slow = i == e % 4, once = e == 5 && i == 2;
      const double seconds = slow ? 0.1 + 0.001 * double(e) : once ? 0.2 : 0.01;
      pl::batch_record b;
      b.epoch = e, b.index = i, b.size = 1;
      b.ready = std::int64_t(seconds * 1e9 + 0.5);
      b.elements = {{1, slow ? 1U : once ? 2U : 3U, 0, seconds}, {0, 0, 0, 0.001}};
      log.batches.push_back(b);
    }
  const auto r = pl::report(log, {.worst = 3});
  REQUIRE(r.slowest.size() == 3);
  const auto& [once, slow, other] = std::tie(r.slowest[0], r.slowest[1], r.slowest[2]);
  CHECK(
      (once.name == "once.jpg" && once.times == 1 && once.epoch == 5 && once.batch == 2 && once.operation == "decode"));
  CHECK((slow.name == "slow.jpg" && slow.times == 10 && slow.epoch == 9 && slow.batch == 1));
  same(slow.seconds, 0.109);
  same(slow.mean, 0.1045);
  CHECK((other.name == "a.jpg" && other.times == 29));
  same(r.explained, 1);
  same(once.explains + slow.explains + other.explains, 1);  // reading, of elements without a name, does not vary
  CHECK(slow.explains > once.explains);
  CHECK_THAT(pl::explain(r).text, Contains("slow.jpg") && Contains("1 of epoch 9"));
  CHECK_THAT(pl::page(log), Contains("<td>10</td>"));
  // a batch's own elements are single times
  CHECK((r.worst[1].elements[0].name == "slow.jpg" && r.worst[1].elements[0].times == 1));
  same(r.worst[1].elements[0].mean, 0.109);
  // elements without names, or whose names are places in the batch, stay apart
  log.names_are_places = true;
  const auto apart = pl::report(log, {.worst = 100});
  CHECK(apart.slowest.size() == 80);
  log.names_are_places = false;
  CHECK(pl::report(log, {.worst = 100}).slowest.size() == 43);
}

TEST_CASE("batch report: JSON and back") {
  auto log = four_batches();
  log.dropped = 7;
  log.batches[1].early = true;
  log.batches[2].begun_lost = true;
  const auto again = pl::read_json<pl::batch_log>(pl::write_json(log));
  CHECK(pl::write_json(again) == pl::write_json(log));
  CHECK((again.names == log.names && again.batches[3].ready == log.batches[3].ready));
  CHECK((again.dropped == 7 && again.batches[1].early && !again.batches[0].early));
  CHECK((again.batches[2].begun_lost && !again.batches[1].begun_lost));
  const auto r = pl::report(log);
  CHECK(pl::write_json(pl::read_json<pl::batch_report>(pl::write_json(r))) == pl::write_json(r));
  auto text = pl::write_json(log);
  const std::string begun = "\"begun\": 17";
  text.replace(text.find(begun), begun.size(), "\"begun\": 0.17");
  CHECK_THROWS_WITH(pl::read_json<pl::batch_log>(text), Contains("begun") && Contains("whole number"));
  const auto refused = [](auto&& change, const std::string& what) {
    auto l = four_batches();
    change(l.batches[2]);
    CHECK_THROWS_WITH(pl::read_json<pl::batch_log>(pl::write_json(l)),
                      Catch::StartsWith("plumbline: json: batches[2]." + what));
  };
  refused([](auto& b) { b.had = std::numeric_limits<std::int64_t>::max(); }, "had is 9223372036854775807; it must be");
  refused([](auto& b) { b.released = std::numeric_limits<std::int64_t>::min(); }, "released is -9223372036854775808");
  refused([](auto& b) { b.elements.push_back({77, 0, 0, 0}); }, "elements[].operation is 77; it must be less than");
  refused([](auto& b) { b.elements.push_back({0, 99, 0, 0}); }, "elements[].name is 99; it must be less than");
}

TEST_CASE("lotus log: the lines of a run") {
  const std::vector<pl::lotus_log> logs{
      {"x/log_main_pid_7",
       "SBatchWait_0,1000000,500000\nSBatchConsumed_0,1600000,1000\nSBatchWait_1,1200000,1000\n"
       "SBatchConsumed_1,1700000,1000\nSBatchWait_0,5000000,9\nSBatchConsumed_0,5000100,2000\n"},
      {"x/log_worker_pid_12",
       "SLoader,100000,300000\nSFlip,400000,50000\nSLoader,500000,800000\nSFlip,1300000, 60000\n"
       "SCollation,1400000,1000\nSBatchPreprocessed_0,90000,1400000\n\n"},
      {"x/log_worker_pid_13",
       "SBatchPreprocessed_1,200000,900000\r\nSLoader,4000000,7\r\n"
       "SBatchPreprocessed_0,4000000,100000\nSBatchPreprocessed_9,4200000,100000\n"}};
  const auto log = pl::batches_of(logs);
  REQUIRE(log.batches.size() == 3);  // batch 9 was never consumed
  const auto& b = log.batches;
  CHECK((b[0].epoch == 0 && b[0].index == 0 && b[0].worker == "12" && b[0].size == 2));
  CHECK((b[0].begun == 90000 && b[0].ready == 1490000 && b[0].asked == 1000000 && b[0].had == 1500000));
  CHECK((b[0].consumed == 1600000 && b[0].released == 0 && b[0].elements.size() == 5));
  CHECK((b[1].index == 1 && b[1].worker == "13" && b[1].arrived == 1200000 && b[1].had == 1201000));
  CHECK((b[2].epoch == 1 && b[2].index == 0 && b[2].released == 5002100 && b[2].elements.size() == 1));
  CHECK(log.operators == std::vector<std::string>{"Loader", "Flip", "Collation"});
  CHECK(log.names[b[0].elements[2].name] == "element 1 of the batch");
  CHECK(log.names_are_places);
  CHECK(b[0].elements[2].seconds == 0.0008);
  const auto r = pl::report(log);
  CHECK((r.out_of_order == 1 && r.workers == 2 && r.epochs == 2));
  same(r.kept.mean, 0.0005);
  CHECK((r.slowest[0].name == "element 1 of the batch" && r.slowest[0].operation == "Loader"));
}

namespace {

/// The logs of a consumer and a worker, written as they happen; times in ms.
struct written_logs {
  std::string consumer{}, worker{};
  static std::string line(const std::string& name, std::int64_t start, std::int64_t ms) {
    return name + "," + std::to_string(start * 1'000'000) + "," + std::to_string(ms * 1'000'000) + "\n";
  }
  void prepares(int batch, std::int64_t at, std::int64_t ms = 4) {
    worker += line("SBatchPreprocessed_" + std::to_string(batch), at, ms);
  }
  void takes(int batch, std::int64_t asked, std::int64_t had) {
    consumer += line("SBatchWait_" + std::to_string(batch), asked, had - asked);
    consumer += line("SBatchConsumed_" + std::to_string(batch), had, 0);
  }
  void arrives(int batch, std::int64_t at) {
    consumer += "SBatchWait_" + std::to_string(batch) + "," + std::to_string(at * 1'000'000) + ",1000\n";
  }
  pl::batch_log read() const { return pl::batches_of({{"main_pid_1", consumer}, {"log_worker_pid_2", worker}}); }
};
std::vector<std::string> in_short(const pl::batch_log& log) {
  std::vector<std::string> out;
  for (const auto& b : log.batches)
    out.push_back(std::to_string(b.epoch) + ":" + std::to_string(b.index) + " " + std::to_string(b.begun / 1'000'000));
  return out;
}
using in_text = std::vector<std::string>;

}  // namespace

TEST_CASE("lotus log: an epoch that was left early keeps what had been prepared ahead") {
  written_logs w;
  for (int i = 0; i != 5; ++i) w.prepares(i, 10 * i);
  w.arrives(3, 40);  // it arrived before batch 1, which was the last that was used
  w.takes(0, 1, 15), w.takes(1, 41, 45);
  for (int i = 0; i != 4; ++i) w.prepares(i, 1000 + 10 * i);
  for (int i = 0; i != 4; ++i) w.takes(i, 1005 + 10 * i, 1006 + 10 * i);
  const auto log = w.read();
  CHECK(in_short(log) == in_text{"0:0 0", "0:1 10", "1:0 1000", "1:1 1010", "1:2 1020", "1:3 1030"});
  const auto r = pl::report(log);
  CHECK(r.epochs == 2);
  CHECK(r.out_of_order == 0);
  CHECK(r.wait.most < 0.02);
  // the third is left where the second was, and the fourth goes on
  for (int e = 2; e != 4; ++e) {
    for (int i = 0; i != 6; ++i) w.prepares(i, 1000 * e + 10 * i);
    for (int i = 0; i != (e == 2 ? 4 : 6); ++i) w.takes(i, 1000 * e + 10 * i + 5, 1000 * e + 10 * i + 6);
  }
  const auto more = in_short(w.read());
  CHECK(in_text(more.begin() + 6, more.end()) == in_text{"2:0 2000", "2:1 2010", "2:2 2020", "2:3 2030", "3:0 3000",
                                                         "3:1 3010", "3:2 3020", "3:3 3030", "3:4 3040", "3:5 3050"});
}

TEST_CASE("lotus log: another loader's epoch within one") {
  written_logs w;
  for (int i = 0; i != 4; ++i) w.prepares(i, 10 * i);  // of training, all ahead
  w.takes(0, 50, 51), w.takes(1, 52, 53);
  for (int i = 0; i != 3; ++i) w.prepares(i, 100 + 10 * i);  // of validation
  for (int i = 0; i != 3; ++i) w.takes(i, 150 + i, 151 + i);
  w.takes(2, 200, 201), w.takes(3, 202, 203);
  CHECK(in_short(w.read()) == in_text{"0:0 0", "0:1 10", "1:0 100", "1:1 110", "1:2 120", "0:2 20", "0:3 30"});
}

TEST_CASE("lotus log: a batch that was prepared later is not the one that was consumed") {
  written_logs w;
  w.takes(0, 5, 6);
  w.prepares(0, 7);
  CHECK_THROWS_WITH(w.read(), Contains("batch 0 was consumed, but no log has its preparation before that"));
}

TEST_CASE("lotus log: of logs cut in time, batches whose beginning is missing are left out") {
  // two workers, each two batches ahead; the consumer takes batch i at 10 i
  const auto cut = [](std::int64_t from, bool both = true) {
    std::string consumer, workers[2];
    const auto line = [from](std::string& to, const std::string& name, std::int64_t start, std::int64_t end) {
      if (end >= from) to += written_logs::line(name, 100 + start, end - start);
    };
    for (int i = 0; i != 12; ++i) {
      line(workers[i % 2], "SBatchPreprocessed_" + std::to_string(i), 10 * i - 40, 10 * i - 25 - 8 * (i % 2));
      line(consumer, "SBatchWait_" + std::to_string(i), 10 * i - 2, 10 * i - 1);
      line(consumer, "SBatchConsumed_" + std::to_string(i), 10 * i, 10 * i);
    }
    return pl::batches_of(
        {{"main_pid_1", consumer}, {"log_worker_pid_2", both ? workers[0] : ""}, {"log_worker_pid_3", workers[1]}});
  };
  CHECK((cut(-100).batches.size() == 12 && cut(-100).cut_off == 0));
  for (std::int64_t from = -60; from != 76; ++from) {
    INFO("from " << from);
    const auto log = cut(from);
    std::size_t whole = 0, consumed = 0;
    for (int i = 0; i != 12; ++i) {
      consumed += 10 * i >= from ? 1 : 0;
      whole += 10 * i - 25 - 8 * (i % 2) >= from && 10 * i - 1 >= from ? 1 : 0;
    }
    CHECK((log.batches.size() == whole && log.cut_off == consumed - whole));
  }
  const auto r = pl::report(cut(0));
  CHECK(r.cut_off == 4);
  CHECK_THAT(pl::explain(r).text,
             Contains("the preparation or the wait of 4 batches precedes the log, so they are left out"));
  CHECK(pl::read_json<pl::batch_report>(pl::write_json(r)).cut_off == 4);
  // a worker's log that is missing altogether is none that was cut
  CHECK_THROWS_WITH(cut(0, false), Contains("batch 6 was consumed, but no log has its preparation before that"));
}

TEST_CASE("lotus log: damaged lines are errors with file and line") {
  using logs = std::vector<pl::lotus_log>;
  const auto of = [](const std::string& line) {
    return pl::batches_of(logs{{"logs/worker_pid_1", "SLoader,1,2\n" + line + "\n"}});
  };
  for (const auto& [line, why] :
       std::vector<std::pair<std::string, std::string>>{{"SLoader,1", "is not name,start_ns,duration_ns"},
                                                        {"SLoader,1,2,3", "is not name,start_ns,duration_ns"},
                                                        {"SLoader", "is not name,start_ns,duration_ns"},
                                                        {"Loader,1,2", "must begin with S"},
                                                        {",1,2", "must begin with S"},
                                                        {"SLoader,x,2", "the start is \"x\""},
                                                        {"SLoader,1,", "the duration is \"\""},
                                                        {"SLoader,1,-2", "the duration is \"-2\""},
                                                        {"SLoader,1,2.5", "the duration is \"2.5\""},
                                                        {"SLoader,99999999999999999999,2", "the start is"},
                                                        {"SLoader,4611686018427387904,2", "the start is"},
                                                        {"SLoader,2,4611686018427387904", "the duration is"},
                                                        {"SBatchWait_,1,2", "the batch is \"\""},
                                                        {"SBatchConsumed_1x,1,2", "the batch is \"1x\""}})
    CHECK_THROWS_WITH(of(line), Contains("logs/worker_pid_1:2: ") && Contains(why));
  // of a long line 60 bytes are shown, and no half of a letter
  std::string long_name;
  for (int i = 0; i != 40; ++i) long_name += "ü";
  CHECK_THROWS_WITH(of("S" + long_name), Contains("\"S" + long_name.substr(0, 58) + "...\" is not"));
  CHECK_THROWS_WITH(of(long_name + ",1,2"), Contains("\"" + long_name.substr(0, 60) + "...\"; it must begin with S"));
  CHECK_THROWS_WITH(of("SLoader," + long_name + ",2"), Contains("\"" + long_name.substr(0, 60) + "...\""));
  CHECK_THROWS_WITH(of("S\x1b[2J\xff"), Contains("\"S?[2J?\" is not"));
  for (const auto& without : {logs{}, logs{{"main", ""}}, logs{{"w", "SLoader,1,2\nSBatchPreprocessed_3,1,2"}}})
    CHECK_THROWS_WITH(pl::batches_of(without), Contains("no log has a line SBatchConsumed_...; give the logs of all"));
  CHECK_THROWS_WITH(pl::batches_of(logs{{"main", "SBatchConsumed_3,1,2"}}),
                    Contains("batch 3") && Contains("preparation"));
  CHECK_THROWS_WITH(pl::batches_of(logs{{"w", "SBatchPreprocessed_3,1,2\nSBatchConsumed_3,1,2"}}),
                    Contains("no log has its wait"));
  CHECK_THROWS_WITH(pl::read_lotus_logs({"nowhere/log"}),
                    Contains("nowhere/log cannot be read: No such file or directory; give"));
  temp_folder folder;
  CHECK_THROWS_WITH(pl::read_lotus_logs({folder.path()}), Contains(folder.path() + " cannot be read: Is a directory"));
  folder.write("log_worker_pid_5", "SLoader,1,2\nSLoader,1\n");
  CHECK_THROWS_WITH(pl::read_lotus_logs({folder / "log_worker_pid_5"}), Contains("log_worker_pid_5:2: "));
}

TEST_CASE("lotus: the figures published for ImageNet, from its batches", "[data]") {
  const auto path = real_data("../reference/lotus/imagenet_b1024.json");
  if (!path) return;
  const auto v = nlohmann::json::parse(content_of(*path));
  // once as records, once through the text of Lotus' logs
  pl::batch_log records;
  std::string consumer;
  std::map<std::int64_t, std::string> workers;
  for (const auto& x : v["batches"]) {
    const auto us = [&](const char* of, int i) { return x[of][std::size_t(i)].get<std::int64_t>() * 1000; };
    const auto line = [&](const char* name, const char* of) {
      return name + std::to_string(x["batch"].get<int>()) + "," + std::to_string(us(of, 0)) + "," +
             std::to_string(us(of, 1)) + "\n";
    };
    consumer += line("SBatchWait_", "wait") + line("SBatchConsumed_", "consumed");
    workers[x["worker"].get<std::int64_t>()] += line("SBatchPreprocessed_", "preprocessed");
    pl::batch_record b;
    b.index = x["batch"].get<std::uint64_t>();
    b.worker = std::to_string(x["worker"].get<std::int64_t>());
    b.begun = us("preprocessed", 0), b.ready = b.begun + us("preprocessed", 1);
    b.asked = us("wait", 0), b.had = b.asked + us("wait", 1);
    b.consumed = us("consumed", 0);
    b.arrived = b.had;
    records.batches.push_back(b);
  }
  std::vector<pl::lotus_log> logs{{"main_pid_1", consumer}};
  for (const auto& [pid, text] : workers) logs.push_back({"log_worker_pid_" + std::to_string(pid), text});
  const auto& want = v["expected"];
  for (const auto& log : {records, pl::batches_of(logs)}) {
    const auto r = pl::report(log, {.limits = {0.5}});
    CHECK(r.batches == want["batches"].get<std::uint64_t>());
    CHECK(r.workers == want["workers"].get<std::uint64_t>());
    CHECK(r.out_of_order == want["waits_of_1_us"].get<std::uint64_t>());
    const auto check = [&](const pl::distribution& d, const char* name) {
      const auto& w = want[name];
      for (const auto& [key, got] : std::map<std::string, double>{{"mean", d.mean},
                                                                  {"std_population", d.deviation},
                                                                  {"min", d.least},
                                                                  {"max", d.most},
                                                                  {"q25", d.q25},
                                                                  {"median", d.median},
                                                                  {"q75", d.q75}}) {
        INFO(name << " " << key);
        same(1000 * got, w[key].get<double>());
      }
    };
    check(r.preparation, "preprocessing_ms");
    check(r.wait, "wait_ms");
    check(r.delay, "delay_ms");
    same(r.wait.above[0].share, want["share_wait_above_500_ms"].get<double>());
    same(r.delay.above[0].share, want["share_delay_above_500_ms"].get<double>());
    CHECK(r.producer_bound);
  }
  // of a part, Lotus' mark of 1 us says what was early, even if those that were overtaken are not in it
  const auto whole = pl::batches_of(logs);
  for (std::size_t from = 0; from + 60 <= whole.batches.size(); from += 5) {
    pl::batch_log part;
    part.batches.assign(whole.batches.begin() + std::ptrdiff_t(from),
                        whole.batches.begin() + std::ptrdiff_t(from + 60));
    const auto marked =
        std::count_if(part.batches.begin(), part.batches.end(), [](const auto& b) { return b.had - b.asked == 1000; });
    INFO("from batch " << from);
    const auto r = pl::report(part);
    CHECK(r.out_of_order == std::uint64_t(marked));
    CHECK(r.seconds > 0);
    CHECK(r.seconds < 120);  // 60 batches; in all, 300 take 140 s
  }
}
