// Storage that limits: a plan for it predicts what comes, is told of, and asks for no more reads than are of use.
#include <support/op_laws.hpp>
#include <support/real_data.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <plumbline/tune.hpp>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// Photos, or, where there are none, files of about their size.
std::string photos(const temp_folder& instead) {
  if (const auto real = real_data("photos_clothing")) return *real + "/**/*.{jpg,jpeg}";
  for (int i = 0; i != 200; ++i)
    instead.write(std::to_string(i), std::string(15'000 + 100 * static_cast<std::size_t>(i), 'x'));
  return instead.path();
}
auto read_endlessly(const std::string& pattern) {
  return pl::files(pattern, {.ignore_case = true}) | pl::shuffle(1) | pl::repeat() | pl::read_file() |
         pl::map([](const pl::file_contents& f) {
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
/// Minibatches per second, once what the bucket held at the beginning is used up.
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
  const temp_folder instead;
  const auto p = read_endlessly(photos(instead));
  auto traced = pl::run<pl::tracing::counters>(p, with(2));
  for (int i = 0; i != 400; ++i) traced.next();
  traced.stop();
  const auto t = traced.traced();
  for (const double bandwidth : {4e6, 8e6, 12e6, 16e6, 24e6, 32e6}) {
    const auto plan = pl::make_plan(t, {.cores = 2, .memory = 1e9, .disk = pl::disk_curve::flat(bandwidth)},
                                    {.cache_after = std::vector<std::uint32_t>{}})
                          .best;
    CHECK(plan.bottleneck == pl::bytes_text(bandwidth) + "/s of the disk");
    auto how = with(2);
    how.read_bytes_per_second = bandwidth;
    auto s = pl::run(p, plan, how);
    std::vector<double> seen;
    for (int i = 0; i != 3; ++i) seen.push_back(steady_rate(s, 0.2));
    std::sort(seen.begin(), seen.end());
    INFO(bandwidth << " bytes a second: predicted " << plan.rate << ", observed " << seen[1]);
    CHECK(seen[1] == Approx(plan.rate).epsilon(0.1));
  }
}

TEST_CASE("disk: optimize takes a limit on reading for the storage it has") {
  const watchdog guard("disk: optimize");
  const temp_folder instead;
  const auto p = read_endlessly(photos(instead));
  auto o = quick(0.4);
  o.run.read_bytes_per_second = 6e6;
  auto tuned = pl::optimize(p, o);
  CHECK(tuned.plan().disk == pl::disk_curve::flat(6e6));
  CHECK(tuned.plan().bottleneck == "6.0 MB/s of the disk");
  CHECK_THAT(pl::explain(tuned).text, Contains("however many reads: at most 6.0 MB/s") &&
                                          Contains("The plan reads 6.0 MB/s, 100 % of what the disk gives."));
  // of a faster disk the limit is what counts, of a slower one the disk
  o.disk = pl::disk_curve::fit({{1, 4e6}, {2, 8e6}, {4, 9e6}});
  o.passes = 1;
  CHECK(pl::optimize(p, o).plan().disk.most() == 6e6);
  CHECK(pl::optimize(p, o).plan().io_threads == 2);
  o.run.read_bytes_per_second = 20e6;
  CHECK(pl::optimize(p, o).plan().disk == o.disk);
  CHECK(pl::optimize(p, o).plan().io_threads == 4);
}

TEST_CASE("disk: optimize measures the files of the pipeline where that is asked for") {
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
