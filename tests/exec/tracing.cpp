// What a traced run records: exact counts and bytes, and time for the operator that spent it. It changes no elements.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/tries.hpp>
#include <support/watchdog.hpp>

#include <plumbline/model/confidence.hpp>
#include <plumbline/plumbline.hpp>

#include <ranges>
#include <set>

using namespace plumbline_test;
using namespace std::chrono_literals;

namespace {

// Keeps the processor busy for n.
auto busy(std::chrono::nanoseconds n) {
  return [n](std::int64_t x) {
    const auto end = std::chrono::steady_clock::now() + n;
    while (std::chrono::steady_clock::now() < end) {
    }
    return x;
  };
}
// A fixed amount of work, however often the thread is interrupted: about a microsecond per unit.
auto working(int units) {
  return [units](std::int64_t x) {
    volatile std::uint64_t y = static_cast<std::uint64_t>(x);
    for (int i = 0; i != units * 200; ++i) y = y * 6364136223846793005ULL + 1;
    return x;
  };
}
auto resting(std::chrono::nanoseconds n) {
  return [n](std::int64_t x) {
    std::this_thread::sleep_for(n);
    return x;
  };
}
const auto noise = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(50)); };
const auto even = [](std::int64_t x) { return x % 2 == 0; };

template <class P> pl::trace traced(const P& p, std::size_t threads, std::size_t epochs = 1) {
  auto s = pl::run<pl::tracing::counters>(p, with(threads));
  for (std::size_t e = 0; e != epochs; ++e) {
    if (e != 0) s.restart();
    drained(s);
  }
  return s.traced();
}
std::vector<std::uint64_t> completions(const pl::trace& t) {
  std::vector<std::uint64_t> out;
  for (const auto& c : t.counters) out.push_back(c.completions);
  return out;
}
using counts = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("tracing: what flat_map takes and makes is counted, in any chain") {
  const watchdog guard("tracing: flat_map");
  const auto thrice = [](std::int64_t x) { return std::vector<std::int64_t>(static_cast<std::size_t>(x % 4), x); };
  const std::uint64_t n = 100'000, made = 150'000, kept = 50'000;
  const auto p = pl::range(static_cast<std::int64_t>(n)) | pl::flat_map(thrice);
  for (const std::size_t threads : {0U, 1U, 3U}) {
    CAPTURE(threads);
    CHECK(completions(traced(p, threads)) == counts{n, made});
    CHECK(completions(traced(p | pl::batch(100), threads)) == counts{n, made, made / 100});
    CHECK(completions(traced(p | pl::map([](std::int64_t x) { return x + 1; }) | pl::batch(100), threads)) ==
          counts{n, made, made, made / 100});
    CHECK(completions(traced(p | pl::filter(even) | pl::batch(100), threads)) == counts{n, made, kept, kept / 100});
    CHECK(completions(traced(p | pl::flat_map(thrice), threads, 2))[1] == 2 * made);
  }
}

TEST_CASE("tracing: nothing is recorded unless requested") {
  auto s = pl::run(pl::range(10), with(2));
  drained(s);
  CHECK(s.traced().operators.empty());
}

TEST_CASE("tracing: the elements are the same") {
  const auto p = pl::zip(pl::range(200) | pl::map(noise) | pl::filter(even) | pl::shuffle(7, 3), serial(100)) |
                 pl::enumerate() | pl::batch(3);
  for (const std::size_t threads : {0U, 1U, 3U}) {
    auto s = pl::run<pl::tracing::counters>(p, with(threads));
    CHECK(drained(s) == reference_texts(p, {7, 0}));
  }
}

