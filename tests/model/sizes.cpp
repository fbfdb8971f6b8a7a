// Materialised sizes and cache positions: exact if everything was seen, else with a realistic error.
#include <catch2/catch.hpp>

#include <model/reference_trace.hpp>
#include <model/traces.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/exec/tracing.hpp>
#include <plumbline/model/planner.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources/files.hpp>
#include <plumbline/sources/lines.hpp>
#include <plumbline/sources/read_file.hpp>
#include <support/temp_folder.hpp>

#include <random>

using namespace plumbline_test;
using pl::cache_verdict;
using pl::cardinality;
using pl::form;

namespace {

auto near(double x) { return Approx(x).epsilon(1e-9).margin(0); }

/// files | read_file | decode | crop | batch(128): the first `seen` of the files were read, once.
made_trace photos(const std::vector<double>& files, std::size_t seen, const std::vector<double>& decoded) {
  made_trace t(60, 16);
  const auto n = cardinality::exactly(files.size());
  pl::operator_counters read{.completions = seen, .cpu_seconds = 1}, decode{.completions = seen, .cpu_seconds = 100};
  for (std::size_t i = 0; i != seen; ++i) {
    t.files[std::to_string(i)] = {std::uint64_t(files[i]), std::uint64_t(files[i])};
    read.bytes += std::uint64_t(files[i]);
    read.bytes_squared += files[i] * files[i];
    decode.bytes += std::uint64_t(decoded[i]);
    decode.bytes_squared += decoded[i] * decoded[i];
  }
  read.bytes_read = read.bytes;
  const double crop = 150528;
  t.add({"files", form::source, {}, n, 0, {.completions = seen, .bytes = 40 * seen}});
  t.add({"read_file", form::element, {1}, n, 1, read});
  t.add({"decode", form::element, {2}, n, 1, decode});
  t.add({"crop",
         form::element,
         {3},
         n,
         1,
         {.completions = seen,
          .bytes = std::uint64_t(crop) * seen,
          .cpu_seconds = 10,
          .bytes_squared = crop * crop * double(seen)}});
  t.operators.back().random = true;
  t.add({"batch",
         form::scatter,
         {4},
         cardinality::exactly(files.size() / 128),
         128,
         {.completions = seen / 128, .bytes = 128 * std::uint64_t(crop) * (seen / 128), .cpu_seconds = 5}});
  for (std::size_t i = 1; i != 5; ++i) t.operators[i].facts.blocking = true;
  for (std::size_t i = 3; i != 5; ++i) t.operators[i].facts.draws = pl::randomness::seeded;
  return t;
}

}  // namespace

TEST_CASE("sizes: Plumber's published ones", "[data]") {
  const auto file = reference("plumber_trace.json");
  if (file.is_null()) return;
  const auto t = trace_of(file);
  const auto size = pl::sizes(t);
  for (std::size_t i = 0; i != size.size(); ++i) {
    const auto& want = file["nodes"][i]["expected"];
    CHECK(size[i].bytes == near(want["expected_dataset_size"]));
    CHECK(size[i].count == near(want["derived_cardinality"]));
    CHECK(t.files.size() == want["expected_num_dataset_files"]);
  }
  for (std::size_t i = size.size(); i != file["nodes"].size(); ++i)  // operators that only pass the root on
    CHECK(size.back().bytes == near(file["nodes"][i]["expected"]["expected_dataset_size"]));
}

