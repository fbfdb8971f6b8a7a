// log_stats: JSON Lines, each line whole, also after a kill; stats as JSON.
#include <plumbline/exec/run.hpp>
#include <plumbline/ext/json.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>
#include <plumbline/watch.hpp>

#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using json = nlohmann::json;

namespace {
std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
// Parses every line; throws if one is not JSON.
std::vector<json> lines_of(const std::string& text) {
  std::vector<json> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find_first_not_of(' ') != std::string::npos) all.push_back(json::parse(line));
  return all;
}
}  // namespace

TEST_CASE("log: the figures as JSON") {
  pl::stream_stats s;
  auto v = json::parse(pl::write_stats(s));
  CHECK(v["phase"] == "not_begun");
  for (const auto* unknown : {"size", "limit", "eta_seconds", "last_failure", "process_bytes", "this_epoch", "counted"})
    CHECK(v[unknown].is_null());
  CHECK(v["queues"].empty());
  s.phase = pl::stream_phase::failed;
  s.epoch = ~std::uint64_t{0};
  s.size = 1000;
  s.position = 250;
  s.seconds = 0.1;
  s.last_failure = "\"quoted\" \\ \n \x01 \xFF \xC3\xA9";
  s.this_epoch = pl::epoch_stalls{.epoch = 1, .elements = 250, .seconds = 5, .prep_seconds = 1, .io_seconds = 2};
  s.queues.push_back(
      {.after = 3, .name = "decode", .capacity = 8, .in_flight = 4, .ready = 2, .early = 1, .elements = 9});
  s.counted.emplace().operators.push_back({1, "files", 10, 20, 0.25, 0.5});
  s.counted->slowest = pl::slowest_operator{1, "files", std::numeric_limits<double>::infinity()};
  s.counted->caches = pl::cache_stats{.hits = 5, .misses = 6};
  v = json::parse(pl::write_stats(s));
  CHECK(v["epoch"] == ~std::uint64_t{0});
  CHECK(v["rate"] == 50);
  CHECK(v["limit"] == "reading");
  CHECK(v["eta_seconds"].is_null());  // a failed epoch does not go on
  CHECK(s.eta_seconds() == std::nullopt);
  s.phase = pl::stream_phase::stopped;
  CHECK(s.eta_seconds() == std::nullopt);
  s.phase = pl::stream_phase::running;
  CHECK(json::parse(pl::write_stats(s))["eta_seconds"] == 15);
  s.phase = pl::stream_phase::failed;
  CHECK(v["seconds"] == 0.1);
  CHECK(v["last_failure"] == "\"quoted\" \\ \n \x01 \xEF\xBF\xBD \xC3\xA9");
  CHECK(v["this_epoch"]["io_seconds"] == 2);
  CHECK(v["queues"][0]["early"] == 1);
  CHECK(v["counted"]["operators"][0]["wall_seconds"] == 0.5);
  CHECK(v["counted"]["slowest"]["rate"].is_null());
  CHECK(v["counted"]["caches"]["hits"] == 5);
  CHECK(v["counted"]["caches"]["bytes"].is_null());
  std::ostringstream shown;
  shown << s;
  CHECK_THAT(shown.str(), Contains("250 of 1000 elements, 50 a second, waits 60% for reading") &&
                              Contains("all epochs: 5 hits, 6 misses"));
}

TEST_CASE("log: text that is not UTF-8") {
  using pl::detail::as_utf8;
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(as_utf8("plain") == "plain");
  CHECK(as_utf8("\xF0\x9F\x98\x80 \xE2\x82\xAC") == "\xF0\x9F\x98\x80 \xE2\x82\xAC");
  CHECK(as_utf8("\xC0\x80") == bad + bad);            // overlong
  CHECK(as_utf8("\xED\xA0\x80") == bad + bad + bad);  // a surrogate
  CHECK(as_utf8("\xE2\x82") == bad + bad);            // cut
  CHECK(as_utf8("\xF5\x80\x80\x80") == bad + bad + bad + bad);
}