TEST_CASE("tracing: elements are counted exactly") {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    INFO("threads " << threads);
    const auto twice = [](std::int64_t x) { return std::vector<std::int64_t>{x, x}; };
    const auto p = pl::range(1000) | pl::map(busy(0ns)) | pl::filter(even) | pl::flat_map(twice) | pl::filter(even) |
                   pl::map(busy(0ns)) | pl::shuffle(10, 1) | pl::batch(64);
    CHECK(completions(traced(p, threads)) == counts{1000, 1000, 500, 1000, 1000, 1000, 1000, 16});
    CHECK(completions(traced(p, threads, 3)) == counts{3000, 3000, 1500, 3000, 3000, 3000, 3000, 48});
    // joins by index, and joins of streams; take requests no more than it emits
    const auto a = pl::range(100) | pl::map(busy(0ns)), b = pl::range(100) | pl::map(busy(0ns));
    CHECK(completions(traced(pl::zip(a, b) | pl::map([](auto x) { return std::get<0>(x); }), threads)) ==
          counts{100, 100, 100, 100, 100, 100});
    CHECK(completions(traced(pl::concat(a, b | pl::filter(even)), threads)) == counts{100, 100, 100, 100, 50, 150});
    CHECK(completions(traced(serial(100) | pl::take(30) | pl::batch(4), threads))[1] == 30);
    // elements of operators folded into a view are counted once, where they are made
    CHECK(completions(traced(a | pl::enumerate() | pl::shuffle(1), threads)) == counts{100, 100, 100, 100});
    // groups are counted as elements, but not the slots that are filled in parallel
    const auto rows = pl::range(100) | pl::map([](std::int64_t x) { return pl::tensor<float>({1000}, float(x)); });
    CHECK(completions(traced(rows | pl::batch(8), threads)) == counts{100, 100, 13});
    CHECK(traced(rows | pl::batch(8), threads).counters[2].bytes >= 100 * 4000);
  }
}

TEST_CASE("tracing: elements from a cache are not counted as made") {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    const auto text = [](std::int64_t x) { return std::string(static_cast<std::size_t>(200 + x), 'x'); };
    const auto t = traced(pl::range(100) | pl::shuffle(1) | pl::map(busy(0ns)) | pl::map(text) | pl::cache() |
                              pl::map([](const std::string& s) { return s.size(); }),
                          threads, 3);
    CHECK(completions(t) == counts{300, 300, 100, 100, 300, 300});
    CHECK(t.counters[4].bytes == 3 * t.counters[3].bytes);
  }
}

TEST_CASE("tracing: operators that only renumber count the elements that pass") {
  for (const std::size_t threads : {0U, 2U}) {
    const auto t = traced(pl::range(100) | pl::shuffle(1) | pl::take(40) | pl::map(busy(0ns)), threads);
    CHECK(completions(t) == counts{40, 40, 40, 40});
    CHECK(t.counters[1].cpu_seconds == 0);
  }
}

TEST_CASE("tracing: bytes are those that the elements own") {
  const auto text = [](std::int64_t x) { return std::string(static_cast<std::size_t>(100 + x), 'x'); };
  std::uint64_t want = 0;
  double squares = 0;
  for (std::int64_t i = 0; i != 100; ++i) {
    want += pl::nbytes(text(i));
    squares += std::pow(static_cast<double>(pl::nbytes(text(i))), 2);
  }
  for (const std::size_t threads : {0U, 2U}) {
    const auto t = traced(pl::range(100) | pl::map(text), threads);
    CHECK(t.counters[0].bytes == 800);
    CHECK(t.counters[1].bytes == want);
    CHECK(t.counters[0].bytes_squared == 100 * 64);
    CHECK(t.counters[1].bytes_squared == Approx(squares));
  }
}

