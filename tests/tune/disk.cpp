// Pipelines limited by storage: the plan predicts the rate, the disk is reported, and no more reads run than help.
#include <support/op_laws.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/tries.hpp>
#include <support/watchdog.hpp>
#include <tune/decided.hpp>

#include <plumbline/tune.hpp>
#include <plumbline/tune/storage_of.hpp>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// Writes 200 files of about the size of a small photo.
void write_files(const temp_folder& folder) {
  for (int i = 0; i != 200; ++i)
    folder.write(std::to_string(i), std::string(15'000 + 100 * static_cast<std::size_t>(i), 'x'));
}
auto read_once(const std::string& pattern) {
  return pl::files(pattern) | pl::shuffle(1) | pl::read_file() | pl::map([](const pl::file_contents& f) {
           std::uint64_t sum = 0;
           for (const auto b : f.data.span()) sum += b;
           return sum;
         }) |
         pl::batch<4>();
}
auto read_endlessly(const std::string& pattern) {
  return pl::files(pattern) | pl::shuffle(1) | pl::repeat() | pl::read_file() | pl::map([](const pl::file_contents& f) {
           std::uint64_t sum = 0;
           for (const auto b : f.data.span()) sum += b;
           return sum;
         }) |
         pl::batch<4>();
}
pl::optimize_options quick(double seconds) {
  pl::optimize_options o;
  o.run = with(2);
  o.seconds = seconds;
  o.caches = false;
  o.progress = [](const std::string&) {};
  return o;
}
/// Minibatches per second, after the initial contents of the bucket are used up.
template <class T> double steady_rate(pl::stream<T>& s, double seconds) {
  using clock = std::chrono::steady_clock;
  const auto since = [](clock::time_point t) { return std::chrono::duration<double>(clock::now() - t).count(); };
  for (const auto begin = clock::now(); since(begin) < 0.2 * seconds;) s.next();
  const auto begin = clock::now();
  for (int n = 1;; ++n) {
    s.next();
    if (since(begin) > seconds) return n / since(begin);
  }
}

}  // namespace

TEST_CASE("disk: six bandwidths, predicted and observed") {
  const watchdog guard("disk: bandwidths");
  const temp_folder folder;
  write_files(folder);
  const auto p = read_once(folder.path());
  const auto t = trace_of(p, {0, 0, 20e-6, 20e-6, 1e-6});
  const auto endless = read_endlessly(folder.path());
  for (const double bandwidth : {4e6, 8e6, 12e6, 16e6, 24e6, 32e6}) {
    const auto plan = pl::make_plan(t, {.cores = 2, .memory = 1e9, .disk = pl::disk_curve::flat(bandwidth)},
                                    {.cache_sites = std::vector<std::uint32_t>{}})
                          .best;
    CHECK(plan.bottleneck == pl::bytes_text(bandwidth) + "/s of the disk");
    CHECK(plan.rate == Approx(bandwidth / (4 * 24'950)));  // four files of that size on average
    auto how = with(2);
    how.read_bytes_per_second = bandwidth;
    auto s = pl::run(endless, how);
    steady_rate(s, 0.2);  // uses up what was read ahead at the beginning
    CHECK(holds_in_time("a disk of " + pl::rate_text(bandwidth), [&](auto& measured) {
      const double seen = steady_rate(s, 0.2);
      measured << "predicted " << plan.rate << " minibatches/s, observed " << seen;
      return seen < 10 * plan.rate && seen > 0.1 * plan.rate;  // bench_tune --disk checks how close
    }));
  }
}

TEST_CASE("disk: optimize treats a limit on reading as a limit of the storage") {
  const temp_folder folder;
  write_files(folder);
  const auto p = read_once(folder.path());
  const std::vector<double> each{0, 0, 20e-6, 20e-6, 1e-6};
  auto o = two_cores();
  o.caches = false;
  o.run.read_bytes_per_second = 6e6;
  const auto why = planned(p, each, o);
  CHECK(why.made.best.disk == pl::disk_curve::flat(6e6));
  CHECK(why.made.best.bottleneck == "6.0 MB/s of the disk");
  CHECK_THAT(pl::explain(why).text, Contains("however many reads: at most 6.0 MB/s") &&
                                        Contains("The plan reads 6.0 MB/s, 100 % of what the disk gives."));
  // with a faster disk the limit counts, with a slower one the disk
  o.disk = pl::disk_curve::fit({{1, 4e6}, {2, 8e6}, {4, 9e6}});
  CHECK(planned(p, each, o).made.best.disk.most() == 6e6);
  CHECK(planned(p, each, o).made.best.io_threads == 2);
  o.run.read_bytes_per_second = 20e6;
  CHECK(planned(p, each, o).made.best.disk == o.disk);
  CHECK(planned(p, each, o).made.best.io_threads == 4);
}

TEST_CASE("disk: storage is measured as the pipeline reads it") {
  using pl::detail::as_read;
  const auto one = as_read({}, 1);
  CHECK(one.read_ahead);
  CHECK(one.most_reads == 1);
  CHECK(as_read({}, 6).most_reads == 8);
  CHECK(as_read({.most_reads = 4}, 6).most_reads == 4);
  CHECK(!as_read({}, pl::detail::infinite).read_ahead);
  // for optimize: lines are read in order, with the system's read-ahead
  const temp_folder folder;
  std::string text;
  for (int i = 0; i != 4'000; ++i) text += std::string(99, 'x') + '\n';
  for (int i = 0; i != 4; ++i) folder.write(std::to_string(i), text);
  const auto p = pl::lines(folder.path()) | pl::map([](const std::string& s) { return s.size(); }) | pl::batch(100);
  const std::vector<double> each{1e-6, 1e-6, 1e-6};
  auto o = two_cores();
  o.measure_disk = {.seconds = 0.1, .most_reads = 4};
  const auto disk = planned(p, each, o).made.best.disk;
  CHECK(disk.measured.size() == 1);
  CHECK_THAT(disk.how, Contains("4 files of") && !Contains("O_DIRECT"));
  // with more readers if the plan may keep elements on disk, which are read by all threads
  auto keeping = trials_of(p);
  keeping.stored = {2};
  keeping.will_run(1, trace_of(p, each));
  o.passes = 1;
  CHECK(keeping.decide(o).made.best.disk.measured.size() == 3);
}

TEST_CASE("disk: optimize measures the files of the pipeline if requested") {
  const watchdog guard("disk: measured");
  const temp_folder folder;
  for (int i = 0; i != 40; ++i) folder.write(std::to_string(i), std::string(100'000, 'x'));
  auto o = quick(0.2);
  o.passes = 1;
  CHECK_FALSE(pl::optimize(read_endlessly(folder.path()), o).plan().disk.known());
  o.measure_disk = {.seconds = 0.1, .most_reads = 4};
  auto tuned = pl::optimize(read_endlessly(folder.path()), o);
  const auto& disk = tuned.plan().disk;
  CHECK(disk.measured.size() == 3);
  CHECK(disk == tuned.why().seen.disk);
  CHECK_THAT(pl::explain(tuned).text, Contains("the disk: " + disk.how) && Contains("reads at a time  measured"));
  CHECK_THROWS_WITH(pl::optimize(pl::range(1000) | pl::map([](std::int64_t x) { return x; }), o),
                    Contains("measure_disk: too little to measure, 0 files"));
}
