// Traces and plans to JSON and back: exactly, and with errors that say where.
#include <catch2/catch.hpp>

#include <plumbline/ext/chrome_trace.hpp>
#include <plumbline/ext/json.hpp>
#include <plumbline/model/planner.hpp>

#include <model/reference_trace.hpp>
#include <model/traces.hpp>
#include <support/temp_folder.hpp>

using namespace plumbline_test;
using Catch::Equals;

namespace {

pl::trace some_trace() {
  made_trace t(0.1, 3);
  t.add({"files \"ä\n\"", pl::form::source, {}, pl::cardinality::forever(), 0, {.completions = ~0ULL - 1, .bytes = 1}});
  t.add({"map",
         pl::form::scatter,
         {1},
         pl::cardinality::exactly(7),
         1.0 / 3,
         {.completions = 10, .cpu_seconds = 1e-300, .bytes_squared = 5e300}});
  t.operators[0].facts.draws = pl::randomness::seeded;
  t.operators[1].facts.order = pl::ordering::permuted;
  t.operators[1].replays = true;
  t.part({1, 2}, true, 0.1 + 0.2);
  t.consumer_seconds = 1.0 / 7;
  t.run_delay_seconds = 1.0 / 9;
  t.io_run_delay_seconds = 1.0 / 11;
  t.files["photos/ü.jpg"] = {5, 6};
  t.samples = {{0.25, 3, {0.1, 1e-9}}, {0.5, 7, {0.2, 0}}};
  t.disk = pl::disk_curve::fit({{1, 1e8 / 3}, {2, 6e7}, {4, 5e7}});
  t.disk.cache = pl::page_cache::bypassed;
  t.disk.how = "past the page cache";
  return t;
}
void change(std::string& text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("json: what is written is read back exactly") {
  const auto t = some_trace();
  const auto back = pl::read_json<pl::trace>(pl::write_json(t));
  CHECK(pl::write_json(back) == pl::write_json(t));
  CHECK(back.operators[0].name == t.operators[0].name);
  CHECK(back.operators[0].facts == t.operators[0].facts);
  CHECK(back.operators[1].how == pl::form::scatter);
  CHECK(back.operators[1].takes == t.operators[1].takes);
  CHECK(back.counters[0].completions == t.counters[0].completions);
  CHECK(back.counters[1].cpu_seconds == t.counters[1].cpu_seconds);
  CHECK(back.parts[0].overhead_seconds == t.parts[0].overhead_seconds);
  CHECK(back.consumer_seconds == t.consumer_seconds);
  CHECK(back.run_delay_seconds == t.run_delay_seconds);
  CHECK(back.io_run_delay_seconds == t.io_run_delay_seconds);
  CHECK(back.files.at("photos/ü.jpg").size == 6);
  REQUIRE(back.samples.size() == 2);
  CHECK(back.samples[1].minibatches == 7);
  CHECK(back.samples[0].cpu_seconds == t.samples[0].cpu_seconds);
  CHECK(back.disk == t.disk);
  pl::plan p{.pipeline = {"a -> int"},
             .threads = 3,
             .parts = {{.operators = {1}, .parallelism = 2, .cores = 0.1}},
             .caches = {1},
             .rate = std::numeric_limits<double>::infinity(),
             .bottleneck = "2 cores",
             .disk = t.disk};
  CHECK(pl::read_json<pl::plan>(pl::write_json(p)) == p);
}

TEST_CASE("json: an analysis of stalls predicts the same after it was read back") {
  pl::stall_analysis a{.step = 100, .prep = 1.0 / 3, .storage_fetch = 20, .cores = 2, .bytes_read = 1e6};
  a.memory_bytes = a.data_bytes = 1e9;
  a.files_ahead = 12, a.files_ahead_of_step = 28, a.size_variation = 0.5;
  a.prep_error = 0.03;
  a.caches = {{4, "cache(1 GB)"}};
  a.needs.groups = {{}, {0}};
  a.needs.bytes_read = {0, 1e6};
  a.needs.bytes_needed = {0, 2e6};
  a.needs.held = 5;
  a.io_threads = 3;
  a.waits_on_compute = true;
  a.needs.sites = {{.after = 2, .bytes = 1e9}};
  a.needs.parts.push_back(
      {.name = "map", .operators = {3}, .cores_most = pl::detail::infinite, .cpu = {1, 2}, .wall = {1, 2}});
  const auto back = pl::read_json<pl::stall_analysis>(pl::write_json(a));
  CHECK(pl::write_json(back) == pl::write_json(a));
  CHECK(back.needs.bytes_needed == a.needs.bytes_needed);
  CHECK(back.needs.held == 5);
  CHECK(back.io_threads == 3);
  CHECK(back.waits_on_compute);
  const auto then = pl::predict(back, {.cores = 7, .memory = 3e8});
  CHECK(then.rate == pl::predict(a, {.cores = 7, .memory = 3e8}).rate);
  CHECK(pl::read_json<pl::stall_prediction>(pl::write_json(then)).limit == then.limit);
  const auto offers = pl::price_list(a);
  const auto list = pl::read_json<std::vector<pl::offer>>(pl::write_json(offers));
  REQUIRE(list.size() == offers.size());
  CHECK(list.size() > 1);
  for (std::size_t i = 0; i != list.size(); ++i) {
    CHECK(pl::write_json(list[i]) == pl::write_json(offers[i]));
    CHECK(list[i].what == offers[i].what);
    CHECK(list[i].cost == offers[i].cost);
    CHECK(pl::read_json<pl::offer>(pl::write_json(offers[i])).cores == offers[i].cores);
  }
  CHECK_THROWS_WITH(pl::read_json<std::vector<pl::offer>>(pl::write_json(offers[0])),
                    Equals("plumbline: json: this is not a price list; load what write_json or save wrote of one"));
  auto best = pl::place_caches(a, 3e8);
  best.caches.push_back({.after = 2, .name = "map", .kept = {0.25, 1}, .bytes = 3e8});
  const auto placed = pl::read_json<pl::cache_placement>(pl::write_json(best));
  CHECK(placed.rate == best.rate);
  REQUIRE(placed.caches.size() == best.caches.size());
  CHECK(placed.caches.back().kept == pl::share{0.25, 1});
  const pl::epoch_stalls e{.epoch = 3, .whole = true, .elements = 7, .seconds = 2, .io_seconds = 1};
  CHECK(pl::read_json<pl::epoch_stalls>(pl::write_json(e)).io() == 0.5);
}

TEST_CASE("json: every form of an operator has its name") {
  pl::trace t = some_trace();
  for (unsigned char i = 0; i <= static_cast<unsigned char>(pl::form::structure); ++i) {
    t.operators[0].how = static_cast<pl::form>(i);
    CHECK(pl::read_json<pl::trace>(pl::write_json(t)).operators[0].how == t.operators[0].how);
  }
  CHECK(pl::write_json(t).find("\"structure\"") != std::string::npos);
}

TEST_CASE("json: a saved trace gives the same plan; a plan for another pipeline is refused by name", "[data]") {
  const auto file = reference("plumber_trace.json");
  if (file.is_null()) return;
  const temp_folder folder;
  const auto t = trace_of(file);
  pl::save(t, folder / "t.json");
  const auto p = pl::make_plan(t, {.cores = 16}).best;
  CHECK(pl::make_plan(pl::load<pl::trace>(folder / "t.json"), {.cores = 16}).best == p);
  pl::save(p, folder / "p.json");
  CHECK(pl::load<pl::plan>(folder / "p.json") == p);
  CHECK_NOTHROW(pl::check(p, t.operators));
  auto other = t.operators;
  other[1].element = "image";
  CHECK_THROWS_WITH(pl::check(p, other),
                    "plumbline: plan: is for another pipeline: operator 2 is MapDataset/_4 ->  there and MapDataset/_4 "
                    "-> image here; optimize this one");
  other = t.operators;
  other.pop_back();
  CHECK_THROWS_WITH(pl::check(p, other),
                    "plumbline: plan: is for another pipeline: it has 4 operators, this one 3; optimize this one");
}

TEST_CASE("json: errors say what and where") {
  const auto text = pl::write_json(some_trace());
  const auto with = [&](const std::string& from, const std::string& to) {
    auto changed = text;
    change(changed, from, to);
    return changed;
  };
  const auto read = [](const std::string& s) { return pl::read_json<pl::trace>(s); };
  CHECK_THROWS_WITH(read(text.substr(0, 100)), Catch::StartsWith("plumbline: json: the text is not JSON at byte 101"));
  CHECK_THROWS_WITH(pl::read_json<pl::plan>(text),
                    "plumbline: json: this is not a plan; load what write_json or save wrote of one");
  CHECK_THROWS_WITH(read(with("\"format\": 17", "\"format\": 16")),
                    Catch::StartsWith("plumbline: json: format is not 17"));
  CHECK_THROWS_WITH(read(with("\"least\"", "\"lest\"")), "plumbline: json: operators[0].facts.count.least is missing");
  CHECK_THROWS_WITH(
      read(with("\"scatter\"", "\"full\"")),
      Catch::StartsWith("plumbline: json: operators[1].how is \"full\"; it must be one of source, renumber"));
  CHECK_THROWS_WITH(read(with("\"threads\": 3", "\"threads\": -3")),
                    "plumbline: json: threads is -3; it must be a whole number that fits");
  CHECK_THROWS_WITH(  // of 40 bytes, the last is the first of a letter
      read(with("\"threads\": 3", "\"threads\": \"a€€€€€€€€€€€€€€\"")),
      "plumbline: json: threads is \"a€€€€€€€€€€€€...; it must be a whole number that fits");
  CHECK_THROWS_WITH(read(with("\"size\": 6", "\"size\": true")),
                    "plumbline: json: files[\"photos/ü.jpg\"].size is true; it must be a whole number that fits");
  CHECK_THROWS_WITH(read(with("\"serial\": true", "\"serial\": 1")),
                    "plumbline: json: parts[0].serial is 1; it must be true or false");
  CHECK_THROWS_WITH(pl::load<pl::trace>("/nowhere/t.json"),
                    Catch::StartsWith("plumbline: json: /nowhere/t.json cannot be read: No such file or directory; "));
  CHECK_THROWS_WITH(pl::save(some_trace(), "/dev/full"),
                    Catch::StartsWith("plumbline: json: /dev/full cannot be written: No space left on device; "));
}

TEST_CASE("json: nesting that is too deep for the stack is refused") {
  pl::batch_log log;
  log.operators = {"read"};
  const std::size_t deep = 200'000;
  std::string arrays = std::string(deep, '[') + std::string(deep, ']'), objects;
  for (std::size_t i = 0; i != deep; ++i) objects += "{\"a\":";
  objects += '1' + std::string(deep, '}');
  for (const auto& nested : {arrays, objects}) {
    auto text = pl::write_json(log);
    change(text, "\"read\"", nested);
    for (const auto& deep_text : {text, nested})
      CHECK_THROWS_WITH(
          pl::read_json<pl::batch_log>(deep_text),
          Catch::StartsWith(
              "plumbline: json: the text has more than 100 arrays and objects within each other at byte "));
    CHECK_THROWS_WITH(pl::read_chrome_trace(nested), Catch::StartsWith("plumbline: chrome_trace: the text has more"));
  }
  log.operators = {std::string(1000, '[') + "\\\"" + std::string(1000, '{')};  // in a string they do not count
  CHECK(pl::read_json<pl::batch_log>(pl::write_json(log)).operators == log.operators);
}

TEST_CASE("json: names that are not UTF-8, and numbers that are out of range") {
  const plumbline_test::temp_folder folder;
  const auto path = folder.path() + "/t.json";
  auto t = some_trace();
  t.files["photos/caf\xe9.jpg"] = {1, 1};
  pl::save(t, path);
  CHECK(pl::load<pl::trace>(path).files.count("photos/caf\xef\xbf\xbd.jpg") == 1);  // U+FFFD
  pl::plan half;
  half.rate = 0.5;
  auto text = pl::write_json(half);
  change(text, "0.5", "1e999");
  CHECK_THROWS_AS(pl::read_json<pl::plan>(text), std::invalid_argument);
}
