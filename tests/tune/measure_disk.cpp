// measure_disk: its description of the measurement is true, and what cannot be measured is rejected.
#include <support/temp_folder.hpp>

#include <catch2/catch.hpp>
#include <plumbline/tune/disk_reader.hpp>
#include <plumbline/tune/measure_disk.hpp>

using namespace plumbline_test;
namespace pl = plumbline;
using Catch::Matchers::Contains;

namespace {
std::vector<std::string> some_files(const temp_folder& folder, int n, std::size_t bytes) {
  std::vector<std::string> paths;
  for (int i = 0; i != n; ++i) paths.push_back(folder.write(std::to_string(i), std::string(bytes, 'x')));
  return paths;
}
}  // namespace

TEST_CASE("measure_disk: a curve through the measured points, and its description") {
  const temp_folder folder;
  const auto paths = some_files(folder, 5, 3'000'001);  // not a multiple of a block
  const auto begin = std::chrono::steady_clock::now();
  const auto d = pl::measure_disk(paths, {.seconds = 0.3, .most_reads = 8});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));  // the files may have to be written first
  REQUIRE(d.measured.size() == 4);
  for (std::size_t i = 0; i != 4; ++i) {
    CHECK(d.measured[i].reads == std::pow(2, i));
    CHECK(d.measured[i].bytes_per_second > 0);
  }
  CHECK(d.corners == pl::disk_curve::fit(d.measured).corners);
  CHECK(d.cache != pl::page_cache::unknown);
  const bool cold = d.cache == pl::page_cache::bypassed || d.cache == pl::page_cache::dropped;
  CHECK_THAT(d.how, Contains(d.cache == pl::page_cache::bypassed  ? "past the page cache (O_DIRECT); "
                             : d.cache == pl::page_cache::dropped ? "dropped from the page cache"
                                                                  : "from memory"));
  CHECK_THAT(d.how, Contains("5 files of 15.0 MB in all"));
  if (cold) CHECK(d.measured[0].bytes_per_second < 20e9);
  const auto three = pl::measure_disk(paths, {.seconds = 0.1, .most_reads = 8, .least_reads = 3});
  REQUIRE(three.measured.size() == 2);
  CHECK(three.measured[0].reads == 3);
  CHECK(three.measured[1].reads == 6);
  CHECK(pl::measure_disk(paths, {.seconds = 0.1, .most_reads = 1024, .least_reads = 1024}).measured.size() == 1);
}

TEST_CASE("measure_disk: files in memory are described as such") {
  std::error_code none;
  if (!std::filesystem::is_directory("/dev/shm", none)) return;
  const std::string path = "/dev/shm/plumbline_test_" + std::to_string(getpid());
  std::ofstream(path) << std::string(2'000'000, 'x');
  if (std::filesystem::file_size(path, none) == 2'000'000 && pl::detail::disk_reader::in_memory(path)) {
    const auto d = pl::measure_disk({path}, {.seconds = 0.05, .most_reads = 2});
    CHECK(d.cache == pl::page_cache::in_use);
    CHECK_THAT(d.how, Contains("a file system that has no storage"));
  }
  std::filesystem::remove(path, none);
}

TEST_CASE("measure_disk: reads with advice, through the page cache and past it") {
  using pl::detail::disk_access;
  using pl::detail::disk_reader;
  const temp_folder folder;
  const auto path = some_files(folder, 1, 1 << 20).front();
  const auto sum = [&](disk_access how, std::uint64_t from, std::uint64_t to) {
    disk_reader r(how, 4096);
    r.open(path, from, to);
    std::uint64_t bytes = 0;
    for (std::size_t n = r.next(); n != 0; n = r.next()) bytes += n;
    CHECK(r.opened() == 1);
    CHECK(r.still_cached() <= 1);
    return bytes;
  };
  CHECK(sum(disk_access::advised, 0, 1 << 20) == 1 << 20);
  CHECK(sum(disk_access::read_ahead, 0, 1 << 20) == 1 << 20);
  CHECK(sum(disk_access::cached, 8192, 10'000) == 1808);
  if (disk_reader::access_to(path) == disk_access::direct)
    CHECK(sum(disk_access::direct, 4096, 1 << 20) == (1 << 20) - 4096);
}

TEST_CASE("measure_disk: as sources read that take files in order") {
  const temp_folder folder;
  const auto paths = some_files(folder, 3, 3'000'001);
  const auto d = pl::measure_disk(paths, {.seconds = 0.2, .read_ahead = true});
  CHECK(d.measured.size() == 2);  // each reader takes whole files
  CHECK(d.cache != pl::page_cache::bypassed);
  CHECK_THAT(d.how, Contains("3 files of 9.0 MB in all") && !Contains("O_DIRECT"));
  if (d.cache == pl::page_cache::dropped) CHECK_THAT(d.how, Contains("with the system's read-ahead"));
}

TEST_CASE("measure_disk: few and small files") {
  const temp_folder folder;
  const auto small = some_files(folder, 3, 1000);
  CHECK_THROWS_WITH(pl::measure_disk(small),
                    "plumbline: measure_disk: too little to measure, 3 files of 3.0 kB in all; give files of at least "
                    "1 MiB together");
  CHECK_THROWS_WITH(pl::measure_disk({}), Contains("0 files of 0 B"));
  const temp_folder other;
  // one file is read in pieces, none smaller than a request
  const auto one = some_files(other, 1, 5 << 18);
  const auto d = pl::measure_disk(one, {.seconds = 0.05});
  CHECK(d.measured.size() == 3);
  CHECK_THAT(d.how, Contains("1 file of") && Contains("not measured above 4 reads at a time"));
  CHECK_THROWS_WITH(pl::measure_disk({folder.path()}), Contains("it is not a regular file"));
  CHECK_THROWS_WITH(pl::measure_disk({folder / "gone"}), Contains("cannot find '" + folder.path() + "/gone'"));
}

TEST_CASE("measure_disk: invalid options") {
  CHECK_THROWS_WITH(pl::measure_disk({}, {.seconds = 0}), Contains("seconds must be positive"));
  CHECK_THROWS_WITH(pl::measure_disk({}, {.most_reads = 0}), Contains("most_reads must be 1 to 1024"));
  CHECK_THROWS_WITH(pl::measure_disk({}, {.request_bytes = 5000}),
                    Contains("request_bytes must be a multiple of 4096"));
  CHECK_THROWS_WITH(pl::measure_disk({}, {.rounds = 0}), Contains("rounds must be at least 1"));
  CHECK_THROWS_WITH(pl::measure_disk({}, {.least_reads = 0}), Contains("least_reads must be 1 to most_reads"));
  CHECK_THROWS_WITH(pl::measure_disk({}, {.most_reads = 2, .least_reads = 3}), Contains("1 to most_reads"));
}

TEST_CASE("measure_disk: each reader makes a request even in too little time; too large requests are rejected") {
  const temp_folder folder;
  const auto paths = some_files(folder, 4, std::size_t{1} << 20U);
  const auto d = pl::measure_disk(paths, {.seconds = 1e-9, .most_reads = 2});
  for (const auto& point : d.measured) CHECK(point.bytes_per_second > 0);
  CHECK_THROWS_WITH(pl::measure_disk(paths, {.request_bytes = std::size_t(-1) - 4095}), Contains("at most 1 GiB"));
}
