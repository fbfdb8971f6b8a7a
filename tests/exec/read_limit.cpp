// read_bytes_per_second: one token bucket for all reads of a run, on any thread. Waiting does not count as work and
// does not delay the end of a stream.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <plumbline/plumbline.hpp>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {
/// In seconds. Ending a stream takes some hundredths; waiting for its reads would take 100.
const double promptly = 5;

using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point t) { return std::chrono::duration<double>(clock_type::now() - t).count(); }

pl::run_options limited(std::size_t threads, double rate, std::optional<double> burst = {}) {
  auto o = with(threads);
  o.read_bytes_per_second = rate;
  o.read_burst_bytes = burst;
  return o;
}
/// Options with which files are read one at a time, and each is delivered before the next one waits.
pl::run_options one_by_one(pl::run_options o) {
  o.io_threads = 1;
  o.chunk = 1;
  return o;
}
/// Files of `bytes` bytes each, in a temporary folder.
struct stored : temp_folder {
  stored(int files, std::size_t bytes) {
    for (int i = 0; i != files; ++i) write(std::to_string(1000 + i), std::string(bytes, 'x'));
  }
  auto read() const { return pl::files(path()) | pl::read_file(); }
};
/// The seconds that an epoch takes: the lowest of up to ten, as other processes may use the machine. At least `least`.
template <class P> double seconds_of(const P& p, const pl::run_options& how, double least) {
  double best = 1e9;
  for (int i = 0; i != 10 && best > 1.05 * least; ++i) {
    const auto begin = clock_type::now();
    auto s = pl::run(p, how);
    while (s.next()) {
    }
    best = std::min(best, since(begin));
    CHECK(since(begin) > 0.999 * least);  // never faster
  }
  return best;
}

}  // namespace

TEST_CASE("read limit: the rate is kept") {
  const watchdog guard("read limit: rate");
  const stored disk(160, 64 << 10);
  const double bytes = 160 * (64 << 10), rate = 9e6, burst = 0.01 * rate, least = (bytes - burst) / rate;
  for (const std::size_t threads : {0U, 1U, 2U})
    CHECK(seconds_of(disk.read(), limited(threads, rate), least) < 10 * least);  // bench_tune --disk checks how close
}

TEST_CASE("read limit: the burst passes at once, and refills only with time") {
  const watchdog guard("read limit: burst");
  const stored disk(7, 100'000);
  for (const std::size_t threads : {0U, 2U}) {
    const auto begin = clock_type::now();
    auto s = pl::run(disk.read(), one_by_one(limited(threads, 2e5, 600'000.)));
    for (int i = 0; i != 6; ++i) s.next();
    CHECK(since(begin) < 2.9);  // some milliseconds; 3 s without the burst
    s.next();
    CHECK(since(begin) > 0.499);
    CHECK(since(begin) < 10);
  }
  // a read larger than the burst takes its full time, and leaves nothing in the bucket
  const stored one(1, 300'000);
  CHECK(seconds_of(one.read(), limited(0, 1e6, 0.), 0.3) < 3);
}

TEST_CASE("read limit: several sources of a run, streams within streams and the user's own functions share it") {
  const watchdog guard("read limit: shared");
  const stored disk(8, 50'000);
  const std::string text(49, 'y');
  std::string lines;
  for (int i = 0; i != 4000; ++i) lines += text + '\n';
  const temp_folder texts;
  texts.write("a", lines);
  texts.write("b", lines);
  const auto by_hand = [folder = disk.path()](std::int64_t i) {
    return pl::read_bytes(folder + "/" + std::to_string(1000 + i)).size();
  };
  const double rate = 2e6, burst = 20'000;
  const auto check = [&](const auto& p, double bytes) {
    for (const std::size_t threads : {0U, 2U}) {
      const double least = (bytes - burst) / rate;
      CHECK(seconds_of(p, limited(threads, rate), least) < 10 * least);
    }
  };
  check(pl::concat(disk.read(), disk.read()), 800'000);
  check(pl::zip(pl::lines(texts / "a") | pl::take(4000), pl::lines(texts / "b")), 400'000);
  check(pl::files(texts.path()) | pl::interleave([](const pl::file& f) { return pl::lines(f.path); }), 400'000);
  check(pl::range(8) | pl::map(by_hand), 400'000);
}

TEST_CASE("read limit: each run has its own limit") {
  const stored disk(8, 50'000);
  const auto begin = clock_type::now();
  auto slow = pl::run(disk.read(), one_by_one(limited(1, 1e5, 50'000.)));
  auto fast = pl::run(disk.read(), with(1));
  slow.next();
  while (fast.next()) {
  }
  CHECK(since(begin) < 3);  // some milliseconds; 3.5 s under the other run's limit
  slow.next();
  CHECK(since(begin) > 0.499);
}

TEST_CASE("read limit: a stream that is waiting ends promptly") {
  const watchdog guard("read limit: stop");
  const stored disk(20, 100'000);
  for (const std::size_t threads : {0U, 2U}) {
    std::optional s(pl::run(disk.read(), limited(threads, 1000)));  // 100 s per file
    std::thread consumer([&] { CHECK_FALSE(s->next().has_value()); });
    std::this_thread::sleep_for(100ms);
    const auto begin = clock_type::now();
    s->stop();
    consumer.join();
    s.reset();
    CHECK(since(begin) < promptly);
  }
  // destroyed without stop()
  std::optional s(pl::run(disk.read(), one_by_one(limited(2, 1000, 100'000.))));
  s->next();
  const auto begin = clock_type::now();
  s.reset();
  CHECK(since(begin) < promptly);
}

TEST_CASE("read limit: waiting is blocked time in the trace, not CPU time") {
  const watchdog guard("read limit: trace");
  const stored disk(10, 60'000);
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run<pl::tracing::counters>(disk.read(), limited(threads, 2e6));
    while (s.next()) {
    }
    const auto t = s.traced();
    double cpu = 0, wall = 0;
    for (const auto& p : t.parts) cpu += p.cpu_seconds, wall += p.wall_seconds;
    CHECK(t.counters[1].bytes_read == 600'000);
    CHECK(wall > 0.03);  // the part of 0.29 s in which a read waits: the bucket fills between reads too
    CHECK(cpu < 0.2 * wall);
  }
}

TEST_CASE("read limit: invalid limits are rejected") {
  const auto p = pl::range(3);
  CHECK_THROWS_WITH(pl::run(p, {.read_bytes_per_second = 0}),
                    "plumbline: run: read_bytes_per_second is 0; leave it out or give a finite number of at "
                    "least 1");
  CHECK_THROWS_WITH(pl::run(p, {.read_bytes_per_second = -5e6}), Contains("is -5e+06;"));
  CHECK_THROWS_WITH(pl::run(p, {.read_bytes_per_second = std::nan("")}), Contains("is nan"));
  CHECK_THROWS_WITH(pl::run(p, {.read_bytes_per_second = HUGE_VAL}), Contains("is inf"));
  CHECK_THROWS_WITH(pl::run(p, {.read_bytes_per_second = 1e6, .read_burst_bytes = -1}),
                    Contains("read_burst_bytes is -1") && Contains("at least 0"));
  CHECK_THROWS_WITH(pl::run(p, {.read_bytes_per_second = -1e300}), Contains("is -1e+300; leave it out"));
  CHECK_THROWS_WITH(pl::run(p, {.read_bytes_per_second = 1e-9}), Contains("is 1e-09; leave it out"));  // not 0
  CHECK_THROWS_WITH(pl::run(p, {.read_burst_bytes = 1e6}), Contains("without read_bytes_per_second"));
}