TEST_CASE("sizes: exact for all operators if everything was seen") {
  // zip of (lines from three files with 7, 5 and no lines | filter | batch(3) | repeat(2)) and range(20); two epochs
  made_trace t(1, 2);
  t.epochs = 2;
  t.files = {{"a", {1400 * 2 * 2, 1400}}, {"b", {1000 * 2 * 2, 1000}}, {"c", {7 * 2 * 2, 7}}};
  const std::uint64_t e = 2, k = 2;
  t.add({"lines",
         form::source,
         {},
         cardinality::unknown(),
         0,
         {.completions = 12 * e * k, .bytes = 2400 * e * k, .bytes_read = 2400 * e * k}});
  t.add({"filter", form::element, {1}, cardinality::unknown(), 0, {.completions = 8 * e * k, .bytes = 1700 * e * k}});
  t.add({"batch", form::serial, {2}, cardinality::unknown(), 3, {.completions = 3 * e * k, .bytes = 1750 * e * k}});
  t.add(
      {"repeat", form::structure, {3}, cardinality::unknown(), 0.5, {.completions = 3 * e * k, .bytes = 1750 * e * k}});
  t.add({"range", form::source, {}, cardinality::exactly(6), 0, {.completions = 6 * e, .bytes = 48 * e}});
  t.add({"zip", form::structure, {4, 5}, cardinality::at_most(6), 0, {.completions = 6 * e, .bytes = 3600 * e}});
  t.add({"expand", form::element, {6}, cardinality::unknown(), 0, {.completions = 15 * e, .bytes = 3600 * e}});
  t.add({"take", form::serial, {7}, cardinality::at_most(10), 0, {.completions = 10 * e, .bytes = 2000 * e}});
  const auto s = pl::sizes(t);
  const double counts[] = {12, 8, 3, 6, 6, 6, 15, 10}, bytes[] = {2400, 1700, 1750, 3500, 48, 3600, 3600, 2000};
  for (std::size_t i = 0; i != s.size(); ++i) {
    INFO(t.operators[i].name);
    CHECK(s[i].seen_whole);
    CHECK(s[i].count == near(counts[i]));
    CHECK(s[i].bytes == near(bytes[i]));
    CHECK(s[i].error == 0);
  }
}