TEST_CASE("log: lines come at intervals and at the end") {
  const watchdog guard("log: lines");
  const temp_folder at;
  const auto path = at / "run.jsonl";
  auto s = pl::run(pl::range(100) | pl::batch(10), {.threads = 2});
  {
    auto log = pl::log_stats(s, path, 0.02);
    const auto lines = [&] {
      const auto text = content(path);
      return std::count(text.begin(), text.end(), '\n');
    };
    for ([[maybe_unused]] auto& batch : s)
      while (lines() < 4) std::this_thread::sleep_for(1ms);
    log.write();
    auto moved = std::move(log);
  }
  const auto all = lines_of(content(path));
  REQUIRE(all.size() >= 6);
  CHECK(all.front()["phase"] == "not_begun");
  CHECK(all.back()["phase"] == "ended");
  CHECK(all.back()["elements"] == 10);
  for (std::size_t i = 1; i != all.size(); ++i) {
    CHECK(all[i]["time"] >= all[i - 1]["time"]);
    CHECK(all[i]["elements"] >= all[i - 1]["elements"]);
  }
  CHECK(all.front()["time"] > 1.7e9);
  {
    const auto more = pl::log_stats(s, path, 3600);  // lines are added
  }
  CHECK(lines_of(content(path)).size() == all.size() + 2);
  const auto torn = at.write("torn.jsonl", "{\"time\":1}\n{\"a\":");  // of a program that was killed
  { const auto more = pl::log_stats(s, torn, 3600); }
  const auto after = content(torn);
  CHECK(lines_of(after.substr(after.find("\"a\":") + 5)).size() == 2);
  CHECK_THROWS_WITH(pl::log_stats(s, at / "no/such.jsonl"), Contains("cannot be opened"));
  CHECK_THROWS_WITH(pl::log_stats(s, path, 0), Contains("at least 0.001"));
}

TEST_CASE("log: a full disk is reported once, and the run goes on") {
  const watchdog guard("log: full disk");
  const temp_folder at;
  const auto said = at / "stderr";
  std::fflush(stderr);
  const int before = ::dup(2), file = ::open(said.c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE((before >= 0 && file >= 0));
  ::dup2(file, 2);
  std::size_t n = 0;
  {
    auto s = pl::run(pl::range(100) | pl::batch(10), {.threads = 2});
    auto log = pl::log_stats(s, "/dev/full", 0.001);
    for ([[maybe_unused]] auto& batch : s) {
      ++n;
      log.write();
    }
  }
  ::dup2(before, 2);
  ::close(before);
  ::close(file);
  CHECK(n == 10);
  CHECK(content(said) ==
        "plumbline: log_stats: /dev/full cannot be written: No space left on device; lines are left out until it can "
        "be (reported once)\n");
}

TEST_CASE("log: an interval that never ends") {
  const watchdog guard("log: an interval that never ends");
  const temp_folder at;
  auto s = pl::run(pl::range(10), {.threads = 1});
  for (const double seconds : {1e10, 1e300, std::numeric_limits<double>::infinity()}) {
    const auto path = at / (std::to_string(seconds).substr(0, 20) + ".jsonl");
    const auto log = pl::log_stats(s, path, seconds);
    std::this_thread::sleep_for(50ms);
    CHECK(lines_of(content(path)).size() == 1);
  }
  CHECK_THROWS_WITH(pl::log_stats(s, at / "nan.jsonl", std::numeric_limits<double>::quiet_NaN()),
                    Contains("at least 0.001"));
}

TEST_CASE("log: no line crosses a page of the file") {
  const temp_folder at;
  const auto path = at / "run.jsonl";
  auto s = pl::run(pl::range(100) | pl::map([](std::int64_t x) { return x; }) | pl::batch(10), {.threads = 2});
  {
    auto log = pl::log_stats(s, path, 3600);
    for (int i = 0; i != 100; ++i) log.write();
  }
  const auto text = content(path);
  REQUIRE(text.size() > 5 * 4096);
  CHECK(lines_of(text).size() == 102);
  for (std::size_t i = 0; i < text.size();) {
    const auto begin = text.find_first_not_of(' ', i), end = text.find('\n', begin);
    REQUIRE(end != std::string::npos);
    CHECK(begin / 4096 == end / 4096);
    i = end + 1;
  }
}

TEST_CASE("log: each line is whole after a kill") {
  if (sanitized) return;  // a sanitizer's process may not start threads after fork
  const watchdog guard("log: kill");
  const temp_folder at;
  std::size_t lines = 0;
  for (int i = 0; i != 20; ++i) {
    const auto path = at / (std::to_string(i) + ".jsonl");
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      auto s = pl::run(pl::range(1'000'000) | pl::repeat(), {.threads = 0});
      auto log = pl::log_stats(s, path, 0.001);
      for ([[maybe_unused]] auto x : s) log.write();
      ::_exit(1);
    }
    while (content(path).size() < 4096) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(std::chrono::microseconds(100 * i));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto text = content(path);
    const auto last = text.find_last_not_of(' ');
    REQUIRE(last != std::string::npos);
    CHECK(text[last] == '\n');
    lines += lines_of(text).size();
  }
  CHECK(lines > 100);
}