TEST_CASE("tracing: time is charged to the operator that spends it, without blocked time") {
  for (const std::size_t threads : {0U, 2U}) {
    INFO("threads " << threads);
    // a thread that is preempted in a timed element spoils the sample, so one run of five has to be undisturbed
    const auto as_worked = [&](auto& measured) {
      const auto t = traced(pl::range(4000) | pl::map(working(30)) | pl::filter(even) | pl::map(working(20)) |
                                pl::shuffle(10, 1) | pl::map(working(5)) | pl::batch(100),
                            threads);
      double all = 0;
      for (const auto& c : t.counters) all += c.cpu_seconds;
      const auto share = [&](std::size_t i) { return t.counters[i].cpu_seconds / all; };
      for (std::size_t i = 0; i != 7; ++i) measured << share(i) << " ";
      return share(1) == Approx(120.0 / 170).margin(0.12) && share(3) == Approx(40.0 / 170).margin(0.1) &&
             share(5) == Approx(10.0 / 170).margin(0.06) && share(2) < 0.03;
    };
    // without optimization or with a sanitizer, operators that do almost nothing take much time
    if (optimized) CHECK(holds_in_time("each operator's share of the time", as_worked));
    const auto without_rest = [&](auto& measured) {
      const auto r = traced(pl::range(100) | pl::map(busy(1ms)) | pl::map(resting(1ms)), threads);
      const auto &works = r.counters[1], &rests = r.counters[2];
      measured << "CPU time " << works.cpu_seconds << " s, resting " << rests.wall_seconds << " s, of which CPU time "
               << rests.cpu_seconds << " s";
      return rests.wall_seconds >= 0.1 && rests.cpu_seconds < 0.25 * works.cpu_seconds;
    };
    CHECK(holds_in_time("rest is no CPU time", without_rest));
  }
}