TEST_CASE("sizes: streams one after another, and operators that open files") {
  made_trace t(1, 2);
  t.add({"range", form::source, {}, cardinality::exactly(100), 0, {.completions = 100, .bytes = 800}});
  t.add({"odd", form::element, {1}, cardinality::at_most(100), 0, {.completions = 40, .bytes = 320}});
  t.add({"range", form::source, {}, cardinality::exactly(50), 0, {.completions = 50, .bytes = 400}});
  t.add({"concat", form::structure, {2, 3}, cardinality{50, 150}, 0, {.completions = 90, .bytes = 720}});
  CHECK(pl::sizes(t)[3].count == 90);
  // 20 of 1,000 shards were opened; ten of them were read to the end, the others by half
  made_trace n(1, 2);
  for (int i = 0; i != 20; ++i) n.files[std::to_string(i)] = {i < 10 ? 1000U : 500U, 1000U};
  n.add({"files", form::source, {}, cardinality::exactly(1000), 0, {.completions = 20, .bytes = 640}});
  n.add({"interleave",
         form::nest,
         {1},
         cardinality::unknown(),
         0,
         {.completions = 150, .bytes = 15'000, .bytes_read = 15'000}});
  n.operators[1].facts.blocking = true;
  const auto s = pl::sizes(n, {.files = 1000})[1];
  CHECK(s.count == near(10'000));
  CHECK(s.bytes == near(1e6));
  CHECK(s.error == 0);  // all files seen have the same size
}

TEST_CASE("sizes: files that a run has not read count as their source lists them") {
  // 2 of 10 shards of 1,000 bytes to 10,000 were read; elements of 100 bytes
  const auto records = [](bool opened, const std::vector<std::pair<const char*, cardinality>>& between = {}) {
    made_trace t(1, 2);
    t.files = {{"a", {1000, 1000}}, {"b", {2000, 2000}}};
    const pl::operator_counters read{.completions = 30, .bytes = 3000, .bytes_read = 3000};
    const auto lists = [&] { t.operators.back().files = 10, t.operators.back().file_bytes = 55'000; };
    if (!opened) {
      t.add({"tfrecords", form::source, {}, cardinality::unknown(), 0, read});
      lists();
      return t;
    }
    t.add({"files", form::source, {}, cardinality::exactly(10), 0, {.completions = 2}});
    lists();
    std::uint32_t last = 1;
    for (const auto& [name, count] : between) t.add({name, form::renumber, {last++}, count, 1, {.completions = 2}});
    t.add({"interleave", form::nest, {last}, cardinality::unknown(), 0, read});
    return t;
  };
  CHECK(pl::sizes(records(false)).back().count == near(550));
  CHECK(pl::sizes(records(true)).back().count == near(550));
  CHECK(pl::sizes(records(true, {{"shuffle", cardinality::exactly(10)}})).back().count == near(550));
  CHECK(pl::sizes(records(true, {{"repeat", cardinality::exactly(30)}})).back().count == near(450));  // as those seen
  CHECK(pl::sizes(records(true, {{"take", cardinality::exactly(4)}})).back().count == near(60));
  CHECK(pl::sizes(records(true, {{"take", cardinality::exactly(5)}, {"repeat", cardinality::exactly(20)}}))
            .back()
            .count == near(300));
  // a map names other files
  auto other = records(true, {{"map", cardinality::exactly(10)}});
  other.operators[1].how = form::element;
  CHECK(pl::sizes(other).back().count == near(30));
  other.operators[2].how = form::element;  // one read_file for each
  other.operators[2].facts.count = cardinality::exactly(10);
  CHECK(pl::sizes(other).back().bytes == near(10 * 100));
  // not known how many
  CHECK(pl::sizes(records(true, {{"filter", cardinality::at_most(10)}})).back().count == near(30));
  // what the caller knows is preferred
  CHECK(pl::sizes(records(false), {.files = 20}).back().count == near(300));
  CHECK(pl::sizes(records(false), {.bytes = 6000}).back().count == near(60));

  const temp_folder at;
  double bytes = 0;
  for (int i = 0; i != 10; ++i) {
    std::string text;
    for (int j = 0; j != 1000 * (i + 1); ++j) text += "line\n";
    at.write(std::to_string(i) + ".txt", text);
    bytes += static_cast<double>(text.size());
  }
  // the first two files; the 8 others have 52,000 lines
  const auto seen = [](const auto& p) {
    auto s = pl::run<pl::tracing::full>(p, {.threads = 0});
    for (int i = 0; i != 299; ++i) s.next();
    REQUIRE(s.traced().files.size() <= 3);
    return s.traced();
  };
  const auto chars = pl::map([](const std::string& line) { return static_cast<int>(line.size()); });
  const auto each = pl::interleave([](const pl::file& f) { return pl::lines(f); }, {.cycle_length = 1});
  const auto one = seen(pl::lines(at / "*.txt") | chars | pl::batch(10));
  CHECK(one.operators[0].files == 10);
  CHECK(one.operators[0].file_bytes == bytes);
  CHECK(pl::sizes(one)[0].count == Approx(55'000).epsilon(0.5));
  const auto nested = seen(pl::files(at / "*.txt") | each | chars | pl::batch(10));
  CHECK(pl::sizes(nested)[1].count == Approx(55'000).epsilon(0.5));
  auto some = pl::run<pl::tracing::full>(pl::files(at / "*.txt") | pl::read_file(), {.threads = 0});
  some.next();
  CHECK(pl::sizes(some.traced())[1].bytes == Approx(bytes).epsilon(0.1));  // and what holds them
  CHECK(pl::sizes(some.traced())[1].error == 0);
}

TEST_CASE("sizes: what an operator's streams read is read by that operator, whether it is timed then or not") {
  const temp_folder at;
  std::string text;
  for (int i = 0; i != 200; ++i) text += "line\n";
  for (int i = 0; i != 100; ++i) at.write(std::to_string(i) + ".txt", text);
  const auto each = pl::interleave([](const pl::file& f) { return pl::lines(f); }, {.cycle_length = 2});
  for (const std::size_t threads : {0U, 2U}) {
    CAPTURE(threads);
    auto s = pl::run<pl::tracing::counters>(pl::files(at / "*.txt") | each | pl::batch(10), {.threads = threads});
    for (int i = 0; i != 500; ++i) REQUIRE(s.next());
    const auto t = s.traced();
    CHECK(t.counters[0].bytes_read == 0);
    CHECK(t.counters[1].bytes_read >= 25 * text.size());
    CHECK(pl::sizes(t)[1].count == Approx(20'000).epsilon(0.5));
    while (s.next()) continue;
    CHECK(s.traced().counters[1].bytes_read == 100 * text.size());
  }
}

TEST_CASE("sizes: endless streams have none, and elements upstream of a repeat count once") {
  made_trace t(1, 2);
  t.add({"range", form::source, {}, cardinality::exactly(10), 0, {.completions = 30, .bytes = 240}});
  t.add({"map", form::element, {1}, cardinality::exactly(10), 1, {.completions = 30, .bytes = 3000, .cpu_seconds = 1}});
  t.add({"repeat", form::structure, {2}, cardinality::exactly(20), 0.5, {.completions = 30, .bytes = 3000}});
  t.add({"repeat", form::structure, {3}, cardinality::forever(), 0, {.completions = 30, .bytes = 3000}});
  const auto s = pl::sizes(t);
  CHECK(s[1].bytes == 1000);
  CHECK(s[2].bytes == 2000);
  CHECK(std::isinf(s[3].bytes));
  const auto places = pl::cache_sites(t, pl::rates(t), s, 1e6);
  CHECK(places[2].verdict == cache_verdict::fits);
  CHECK(places[3].verdict == cache_verdict::endless);
  CHECK(places[3].reason == "endless since operator 4 (repeat)");
  t.part({2, 3, 4}, false);
  // after the repeat a cache would not save more
  CHECK(pl::make_plan(t, {.cores = 2, .memory = 1e6}).best.caches == std::vector<std::uint32_t>{2});
}

TEST_CASE("sizes: estimated from some of the files, with an error that holds") {
  std::mt19937_64 random(1);
  int inside = 0, better = 0;
  double worst = 0;
  const int trials = 300;
  for (int trial = 0; trial != trials; ++trial) {
    std::vector<double> files, decoded;
    double all = 0, all_decoded = 0;
    for (int i = 0; i != 4000; ++i) {
      files.push_back(std::floor(110e3 * std::exp(std::normal_distribution<>(0, 0.4)(random))));
      decoded.push_back(std::floor(6 * files.back() * std::exp(std::normal_distribution<>(0, 0.1)(random))));
      all += files.back();
      all_decoded += decoded.back();
    }
    const auto t = photos(files, 200, decoded);
    const auto by_count = pl::sizes(t), by_bytes = pl::sizes(t, {.files = 4000, .bytes = all});
    CHECK(by_bytes[1].bytes == near(all));  // the files themselves: no estimate
    CHECK(by_bytes[1].error == 0);
    CHECK(by_bytes[3].bytes == near(150528.0 * 4000));  // all of one size, so nothing is uncertain
    CHECK(by_bytes[3].error == 0);
    inside += std::abs(by_count[2].bytes - all_decoded) < 1.96 * by_count[2].error;
    better += std::abs(by_bytes[2].bytes - all_decoded) < std::abs(by_count[2].bytes - all_decoded);
    worst = std::max(worst, std::abs(by_bytes[2].bytes / all_decoded - 1));
  }
  CHECK(inside > 0.9 * trials);  // 95 % wanted
  CHECK(better > 0.7 * trials);
  CHECK(worst < 0.03);
}

TEST_CASE("sizes: files that were read ahead do not count as seen elements") {
  std::vector<double> files(100, 1000.0), decoded;
  for (int i = 0; i != 100; ++i) decoded.push_back(i % 2 == 0 ? 4000 : 8000);
  auto t = photos(files, 100, decoded);
  t.counters[2] = {.completions = 90, .bytes = 45 * 12000, .cpu_seconds = 1, .bytes_squared = 45 * (16e6 + 64e6)};
  const auto s = pl::sizes(t);
  CHECK(s[1].error == 0);
  CHECK(s[2].bytes == near(600'000));
  CHECK(s[2].error == near(600'000 * (2000.0 / 6000) * std::sqrt(0.1 / 90)));
}

TEST_CASE("caches: section 4.1's choice, 790 GB do not fit 300 GB and 148 GB do") {
  // 1024 files of 144.5 MB in 1200 records each; decoding amplifies 790 / 148; the crop is random
  const double shard = 148e9 / 1024, record = shard / 1200;
  const auto bytes = [](double x) { return static_cast<std::uint64_t>(x); };
  made_trace t(60, 16);
  for (int i = 0; i != 32; ++i) t.files[std::to_string(i)] = {bytes(shard), bytes(shard)};
  const std::uint64_t seen = 32 * 1200;
  t.add({"files", form::source, {}, cardinality::exactly(1024), 0, {.completions = 32, .bytes = 1000}});
  t.add({"interleave",
         form::nest,
         {1},
         cardinality::unknown(),
         0,
         {.completions = seen, .bytes = bytes(32 * shard), .bytes_read = bytes(32 * shard), .cpu_seconds = 10}});
  t.add({"decode",
         form::element,
         {2},
         cardinality::unknown(),
         1,
         {.completions = seen, .bytes = bytes(790.0 / 148 * record * double(seen)), .cpu_seconds = 300}});
  t.add({"crop",
         form::element,
         {3},
         cardinality::unknown(),
         1,
         {.completions = seen, .bytes = 150528 * seen, .cpu_seconds = 50}});
  t.add({"batch",
         form::scatter,
         {4},
         cardinality::unknown(),
         128,
         {.completions = seen / 128, .bytes = 150528 * seen, .cpu_seconds = 20}});
  for (std::size_t i = 1; i != 5; ++i) t.operators[i].facts.blocking = true;
  t.operators[3].random = true;
  for (std::size_t i = 3; i != 5; ++i) t.operators[i].facts.draws = pl::randomness::seeded;
  const auto s = pl::sizes(t, {.files = 1024});
  CHECK(s[1].bytes == Approx(148e9).epsilon(1e-6));
  CHECK(s[2].bytes == Approx(790e9).epsilon(1e-6));
  CHECK(s[1].count == Approx(1.2288e6));
  const auto r = pl::rates(t);
  auto places = pl::cache_sites(t, r, s, 300e9);
  CHECK(places[1].verdict == cache_verdict::fits);
  CHECK(places[1].reason == "148 GB of 270 GB");
  CHECK(places[2].verdict == cache_verdict::too_big);
  CHECK(places[2].reason == "790 GB of 270 GB");
  CHECK(places[3].reason == "random since operator 4 (crop)");
  CHECK(places[4].verdict == cache_verdict::random);
  t.part({2, 3, 4, 5}, false, 0, seen);
  const auto caches = [&](double memory) {
    return pl::make_plan(t, {.cores = 16, .memory = memory}, {}, {.files = 1024}).best.caches;
  };
  CHECK(caches(300e9) == std::vector<std::uint32_t>{2});
  CHECK(caches(1e12) == std::vector<std::uint32_t>{3});
  CHECK(caches(100e9).empty());
  // section 5.2: 128 records of 110 KB give 6.9 minibatches per 100 MB/s (exactly 7.1 with 1 KB = 1000 B, and 6.9 with
  // 1 KB = 1024 B and the records' 113 kB)
  CHECK(r.bytes_read == near(128 * record));
}
