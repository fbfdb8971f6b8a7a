// analyze: what it measures of a pipeline and a step. How good its predictions are is bench_stalls' question.
#include <plumbline/report/explain_stalls.hpp>
#include <plumbline/sources.hpp>
#include <plumbline/tune/alternate.hpp>
#include <plumbline/tune/analyze.hpp>
#include <plumbline/tune/held_files.hpp>
#include <plumbline/tune/measure_reads.hpp>
#include <plumbline/tune/read_cost.hpp>
#include <plumbline/tune/set_storage.hpp>
#include <plumbline/tune/trained_stream.hpp>

#include <plumbline/ops.hpp>

#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/tfrecord_writer.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {
// 40 files of 50,000 bytes.
std::string files_in(const temp_folder& at) {
  for (int i = 0; i != 40; ++i) at.write(std::to_string(i) + ".bin", std::string(50'000, static_cast<char>(i)));
  return at / "*.bin";
}
struct checked_sum {
  std::int64_t operator()(const pl::file_contents& f) const {
    std::uint64_t sum = 0;
    for (int i = 0; i != 20; ++i)
      for (const auto b : f.data.span()) sum = sum * 31 + b;
    return static_cast<std::int64_t>(sum >> 1);
  }
};
}  // namespace

TEST_CASE("analyze: the rates of its parts") {
  const watchdog guard("analyze");
  const temp_folder at;
  const auto p = pl::files(files_in(at)) | pl::shuffle(1) | pl::read_file() | pl::map(checked_sum()) | pl::batch(4);
  const auto a =
      pl::analyze(p, pl::steps_per_second{200},
                  {.run = {.threads = 2, .read_bytes_per_second = 2e4, .read_burst_bytes = 1e4}, .seconds = 0.5});
  CHECK(a.step == 200);
  CHECK(a.step_cpu_seconds == 0);
  CHECK(a.cores == std::min(2.0, static_cast<double>(pl::machine::cores_here())));
  CHECK(a.bytes_read == Approx(200'000).epsilon(0.05));
  CHECK(a.data_bytes == Approx(2e6).epsilon(0.05));
  CHECK(a.memory_bytes > a.data_bytes);  // with what the allocator takes
  CHECK(a.memory_bytes < 2 * a.data_bytes);
  CHECK(a.storage_fetch == Approx(0.1).epsilon(0.05));  // as stated, not as measured
  CHECK(a.memory_fetch > 10 * a.storage_fetch);
  CHECK(a.prep > 2 * a.storage_fetch);
  const auto now = pl::predict(a);
  CHECK(now.limit == "fetching");
  CHECK(now.rate == Approx(a.storage_fetch));
  CHECK(pl::predict(a, {.memory = 1e9}).rate > 2 * now.rate);
  CHECK_THAT(pl::explain(a).text, Contains("limited by fetching"));
  // 2 x 2 + 2 messages, and 2 for each of 4 I/O threads, of a file each; a burst of a fifth of a file; 2 batches of 4
  CHECK(a.files_ahead == Approx(14.2).epsilon(0.1));
  CHECK(a.files_ahead_of_step == Approx(22.2).epsilon(0.1));
  CHECK(a.size_variation == Approx(0).margin(1e-6));
}

TEST_CASE("analyze: how far reading is ahead of the preparation and of the step") {
  const watchdog guard("analyze: ahead");
  const temp_folder at;
  const auto files = pl::files(files_in(at)) | pl::read_file() | pl::map(checked_sum());
  const auto analysed = [](const auto& p, const pl::run_options& how) {
    return pl::analyze(p, pl::steps_per_second{200},
                       {.run = how, .seconds = 0.2, .disk = pl::disk_curve::fit({{1, 1e6}, {4, 2e6}})});
  };
  // a limit that the storage does not reach has no burst to give
  const auto more = analysed(files | pl::batch(4),
                             {.threads = 1, .prefetch = 5, .io_threads = 1, .chunk = 1, .read_bytes_per_second = 1e12});
  CHECK(more.files_ahead == Approx(6).epsilon(0.2));           // 2 + 2 messages, and 2 for the I/O thread
  CHECK(more.files_ahead_of_step == Approx(26).epsilon(0.2));  // files a batch as traced, some in flight
  // without a batch, what is in flight is what the consumer takes
  const auto elements = analysed(files, {.threads = 1, .prefetch = 8, .chunk = 1});
  CHECK(elements.files_ahead >= 4);
  CHECK(elements.files_ahead <= 12);
  CHECK(elements.files_ahead_of_step == elements.files_ahead);
  CHECK(analysed(files | pl::batch(4), {.threads = 0}).files_ahead == 0);
}

TEST_CASE("analyze: storage is as fast as the run's reads at a time make it") {
  const watchdog guard("analyze");
  const temp_folder at;
  const auto p = pl::files(files_in(at)) | pl::read_file() | pl::map(checked_sum()) | pl::batch(4);
  const auto disk = pl::disk_curve::fit({{1, 25e6}, {4, 100e6}, {32, 600e6}});
  const auto bandwidth = [&](std::size_t threads, std::optional<std::size_t> io_threads) {
    const auto a = pl::analyze(p, pl::steps_per_second{1e6},
                               {.run = {.threads = threads, .io_threads = io_threads}, .seconds = 0.2, .disk = disk});
    return a.storage_fetch * a.bytes_read;
  };
  CHECK(bandwidth(2, 1) == Approx(25e6));
  CHECK(bandwidth(2, {}) == Approx(100e6));
  CHECK(bandwidth(0, {}) == Approx(25e6));
  CHECK(bandwidth(2, 64) == Approx(600e6));
}

TEST_CASE("analyze: a step that is a function") {
  const watchdog guard("analyze: a step");
  const auto p = pl::range(1000) | pl::map([](std::int64_t x) { return x + 1; }) | pl::batch(10);
  std::size_t seen = 0;
  std::int64_t before = 0, longest = 0;  // ns between the beginnings of two calls
  const auto sleeps = pl::analyze(p,
                                  [&](const pl::tensor<std::int64_t>& batch) {
                                    const auto now = pl::detail::wall_now();
                                    if (before != 0) longest = std::max(longest, now - before);
                                    before = now;
                                    seen = batch.size();
                                    std::this_thread::sleep_for(2ms);
                                  },
                                  {.run = {.threads = 2}, .seconds = 0.3});
  CHECK(seen == 10);
  CHECK(sleeps.step < 500);
  CHECK(1 / sleeps.step <= 2e-9 * static_cast<double>(longest));  // a call is over before the next one begins
  CHECK(sleeps.step_cpu_seconds < 0.5 / sleeps.step);
  CHECK(std::isinf(sleeps.storage_fetch));
  CHECK(pl::predict(sleeps).limit == "the step");
}

TEST_CASE("analyze: a step that computes is seen to, also if it loses its core for long while it is measured") {
  const watchdog guard("analyze: a step that computes");
  const auto p = pl::range(1000) | pl::map([](std::int64_t x) { return x + 1; }) | pl::batch(10);
  int calls = 0;
  const auto computes = pl::analyze(p,
                                    [&](pl::tensor<std::int64_t>&) {
                                      if (++calls == 3) std::this_thread::sleep_for(300ms);  // of the first five
                                      const auto until = pl::detail::cpu_now() + 1'000'000;
                                      while (pl::detail::cpu_now() < until) {
                                      }
                                    },
                                    {.run = {.threads = 2}, .seconds = 0.75});
  CHECK(computes.step_cpu_seconds > 0.99e-3);
  // five times 62, if each takes no more than four times its processor time, instead of five times 29
  CHECK(calls > 220);
}

TEST_CASE("analyze: a rate with files elsewhere counts if it is not within the errors") {
  using pl::detail::other_rate;
  CHECK(other_rate({100, 0.05}, {80, 0.05}) == 80);
  CHECK(other_rate({100, 0.05}, {120, 0.05}) == 120);
  CHECK(other_rate({100, 0.05}, {95, 0.05}) == 100);
  CHECK(other_rate({100, 0}, {50, 0.05}) == 100);  // too few to know the error
}

TEST_CASE("analyze: rates that fall with more files in memory by less than their errors are equal") {
  const auto leveled = [](std::vector<pl::detail::measured_rate> rates) {
    pl::detail::level_falls(rates);
    std::vector<double> out;
    for (const auto& r : rates) out.push_back(r.rate);
    return out;
  };
  using all = std::vector<double>;
  CHECK(leveled({{80, 0.01}, {90, 0.01}, {100, 0.01}}) == all{80, 90, 100});
  CHECK(leveled({{80, 0.05}, {102, 0.05}, {100, 0.05}}) == all{80, 101, 101});
  CHECK(leveled({{104, 0.05}, {102, 0.05}, {100, 0.05}}) == all{102, 102, 102});
  CHECK(leveled({{101, 0.1}, {104, 0.1}, {95, 0.1}}) == all{100, 100, 100});      // 95 and 104, then these and 101
  CHECK(leveled({{120, 0.01}, {100, 0.01}, {110, 0.01}}) == all{120, 100, 110});  // it does fall
  CHECK(leveled({{108, 0}, {100, 0.01}}) == all{104, 104});                       // or that is not known
  CHECK(leveled({{120, 0}, {100, 0.01}}) == all{120, 100});                       // it falls by too much
  CHECK(leveled({{108, 0}, {100, 0.01}, {30, 0.01}}) == all{104, 104, 30});
  CHECK(leveled({}).empty());
}

TEST_CASE("analyze: rates are measured alternately, and the median counts") {
  std::string order;
  const auto one = [&](char name, std::vector<double> rates) {
    return [&order, name, rates, n = std::size_t{0}](double seconds) mutable {
      CHECK(seconds == 2);
      order += name;
      return pl::detail::rate_in_parts{rates[n++ % rates.size()], {1, 2, 3, 4, 5}};
    };
  };
  const auto seen = pl::detail::alternate({one('a', {5, 1, 4, 100, 3}), one('b', {7})}, 5, 2);
  CHECK(order == "abbaabbaab");
  CHECK(seen[0].rate == 4);
  CHECK(seen[0].error > 1);
  CHECK(seen[1].rate == 7);
  CHECK(seen[1].error == 0);
  // too few rounds to know: by their parts, if these are enough
  const auto few = pl::detail::alternate({one('a', {5, 1, 4})}, 3, 2)[0];
  CHECK(few.rate == 4);
  CHECK(few.error == Approx(pl::detail::relative_error({1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5})));
  const auto three = [](double) { return pl::detail::rate_in_parts{7, {6, 7, 8}}; };
  CHECK(pl::detail::alternate({three}, 1, 2)[0].error == 0);
  CHECK(pl::detail::alternate({three}, 2, 2)[0].error > 0);
}

TEST_CASE("analyze: batches that arrive together count as one arrival") {
  pl::detail::batch_gaps gaps;
  gaps.add(1);  // since an unknown time
  for (int message = 0; message != 5; ++message)
    for (const double gap : {0.004, 0.0, 0.0, 0.0}) gaps.add(gap);
  CHECK(!gaps.waited());
  CHECK(gaps.count() == 21);
  pl::detail::batch_gaps parts;
  for (int part = 0; part != 3; ++part) {
    parts.cut();
    for (const double gap : {0.003, 0.004, 0.0, 0.0, 0.0, 0.004, 0.0}) parts.add(gap);
  }
  CHECK(parts.rate() == Approx(5 / 0.008).epsilon(0.03));  // from the first 0.003 to the last 0.004 in each part
  std::size_t i = 0;
  for (const double each : parts.parts()) CHECK(each == Approx(i++ % 2 == 0 ? 250 : 1000));  // one in 4 ms, or four
  CHECK(i == 6);
  pl::detail::batch_gaps many;
  for (int n = 0; n != 101; ++n) many.add(n < 51 ? 0.01 : 0.02);
  CHECK(many.parts().size() == 8);
  pl::detail::batch_gaps one;
  CHECK(one.parts().empty());
  one.add(0.5);
  CHECK(one.waited());
  CHECK(one.rate() == 2);
}

TEST_CASE("analyze: where in a pattern of arrivals a measurement begins and ends hardly changes its rate") {
  // messages of 12 elements, batches of 8: one and two batches arrive in turn
  const std::vector<double> pattern{0.012, 0.012, 0};
  for (std::size_t first = 0; first != 3; ++first)
    for (std::size_t n = 11; n != 17; ++n) {
      pl::detail::batch_gaps gaps;
      for (std::size_t i = first; i != first + n; ++i) gaps.add(pattern[i % 3]);
      CAPTURE(first, n);
      CHECK(gaps.rate() == Approx(125).epsilon(0.022));  // from the first arrival to the last: up to 4.8 % off
    }
}

namespace {
/// A stream, and a step that does nothing.
struct simulated_stream : pl::detail::training, pl::detail::watched {
  watched& stream() override { return *this; }
  bool train() override { return next(); }
  void keep_first(std::uint64_t) override {}
  void step() override {}
  bool batch_taken() const override { return false; }
  void renew() override {}
  std::uint64_t epoch() const override { return 0; }
  void record(bool) override {}
  bool shorten() override { return true; }
};
/// Stands for a stream on a clock of its own, in ms: batch i of an epoch is ready so long after the epoch's beginning.
/// The consumer loses its core for half a second before it has its `pause`th batch.
struct simulated_training final : simulated_stream {
  static inline double now = 0;
  static std::int64_t clock() { return static_cast<std::int64_t>(1e6 * now); }
  std::vector<double> ready;
  std::size_t pause;
  std::size_t at = 0, taken = 0;
  double begun = 0;
  explicit simulated_training(std::vector<double> when, std::size_t pauses = 0)
      : ready(std::move(when)), pause(pauses) {}
  pl::trace traced() override { return {}; }
  bool next() override {
    if (at == ready.size()) return false;
    if (++taken == pause) now += 500;
    now = std::max(now, begun + ready[at++]);
    return true;
  }
  void restart() override { restart(0); }
  void restart(std::uint64_t) override { at = 0, begun = now; }
};
/// The median of five rates of such a stream, batches a second.
double rate_of(std::vector<double> ready, std::size_t pause = 0) {
  pl::detail::trained_stream s(std::make_unique<simulated_training>(std::move(ready), pause), 0,
                               simulated_training::clock);
  return pl::detail::alternate({[&](double seconds) { return s.rate(false, 10, seconds); }}, 5, 0.067)[0].rate;
}
/// The times when batches are ready: the first after `first` ms, each other one 0.9 to 1.1 ms after the one before.
std::vector<double> one_a_ms(std::size_t n, double first, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> ready{first};
  while (ready.size() != n) ready.push_back(ready.back() + 0.9 + 0.2e-3 * static_cast<double>(random() % 1001));
  return ready;
}
}  // namespace

TEST_CASE("analyze: the beginning of an epoch does not count") {
  for (std::uint64_t seed = 0; seed != 10; ++seed) {
    CAPTURE(seed);
    CHECK(rate_of(one_a_ms(100, 20, seed)) == Approx(1000).epsilon(0.03));  // with the beginning, 840
    CHECK(rate_of(one_a_ms(2000, 500, seed)) == Approx(1000).epsilon(0.03));
    // nor does one round of five in which the consumer loses its core
    for (const std::size_t pause : {20 * seed + 1, 100 * seed + 1}) {
      CAPTURE(pause);
      CHECK(rate_of(one_a_ms(100, 20, seed), pause) == Approx(1000).epsilon(0.03));
    }
  }
}

TEST_CASE("analyze: of epochs without a middle all batches count") {
  // five batches, of which several are being made when the first one is ready: 62.5 a second
  const double rate = rate_of({48, 52, 54, 70, 80});
  CHECK(rate > 45);
  CHECK(rate < 80);  // only the ends of epochs: 125
  CHECK(rate_of({60}) == Approx(1000 / 60.0));
  // a measurement ends within an epoch, of which skip(n) makes the first batch late
  pl::detail::trained_stream s(std::make_unique<simulated_training>(std::vector<double>{1000, 1020, 1040, 1060, 1080}),
                               0, simulated_training::clock);
  s.choose(1, 0.05, 10);
  const auto measured = [&](double seconds) { return s.rate(false, 10, seconds); };
  const double skipping = pl::detail::alternate({measured}, 5, 0.03)[0].rate;
  CHECK(skipping > 2.5);  // 4.6 a second; 50 between the others
  CHECK(skipping < 8);
}

TEST_CASE("analyze: the error of a preparation of few batches is known by parts of the time") {
  const watchdog guard("few batches");
  const auto p = pl::range(100'000) | pl::map([](std::int64_t x) {
                   std::this_thread::sleep_for(2ms);
                   return x;
                 });
  // There is no time for more than three rounds. If another program stops the thread for long, few other batches seem
  // to have been waited for.
  pl::stall_analysis a;
  for (int i = 0; i != 10 && !(a.prep_error > 0); ++i)
    a = pl::analyze(p, pl::steps_per_second{10}, {.run = {.threads = 1, .chunk = 1}, .seconds = 0.15});
  CHECK(a.prep_error > 0);
  CHECK(pl::explain(a).text.find("unknown") == std::string::npos);
}

TEST_CASE("analyze: a pipeline that has a cache itself") {
  const watchdog guard("own cache");
  const temp_folder at;
  const auto whole = pl::files(files_in(at)) | pl::read_file();
  const auto analysed = [](const auto& p) { return pl::analyze(p, pl::steps_per_second{10}, {.seconds = 0.1}); };
  const auto rest = pl::map(checked_sum()) | pl::batch(4);
  CHECK(analysed(whole | rest).caches.empty());
  const auto a = analysed(whole | pl::cache(pl::bytes(16 << 20)) | rest);
  REQUIRE(a.caches.size() == 1);
  CHECK(a.caches[0].number == 3);
  CHECK(a.caches[0].name == "cache(16 MiB)");
  CHECK_THAT(pl::explain(a).text,
             Contains("operator 3 (cache(16 MiB)) ") && Contains("is a cache of the pipeline itself"));
  for (std::size_t i = 1; i < a.cached.size(); ++i) CHECK(a.cached[i].share > a.cached[i - 1].share);
  CHECK(analysed(whole | pl::cache() | rest | pl::cache()).caches.size() == 2);
}

TEST_CASE("analyze: a folder that the pipeline fills gets whole epochs only") {
  const watchdog guard("own folder");
  const temp_folder at;
  const auto numbers = [](const pl::file_contents& f) {
    std::this_thread::sleep_for(2ms);
    return std::vector<std::int64_t>(5, f.data.data()[0]);
  };
  // not made by index, so the folder keeps an epoch in its order, once it has ended
  for (int i = 0; i != 500; ++i) at.write(std::to_string(i) + ".bin", std::string(100, 'x'));
  const auto p =
      pl::files(at / "*.bin") | pl::read_file() | pl::flat_map(numbers) | pl::cache(at / "kept") | pl::batch(4);
  (void)pl::analyze(p, pl::steps_per_second{10}, {.run = {.threads = 2}, .seconds = 0.1});
  std::size_t n = 0;
  for (const auto& batch : pl::run(p)) n += batch.size();
  CHECK(n == 2500);
}

TEST_CASE("analyze: preparation is measured with elements that were read before") {
  const watchdog guard("cold");
  // the first time, an element is slow, as if its file had to be read from storage
  const auto read = std::make_shared<std::vector<std::atomic<bool>>>(1'000'000);
  const auto p = pl::range(1'000'000) | pl::map([read](std::int64_t x) {
                   if (!(*read)[static_cast<std::size_t>(x)].exchange(true)) std::this_thread::sleep_for(1ms);
                   return x;
                 }) |
                 pl::batch(10);
  const pl::analyze_options how{.run = {.threads = 2}, .seconds = 1};
  CHECK(pl::analyze(p, pl::steps_per_second{10}, how).prep > 300);  // 200 at most, if they had to be read
  CHECK(pl::analyze(
            p, [](const pl::tensor<std::int64_t>&) {}, how)
            .together > 300);
}

TEST_CASE("analyze: enough batches are chosen where they are slow or large") {
  const auto chosen = [](double bytes_each, double seconds, std::uint64_t least, std::size_t epoch = 10'000,
                         double first = 20) {
    auto of = std::make_unique<simulated_training>(one_a_ms(epoch, first, 1));
    const auto& known = *of;
    pl::detail::trained_stream s(std::move(of), 0, simulated_training::clock);
    s.choose(bytes_each, seconds, least);
    return known.taken;
  };
  CHECK(chosen(1, 0.1, 10) == Approx(100).epsilon(0.1));      // 0.1 s after the first
  CHECK(chosen(1 << 20, 10, 10) == 256);                      // 256 MiB
  CHECK(chosen(1, 0.01, 50) == 50);                           // one in the time that is given
  CHECK(chosen(1 << 29, 10, 50) == 50);                       // one has more bytes than are wanted
  CHECK(chosen(1, 0.01, 5'000) == Approx(100).epsilon(0.1));  // ten times as long, and no longer
  CHECK(chosen(1, 0.01, 10, 5, 1000) == 5);                   // skip(n) makes the first one late
  CHECK(chosen(1, 1e9, 10) == 10'000);                        // the epoch ends
}

TEST_CASE("analyze: more threads than cores, and than the disk can be measured with") {
  const watchdog guard("many threads");
  const temp_folder at;
  const auto p = pl::files(files_in(at)) | pl::read_file() | pl::map(checked_sum());
  const auto cores = pl::machine::cores_here();
  const auto a =
      pl::analyze(p, pl::steps_per_second{100},
                  {.run = {.threads = cores + 3, .io_threads = 2048}, .seconds = 0.1, .measure = {.seconds = 0.1}});
  CHECK(a.cores == static_cast<double>(cores));
  CHECK(std::isfinite(a.storage_fetch));
}

TEST_CASE("analyze: stated parallelism and I/O threads hold with other cores, too") {
  const watchdog guard("stated limits");
  const auto waits = pl::blocking([](std::int64_t x) {
    std::this_thread::sleep_for(2ms);
    return x;
  });
  const auto p = pl::range(100'000) | pl::map(waits);
  const auto with_cores = [](const pl::stall_analysis& a) {
    return pl::predict(a, {.cores = 8 * a.cores}).prep_rate / pl::predict(a).prep_rate;
  };
  const auto one = pl::analyze(p, pl::steps_per_second{1e6}, {.run = {.threads = 1, .io_threads = 2}, .seconds = 0.3});
  CHECK(one.io_threads == 2);
  CHECK(with_cores(one) == Approx(1).epsilon(0.01));
  const auto other =
      pl::analyze(p, pl::steps_per_second{1e6}, {.run = {.threads = 1, .parallelism = {{"map", 2}}}, .seconds = 0.3});
  CHECK(with_cores(other) == Approx(1).epsilon(0.01));
  CHECK_THAT(pl::explain(other).text, Contains(": 2 at a time"));
  const auto any = pl::analyze(p, pl::steps_per_second{1e6}, {.run = {.threads = 1}, .seconds = 0.3});
  CHECK(with_cores(any) > 2);
  // on compute threads
  const auto sleeps = pl::range(100'000) | pl::map([](std::int64_t x) {
                        std::this_thread::sleep_for(2ms);
                        return x;
                      });
  CHECK(with_cores(pl::analyze(sleeps, pl::steps_per_second{1e6}, {.run = {.threads = 1}, .seconds = 0.3})) ==
        Approx(8).epsilon(0.01));
}

TEST_CASE("analyze: bytes are those of all files, not only of the first ones") {
  const watchdog guard("growing files");
  const temp_folder at;
  for (int i = 0; i != 400; ++i)
    at.write(std::to_string(1000 + i) + ".bin", std::string(100 * (static_cast<std::size_t>(i) + 1), 'x'));
  const auto rest = pl::map([](const pl::file_contents& f) {
                      std::this_thread::sleep_for(2ms);
                      return static_cast<std::int64_t>(f.data.size());
                    }) |
                    pl::batch(4);
  const auto analysed = [](const auto& p) {
    return pl::analyze(p, pl::steps_per_second{10},
                       {.run = {.threads = 1}, .seconds = 0.2, .disk = pl::disk_curve::fit({{1, 1e6}, {4, 2e6}})});
  };
  constexpr double all = 100 * 400 * 401 / 2;
  const auto a = analysed(pl::files(at / "*.bin") | pl::read_file() | rest);
  CHECK(a.data_bytes == Approx(all).epsilon(0.05));
  CHECK(a.bytes_read == Approx(all / 100).epsilon(0.05));
  CHECK(a.storage_fetch == Approx(2e6 / (all / 100)).epsilon(0.05));
  CHECK(a.needs.bytes_read.back() == Approx(all / 100).epsilon(0.05));
  // of the ten largest
  const auto last = analysed(pl::files(at / "*.bin") | pl::read_file() | pl::skip(390) | rest);
  CHECK(last.memory_bytes > 10 * 39'000);
  CHECK(last.data_bytes == Approx(10 * 39'550).epsilon(0.05));
}

TEST_CASE("analyze: files that the pipeline leaves out are not in the cache") {
  const watchdog guard("left out");
  const temp_folder at;
  const auto pattern = files_in(at);
  const auto files = [&](const auto& p) {
    return pl::analyze(p, pl::steps_per_second{10}, {.seconds = 0.1}).memory_bytes / 50'000;
  };
  const auto read = pl::files(pattern) | pl::read_file();
  const auto rest = pl::map(checked_sum()) | pl::batch(4);
  const double all = files(read | rest) / 40;  // with what the allocator takes
  CHECK(files(read | pl::take(10) | rest) == Approx(10 * all).epsilon(0.1));
  CHECK(files(read | pl::skip(30) | rest) == Approx(10 * all).epsilon(0.1));
  CHECK(files(read | rest | pl::take(2)) == Approx(8 * all).epsilon(0.1));
  CHECK(files(read | pl::take(10) | pl::shuffle(1) | rest) == Approx(10 * all).epsilon(0.1));
  // other ones in each epoch
  CHECK(files(pl::files(pattern) | pl::shuffle(1) | pl::take(10) | pl::read_file() | rest) ==
        Approx(40 * all).epsilon(0.1));
  CHECK(files(pl::files(pattern) | pl::shuffle(1) | pl::read_file() | pl::take(10) | rest) ==
        Approx(40 * all).epsilon(0.1));
}

namespace {
/// Stands for a stream whose batches are files of 1000 bytes, each `times` times. After `files` of them come the same
/// ones again, or the epoch is over.
struct simulated_files final : simulated_stream {
  static inline std::int64_t now = 0;  // ns; a batch takes 1 ms
  static std::int64_t clock() { return now; }
  std::size_t files, batches, times, taken = 0;
  simulated_files(std::size_t f, std::size_t b, std::size_t each = 1) : files(f), batches(b), times(each) {}
  pl::trace traced() override {
    pl::trace t;
    for (std::size_t i = 0; i != taken; ++i) {
      auto& file = t.files[std::to_string(i / times % files)];
      file.bytes += file.size = 1000;
    }
    return t;
  }
  bool next() override {
    now += 1'000'000;
    return taken != batches && (++taken, true);
  }
  void restart() override { taken = 0; }
  void restart(std::uint64_t) override { taken = 0; }
};
}  // namespace

TEST_CASE("analyze: files to measure the storage with are read if too few were seen") {
  int opened = 0;
  double took = 0;
  const auto found = [&](std::size_t seen, std::size_t files, std::size_t batches, double seconds,
                         std::size_t times = 1) {
    opened = 0;
    simulated_files s(files, seen);
    while (s.next()) {
    }
    const auto open = [&](const pl::run_options&, pl::detail::file_memory*) {
      ++opened;
      return std::make_unique<simulated_files>(files, batches, times);
    };
    const auto begin = simulated_files::now;
    const auto n = pl::detail::files_to_measure(s.traced(), open, {}, seconds, simulated_files::clock).size();
    took = 1e-9 * static_cast<double>(simulated_files::now - begin);
    return n;
  };
  CHECK(found(0, 10, 10, 1e9) == 0);
  CHECK(opened == 0);  // none are read
  CHECK(found(1100, 2000, 2000, 1e9) == 1100);
  CHECK(opened == 0);  // enough
  CHECK(found(10, 2000, 2000, 1e9) == 2000);
  CHECK(opened == 1);
  CHECK(found(10, 2000, 2000, 5) == Approx(1100).epsilon(0.1));  // enough, found at a look each 0.1 s
  CHECK(found(10, 20, 20, 5) == 20);                             // there are no more
  constexpr auto endless = ~std::size_t{0};
  CHECK(found(10, 20, endless, 5) == 20);  // the same ones again
  CHECK(took < 0.4);
  CHECK(found(10, 2000, endless, 5, 2) == Approx(1100).epsilon(0.1));  // each is read twice, and there are others
  CHECK(found(10, 2000, endless, 0.5) == Approx(500).epsilon(0.1));    // there is no more time
}

TEST_CASE("analyze: slow batches of small files are read on until the storage can be measured") {
  const watchdog guard("small files");
  const temp_folder at;
  for (int i = 0; i != 500; ++i) at.write(std::to_string(i) + ".bin", std::string(12'000, 'x'));
  const auto p = pl::files(at / "*.bin") | pl::read_file() | pl::map([](const pl::file_contents& f) {
                   std::this_thread::sleep_for(2500us);
                   return static_cast<std::int64_t>(f.data.size());
                 });
  pl::stall_analysis a;
  for (int i = 0; i != 10 && !std::isfinite(pl::predict(a).fetch_rate); ++i)
    a = pl::analyze(p, pl::steps_per_second{10},
                    {.run = {.threads = 1, .chunk = 1}, .seconds = 1, .measure = {.seconds = 0.1}});
  CHECK(std::isfinite(a.storage_fetch));
}

TEST_CASE("analyze: an epoch that does not end") {
  const watchdog guard("no end");
  const auto p = pl::range(1000) | pl::map([](std::int64_t x) {
                   std::this_thread::sleep_for(1ms);
                   return x;
                 }) |
                 pl::repeat();
  const auto a = pl::analyze(p, [](std::int64_t) {}, {.run = {.threads = 2}, .seconds = 0.5});
  CHECK(a.prep > 20);
}

TEST_CASE("analyze: files are copied from memory as if a cache had them") {
  const watchdog guard("file memory");
  const temp_folder at;
  const auto p = pl::files(files_in(at)) | pl::read_file() | pl::map([](const pl::file_contents& f) {
                   return static_cast<std::int64_t>(f.data.size()) + f.data(0);
                 });
  pl::detail::held_files files(1, 30 * 50'000);
  auto setting = pl::detail::setting_of(p, {.threads = 2, .io_threads = 2});
  setting.files = &files;
  CHECK(!files.used());
  auto s = pl::detail::run_with<pl::tracing::off>(decltype(p)(p), std::move(setting));
  std::int64_t sum = 0, again = 0;
  for (const auto x : s) sum += x;
  CHECK(files.used());
  for (int i = 0; i != 40; ++i) at.write(std::to_string(i) + ".bin", std::string(50'000, 'x'));
  for (const auto x : s) again += x;
  CHECK(sum != again);  // of the ten that had no room
  CHECK(again < 40 * (50'000 + 'x') - 30 * ('x' - 40));
}

TEST_CASE("analyze: a share of the files is found in memory, the others are read on I/O threads") {
  const watchdog guard("a share in memory");
  const temp_folder at;
  pl::detail::held_files files(0.5, 1'000'000);
  static int read;
  read = 0;
  int held = 0;
  for (int i = 0; i != 1000; ++i) {
    const auto path = std::to_string(i);
    const auto make = [](const std::string& name) {
      return ++read, pl::byte_tensor({4}, static_cast<std::uint8_t>(std::stoi(name)));
    };
    const auto first = files.bytes(path, make), again = files.bytes(path, make);
    CHECK(first.has_value() == again.has_value());
    if (!first) continue;
    CHECK((*first)(0) == static_cast<std::uint8_t>(i));
    CHECK(*first == *again);
    ++held;
  }
  CHECK(held == read);
  CHECK(files.found() == Approx(held / 2000.0));  // they were not there at first
  files.count_anew();
  for (int i = 0; i != 1000; ++i) files.bytes(std::to_string(i), nullptr);
  CHECK(files.found() == Approx(held / 1000.0));
  CHECK(held > 400);
  CHECK(held < 600);
  const auto p = pl::files(files_in(at)) | pl::repeat(50) | pl::read_file() |
                 pl::map([](const pl::file_contents& f) { return static_cast<std::int64_t>(f.data.size()); }) |
                 pl::batch(4);
  const auto a = pl::analyze(p, [](const pl::tensor<std::int64_t>&) { std::this_thread::sleep_for(1ms); },
                             {.run = {.threads = 2}, .seconds = 2});
  // half of them may be all or none where there is time for few
  REQUIRE(a.cached.size() >= 2);
  CHECK(a.cached.front().share == 0);
  CHECK(a.cached.back().share > 0.5);
  for (std::size_t i = 0; i != a.cached.size(); ++i) {
    CHECK((i == 0 || a.cached[i].share > a.cached[i - 1].share));
    CHECK(a.cached[i].prep > 0);
    CHECK(a.cached[i].together > 0);
  }
  const auto lines = pl::analyze(pl::lines(files_in(at)) | pl::batch(4), pl::steps_per_second{10}, {.seconds = 0.2});
  CHECK(lines.cached.size() == 1);  // they are not read whole
}

TEST_CASE("analyze: of few files none may be in the half that is in memory; all of them are measured there") {
  const watchdog guard("few files in memory");
  const temp_folder at;
  std::string name;
  const auto held = [&] {
    return pl::detail::held_files(0.5, 100).bytes(
        at / name, [](const std::string&) { return pl::byte_tensor({1}, std::uint8_t{1}); });
  };
  for (int i = 0; name.empty() || held(); ++i) name = std::to_string(i) + ".bin";
  at.write(name, "some");
  const auto p = pl::files(at / "*.bin") | pl::repeat(100) | pl::read_file() |
                 pl::map([](const pl::file_contents& f) { return static_cast<std::int64_t>(f.data.size()); });
  const auto a = pl::analyze(p, pl::steps_per_second{10}, {.run = {.threads = 2}, .seconds = 0.1});
  REQUIRE(a.cached.size() == 2);
  CHECK(a.cached[0].share == 0);
  CHECK(a.cached[1].share > 0.5);
}

TEST_CASE("analyze: files that no cache(bytes) can keep") {
  const watchdog guard("no cache");
  const temp_folder at;
  const auto pattern = files_in(at);
  const auto memory = [](const auto& p) {
    const auto a = pl::analyze(p, pl::steps_per_second{10}, {.seconds = 0.2});
    CHECK(a.bytes_read > 0);
    CHECK(a.data_bytes > 0);
    const auto text = pl::explain(a).text;
    CHECK((text.find("no cache(bytes) is possible") != std::string::npos) == (a.memory_bytes == 0));
    CHECK((text.find("of the files in memory") != std::string::npos) == (a.memory_bytes > 0));
    return a.memory_bytes;
  };
  const auto whole = pl::files(pattern) | pl::read_file() | pl::map(checked_sum());
  CHECK(memory(whole | pl::batch(4)) > 40 * 50'000);
  CHECK(memory(pl::lines(pattern) | pl::batch(4)) == 0);
  CHECK(memory(pl::files(pattern) | pl::shuffle(10, 1) | pl::read_file() | pl::map(checked_sum()) | pl::batch(4)) == 0);
  CHECK(memory(pl::zip(whole, pl::lines(pattern)) | pl::batch(4)) == 0);  // of a part of the files only
}

TEST_CASE("analyze: sources that read record by record") {
  const watchdog guard("records");
  const temp_folder at;
  tfrecord_writer records;  // few to a file: what is read ahead of them counts, and in a short time much would be
  for (int i = 0; i != 10; ++i) records.write(std::string(1000, 'r'));  // 16 bytes more each
  for (int i = 0; i != 640; ++i) at.write(std::to_string(i) + ".tfrecord", records.bytes());
  const auto sum = [](const pl::byte_tensor& r) {
    std::int64_t all = 0;
    for (const auto b : r.span()) all += b;
    return all;
  };
  const auto curve = pl::disk_curve::fit({{1, 25e6}, {4, 100e6}, {8, 180e6}, {32, 300e6}});
  const auto pattern = at / "*.tfrecord";
  const auto measured = [&](const auto& p, const pl::run_options& run) {
    return pl::analyze(p, pl::steps_per_second{1e6}, {.run = run, .seconds = 0.5, .disk = curve});
  };
  const auto one = pl::tfrecords(pattern) | pl::map(sum) | pl::batch(10);
  const auto a = measured(one, {.threads = 2});
  CHECK(a.bytes_read == Approx(10'160).epsilon(0.3));
  constexpr double all = 640 * 10 * 1016;  // if the analysis has read only some of the files, what is read ahead counts
  CHECK(a.data_bytes < 1.1 * all);
  CHECK(a.data_bytes > 0.5 * all);
  CHECK(a.memory_bytes == 0);
  CHECK(a.prep > 0);
  CHECK(a.storage_fetch * a.bytes_read == Approx(25e6));  // one read at a time
  CHECK(a.storage_cpu_seconds == 0);                      // not measured where a curve is given
  CHECK(a.cached.size() == 1);
  CHECK_THAT(pl::explain(a).text, Contains("no cache(bytes) is possible"));
  const auto limited = measured(one, {.threads = 2, .read_bytes_per_second = 1e6});
  CHECK(limited.storage_fetch * limited.bytes_read == Approx(1e6));
  CHECK(pl::predict(limited).limit == "fetching");
  // as many reads at a time as streams are open: four, and up to four that are opened before their turn
  const auto four = pl::files(pattern) |
                    pl::interleave([](const pl::file& f) { return pl::tfrecords(f); }, {.cycle_length = 4}) |
                    pl::map(sum) | pl::batch(10);
  const auto b = measured(four, {.threads = 2, .io_threads = 32});
  CHECK(b.storage_fetch * b.bytes_read >= 99e6);
  CHECK(b.storage_fetch * b.bytes_read <= 181e6);
  CHECK(b.memory_bytes == 0);
  // where no curve is given, the storage is measured, if 1 MiB is read: a busy machine needs time for that
  const auto c = pl::analyze(one, pl::steps_per_second{1e6}, {.run = {.threads = 2}, .seconds = 2});
  CHECK(c.storage_fetch > 0);
  CHECK(std::isfinite(c.storage_fetch));
  // S is not what the planner's curve says, but measured apart from it
  CHECK(c.storage_error > 0);
  CHECK(c.modelled_storage > 0);
  CHECK(c.storage_fetch != c.modelled_storage);
  CHECK(c.storage_cpu_seconds >= 0);
  CHECK(c.storage_cpu_seconds < 1e-6 * c.bytes_read);
}

TEST_CASE("analyze: a step that moves from its batch gets a whole one each time") {
  const watchdog guard("moves");
  const auto p = pl::range(100'000) | pl::batch(100);
  std::atomic<int> calls{0}, empty{0};
  const auto a = pl::analyze(p,
                             [&](pl::tensor<std::int64_t>& batch) {
                               const auto mine = std::move(batch);
                               ++calls;
                               empty += mine.size() == 0 ? 1 : 0;
                             },
                             {.run = {.threads = 1}, .seconds = 0.2});
  CHECK(calls > 10);
  CHECK(empty == 0);
  CHECK(a.step > 0);
  // one whose type cannot be copied
  const auto owned = pl::range(1000) | pl::map([](std::int64_t x) { return std::make_unique<std::int64_t>(x); });
  CHECK_THROWS_WITH(
      pl::analyze(owned, [](std::unique_ptr<std::int64_t>& x) { const auto mine = std::move(x); },
                  {.run = {.threads = 1}, .seconds = 0.2}),
      Contains("the step moves from its batch, which cannot be copied") && Contains("steps_per_second{rate}"));
  int untouched = 0;
  (void)pl::analyze(owned, [&](std::unique_ptr<std::int64_t>& x) { untouched += x ? 1 : 0; },
                    {.run = {.threads = 1}, .seconds = 0.2});
  CHECK(untouched > 0);
}

TEST_CASE("analyze: large files are read in part") {
  const watchdog guard("large");
  const temp_folder at;
  std::vector<std::string> paths;
  for (int i = 0; i != 2; ++i) {
    paths.push_back(at.write(std::to_string(i)));
    std::filesystem::resize_file(paths.back(), std::uint64_t{1} << 40);  // 1 TiB, all of it a hole
  }
  const auto memory = pl::detail::measure_reads(paths, 2, 0.01);
  CHECK(memory.rate > 0);
  CHECK(pl::detail::storage_read_cost(paths, 4096, 0.01).seconds_per_byte < 1e-6);
}

TEST_CASE("analyze: too few batches, and too little data to measure the storage") {
  const watchdog guard("little data");
  const temp_folder at;
  for (int i = 0; i != 3; ++i) at.write(std::to_string(i) + ".bin", "some");
  const auto p = pl::files(at / "*.bin") | pl::read_file() | pl::map([](const pl::file_contents& f) {
                   std::this_thread::sleep_for(40ms);
                   return static_cast<std::int64_t>(f.data.size());
                 }) |
                 pl::batch(3);
  pl::stall_analysis a;  // rarely, enough batches seem to have been waited for
  for (int i = 0; i != 10 && (i == 0 || a.prep_error > 0); ++i)
    a = pl::analyze(p, pl::steps_per_second{1000}, {.run = {.threads = 1}, .seconds = 0.2});
  CHECK(std::isinf(a.storage_fetch));
  CHECK(a.prep > 1);
  CHECK(a.prep < 10 / 0.12);  // a batch takes at least 120 ms, so there are at most 17 in ten times the time stated
  CHECK(a.prep_error == 0);
  CHECK_THAT(pl::explain(a).text, Contains("unknown") && Contains("give analyze more seconds"));
}

TEST_CASE("analyze: invalid options of the disk are refused before anything runs") {
  std::atomic<int> made{0};
  const auto p = pl::range(10) | pl::map([&](std::int64_t x) { return ++made, x; });
  CHECK_THROWS_WITH(pl::analyze(p, pl::steps_per_second{1}, {.measure = {.seconds = -1}}),
                    Equals("plumbline: measure_disk: seconds must be positive, at most 3600"));
  CHECK_THROWS_WITH(pl::analyze(p, pl::steps_per_second{1}, {.run = {.read_bytes_per_second = -5}}),
                    Contains("plumbline: run: read_bytes_per_second is -5"));
  CHECK(made == 0);
}

TEST_CASE("analyze: errors") {
  const auto p = pl::range(10) | pl::batch(2);
  CHECK_THROWS_WITH(pl::analyze(p, pl::steps_per_second{0}, {.seconds = 0.05}), Contains("the step's rate is 0"));
  CHECK_THROWS_WITH(pl::analyze(p, pl::steps_per_second{pl::detail::infinite}, {.seconds = 0.05}),
                    Contains("the step's rate is inf; give batches a second, a finite number above 0"));
  for (const double seconds : {0.0, -1.0, pl::detail::infinite, std::nan("")})
    CHECK_THROWS_WITH(pl::analyze(p, pl::steps_per_second{1}, {.seconds = seconds}),
                      Contains("plumbline: analyze: seconds is ") && Contains("; give a finite number above 0"));
  CHECK_THROWS_AS(pl::analyze(pl::range(0), pl::steps_per_second{1}, {.seconds = 0.05}), std::invalid_argument);
  CHECK_THROWS_WITH(pl::analyze(pl::range(0), pl::steps_per_second{1}, {.seconds = 0.05}),
                    Equals("plumbline: analyze: the pipeline has no elements; check its source and its filters"));
}