TEST_CASE("tracing: cheap operators are distinguished, and rare elements are not missed") {
  // n multiplications, about a nanosecond each. Those of a thread all depend on each other, as the time of elements
  // that the processor overlaps could not be attributed. They cost far more than calls that -Og does not inline.
  const auto multiply = [](int n) {
    return [n](std::int64_t x) {
      static thread_local std::uint64_t before = 1;
      auto y = before;
      for (int i = 0; i != n; ++i) y = y * 6364136223846793005ULL + 1;
      before = y;
      return x;
    };
  };
  const auto seldom = [](std::int64_t x) { return x % 500 == 0; };
  for (const std::size_t threads : {0U, 2U}) {
    INFO("threads " << threads);
    bool told_apart = false, seen = false;
    const auto both = [&](auto& measured) {
      // the map without multiplications shows what an operator costs besides its work
      const auto t = traced(
          pl::range(200'000) | pl::map(multiply(400)) | pl::map(multiply(100)) | pl::map(multiply(0)) | pl::batch(256),
          threads);
      const auto work = [](const pl::trace& of, std::size_t op, std::size_t nothing) {
        return of.counters[op].cpu_seconds - of.counters[nothing].cpu_seconds;
      };
      const auto ratio = work(t, 1, 3) / work(t, 2, 3);
      double all = 0, parts = 0;
      for (const auto& c : t.counters) all += c.cpu_seconds;
      for (const auto& part : t.parts) parts += part.cpu_seconds - part.overhead_seconds;
      CHECK(all == Approx(parts));
      told_apart = told_apart || (ratio > 2 && ratio < 5.6);  // expected: 4
      // the total work before and after the filter is about the same
      const auto r = traced(pl::range(1'000'000) | pl::map(multiply(80)) | pl::map(multiply(0)) | pl::filter(seldom) |
                                pl::map(multiply(40'000)),
                            threads);
      const auto rare =
          r.counters[4].cpu_seconds / work(r, 1, 2) / (static_cast<double>(r.counters[4].completions) * 40'000 / 80e6);
      seen = seen || (rare > 0.7 && rare < 1.4);
      measured << "cheap operators 4 to 1: " << ratio << "; a rare one, measured to actual cost: " << rare;
      return told_apart && seen;
    };
    if (optimized) CHECK(holds_in_time("the shares of cheap and of rare operators", both));
  }
}

TEST_CASE("tracing: parts, epochs and the consumer's wait") {
  auto s = pl::run<pl::tracing::counters>(pl::range(200) | pl::map(busy(100us)) | pl::batch(20), with(1));
  drained(s);
  s.restart();
  std::this_thread::sleep_for(50ms);
  drained(s);
  const auto t = s.traced();
  CHECK(t.epochs == 2);
  CHECK(t.threads == 1);
  CHECK(t.parts.size() == 2);
  CHECK(t.parts[0].operators == std::vector<std::uint32_t>{1, 2});
  CHECK(!t.parts[0].serial);
  CHECK(t.parts[1].serial);
  CHECK(t.parts[1].operators == std::vector<std::uint32_t>{3});
  CHECK(t.consumer_wait_seconds <= t.wall_seconds);
  CHECK(t.wall_seconds >= 0.04);
  CHECK(t.parts[0].cpu_seconds <= t.wall_seconds * 1.05);
}

TEST_CASE("tracing: the parts of a trace are those of the partition") {
  const auto as_described = [](const auto& p) {
    using P = std::remove_cvref_t<decltype(p)>;
    const auto t = traced(p, 2);
    constexpr auto& cut = pl::partition_of<P>;
    std::set<std::uint32_t> seen;
    for (const auto& part : t.parts) {
      const auto want = cut.described(part.number);
      CHECK(part.operators == want.operators);
      CHECK(part.serial == want.serial);
      CHECK(part.blocks == want.blocks);
      seen.insert(part.number);
    }
    // a part that only hands out indices has no operators and is not in the trace
    for (std::uint32_t n = 1; n <= cut.count; ++n)
      if (!cut.described(n).operators.empty()) CHECK(seen.count(n) == 1);
  };
  const auto numbers = pl::range(50) | pl::map(busy(0ns));
  as_described(numbers | pl::filter(even) | pl::shuffle(5, 1) | pl::map(busy(0ns)) | pl::batch(4));
  as_described(pl::zip(numbers | pl::filter(even), numbers) | pl::enumerate() | pl::take(3));
  as_described(numbers | pl::interleave([](std::int64_t n) { return pl::range(n); }) | pl::prefetch(2) | pl::batch(3));
  as_described(numbers | pl::cache() | pl::map(noise) | pl::group(4));
}

TEST_CASE("tracing: an operator that expands one element to very many, and one that fails, while they are timed") {
  const auto many = [](std::int64_t x) {
    return std::views::iota(std::int64_t{0}, std::int64_t{100'000}) |
           std::views::transform([x](auto i) { return x + i; });
  };
  const auto seldom = [](std::int64_t x) { return x % 1000 == 0; };
  const auto fails = [](std::int64_t x) { return x == 777'777 ? throw std::runtime_error("777") : x; };
  for (const std::size_t threads : {0U, 2U}) {
    const auto t = traced(pl::range(20) | pl::flat_map(many) | pl::filter(seldom) | pl::shuffle(4, 1), threads);
    CHECK(completions(t)[1] == 2'000'000);
    CHECK(completions(t)[2] == completions(t)[3]);
    // elements before an error arrive once, also if one element expands to more than are held
    const auto late = [](std::int64_t x) { return x == 50'000 ? throw std::runtime_error("50000") : x; };
    auto parts = pl::run<pl::tracing::counters>(pl::range(20) | pl::flat_map(many) | pl::map(late), with(threads));
    std::int64_t next = 0;
    const auto take = [&] {
      for (const auto x : parts) next = x == next ? next + 1 : -1;
    };
    CHECK_THROWS_WITH(take(), Catch::Matchers::Contains("map (operator 3 of 3) failed"));
    CHECK(next == 50'000);
    const auto p = pl::range(1'000'000) | pl::map(busy(0ns)) | pl::map(fails) | pl::filter(even) | pl::map(busy(0ns));
    auto s = pl::run<pl::tracing::counters>(p, with(threads));
    std::int64_t last = -1, n = 0;
    const auto drain = [&] {
      for (const auto x : s) last = x, ++n;
    };
    CHECK_THROWS_WITH(drain(), Catch::Matchers::Contains("map (operator 3 of 5) failed at element 777777"));
    CHECK(last == 777'776);
    CHECK(n == 388'889);
  }
}

TEST_CASE("tracing: a run that is restarted or destroyed while elements are timed ends") {
  const watchdog ends("a traced run that is abandoned while elements are timed");
  const auto p = pl::range(std::int64_t{1} << 40) | pl::map(busy(1us)) | pl::map(busy(1us));
  for (int i = 0; i != 300; ++i) {
    auto s = pl::run<pl::tracing::counters>(p, with(2));
    for (int k = 0; k != i; ++k) s.next();
    s.restart();
    s.next();
  }
}

TEST_CASE("tracing: the cost of passing elements between threads and to the consumer") {
  const auto taken = [](auto&& p, std::uint64_t n, auto&& work) {
    auto s = pl::run<pl::tracing::counters>(p, with(1));
    for (std::uint64_t i = 0; i != n; ++i) work(*s.next());
    s.stop();
    return s.traced();
  };
  const auto numbers = pl::range(std::int64_t{1} << 40) | pl::map([](std::int64_t x) { return x + 1; });
  const auto nothing = [](std::int64_t) {};
  const std::uint64_t n = 2'000'000;
  const auto costs = [&](auto& measured) {
    const auto t = taken(numbers, n, nothing);
    if (t.parts.size() != 1) return false;
    const auto& part = t.parts[0];
    // neither the consumer's own work nor waiting is a cost of its calls
    const auto r = taken(numbers, n / 20, [](std::int64_t x) { working(5)(x); });
    const auto w = taken(pl::range(200) | pl::map(resting(1ms)), 200, nothing);
    measured << "the consumer's " << t.consumer_seconds << " s of " << t.wall_seconds << " s, beside work "
             << r.consumer_seconds << " s of " << r.wall_seconds << " s, beside waiting " << w.consumer_seconds
             << " s of " << w.wall_seconds << " s; " << part.messages << " messages " << part.overhead_seconds
             << " s of " << part.cpu_seconds << " s";
    return t.consumer_seconds > 1e-9 * double(n) && t.consumer_seconds < t.wall_seconds &&
           r.consumer_seconds < 0.5 * r.wall_seconds && w.consumer_seconds < 0.2 * w.wall_seconds &&
           part.overhead_seconds > 1e-7 * double(part.messages) && part.cpu_seconds > part.overhead_seconds;
  };
  CHECK(holds_in_time("the cost of passing elements", costs));
  // an iterator's calls count too, but none while recording is paused
  auto s = pl::run<pl::tracing::counters>(numbers | pl::take(n), with(1));
  std::int64_t sum = 0;
  for (const auto x : s) sum += x;
  const double once = s.traced().consumer_seconds;
  CHECK(once > 1e-9 * double(n));
  s.record(false);
  for (const auto x : s) sum += x;
  CHECK(s.traced().consumer_seconds == once);
  CHECK(sum == static_cast<std::int64_t>(n * (n + 1)));
}

TEST_CASE("tracing: reads from storage, by file") {
  temp_folder folder;
  for (std::size_t i = 1; i <= 5; ++i) folder.write(std::to_string(i) + ".bin", std::string(1000 * i, 'x'));
  for (const std::size_t threads : {0U, 2U}) {
    const auto content = [](const pl::file_contents& f) { return f.data.size(); };
    const auto t = traced(pl::files(folder / "*.bin") | pl::read_file() | pl::map(content), threads, 2);
    CHECK(t.files.size() == 5);
    CHECK(t.counters[1].bytes_read == 2 * 15'000);
    CHECK(t.counters[0].bytes_read == 0);
    for (const auto& [path, f] : t.files) CHECK(f.bytes == 2 * f.size);
    // the first bytes, which a reader reads twice to detect the compression, are counted once
    const auto lines = traced(pl::lines(folder / "*.bin"), threads, 2);
    CHECK(lines.counters[0].bytes_read == 2 * 15'000);
  }
}

TEST_CASE("tracing: recording can be paused and resumed") {
  auto s = pl::run<pl::tracing::counters>(
      pl::range(1000) | pl::map([](std::int64_t x) { return std::to_string(x); }) | pl::shuffle(8, 1) |
          pl::map([](const std::string& x) { return std::stoll(x); }) | pl::batch<10>(),
      {.threads = GENERATE(0, 2)});
  const auto epoch = [&] {
    std::size_t n = 0;
    for (auto& batch : s) n += batch.shape()[0];
    return n;
  };
  CHECK(epoch() == 1000);
  const auto once = s.traced();
  s.record(false);
  CHECK(epoch() == 1000);
  const auto rested = s.traced();
  REQUIRE(rested.counters.size() == once.counters.size());
  for (std::size_t i = 0; i != once.counters.size(); ++i) {
    INFO(once.operators[i].name);
    CHECK(rested.counters[i].completions == once.counters[i].completions);
    CHECK(rested.counters[i].cpu_seconds == once.counters[i].cpu_seconds);
    CHECK(rested.counters[i].bytes == once.counters[i].bytes);
  }
  CHECK(rested.wall_seconds == once.wall_seconds);
  s.record(true);
  CHECK(epoch() == 1000);
  const auto again = s.traced();
  for (std::size_t i = 0; i != once.counters.size(); ++i)
    CHECK(again.counters[i].completions == 2 * once.counters[i].completions);
  CHECK(again.wall_seconds > rested.wall_seconds);
}

TEST_CASE("tracing: elements that pass while recording is paused are in no sample") {
  const std::size_t threads = GENERATE(0U, 2U);
  const auto slow = [](std::int64_t x) {
    auto h = static_cast<std::uint64_t>(x);
    for (int i = 0; i != 300; ++i) h = pl::hash_combine(h, 1);
    return static_cast<std::int64_t>(h >> 1);
  };
  auto s = pl::run<pl::tracing::counters>(
      pl::range(std::int64_t{1} << 40) | pl::map([](std::int64_t x) { return x + 1; }) | pl::map(slow) | pl::batch<1>(),
      {.threads = threads});
  s.record(false);
  for (int i = 0; i != 300'000; ++i) s.next();
  s.record(true);
  for (int i = 0; i != 30'000; ++i) s.next();
  const auto t = s.traced();
  CHECK(t.counters[2].timed > 10);
  CHECK(t.counters[2].cpu_seconds > 3 * t.counters[1].cpu_seconds);
}

TEST_CASE("tracing::full keeps samples taken during the run") {
  const auto burn = [](std::int64_t x) {
    auto h = static_cast<std::uint64_t>(x);
    for (int i = 0; i != 20'000; ++i) h = pl::hash_combine(h, 1);
    return static_cast<std::int64_t>(h >> 1);
  };
  const auto threads = GENERATE(std::size_t{0}, std::size_t{2});
  const auto p = pl::range(std::int64_t{1} << 40) | pl::map(burn) | pl::batch<8>();
  auto s = pl::run<pl::tracing::full>(p, {.threads = threads});
  // one every 10 ms in which the consumer asked; it may be kept from that for longer than all of them take
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - begin; };
  while (passed() < 400ms || s.traced().samples.size() < 5) s.next();
  const auto t = s.traced();
  const auto most = static_cast<std::size_t>(passed() / 10ms) + 2;
  s.stop();
  REQUIRE(t.samples.size() >= 5);
  CHECK(t.samples.size() <= most);
  for (std::size_t i = 1; i != t.samples.size(); ++i) {
    CHECK(t.samples[i].wall_seconds > t.samples[i - 1].wall_seconds);
    CHECK(t.samples[i].minibatches >= t.samples[i - 1].minibatches);
  }
  CHECK(t.samples.back().minibatches <= t.counters.back().completions);
  REQUIRE(t.samples.back().cpu_seconds.size() == 3);
  const auto costs = pl::cost_intervals(t);
  const double mean = t.counters[1].cpu_seconds / static_cast<double>(t.counters[2].completions);
  CHECK(costs[1].mean > 0.3 * mean);
  CHECK(costs[1].mean < 3 * mean);
  CHECK(costs[1].low <= costs[1].mean);

  auto plain = pl::run<pl::tracing::counters>(p, {.threads = threads});
  for (int i = 0; i != 50; ++i) plain.next();
  CHECK(plain.traced().samples.empty());
}
