// open_metrics: the text by the rules of OpenMetrics 1.0, and by prometheus-client's parser; served over HTTP.
#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>
#include <plumbline/watch.hpp>
#ifdef PLUMBLINE_HAS_HTTPLIB
#include <plumbline/ext/httplib.hpp>
#endif

#include <support/skip.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {
pl::stream_stats example() {
  pl::stream_stats s;
  s.phase = pl::stream_phase::running;
  s.epoch = 2;
  s.position = 430;
  s.size = 1000;
  s.elements = 2430;
  s.seconds = 100.5;
  s.waited_seconds = 1e-7;
  s.this_epoch = pl::epoch_stalls{.epoch = 2, .elements = 430, .seconds = 20, .prep_seconds = 2, .io_seconds = 4};
  s.queues.push_back({.after = 3, .name = "map(\"a\\b\")", .capacity = 8, .in_flight = 4, .ready = 2, .elements = 9});
  s.queues.push_back({.after = 5, .name = "batch", .capacity = 2, .in_flight = 2});
  s.process_bytes = 1.5e9;
  auto& c = s.counted.emplace();
  c.operators.push_back({1, "files", 10, 20, 0.25, 0.5});
  c.operators.push_back({2, "line\nbreak \xFF", 11, 21, 0.26, std::numeric_limits<double>::infinity()});
  c.slowest = pl::slowest_operator{2, "decode", 123.25};
  c.caches = pl::cache_stats{5, 6, 1e6};
  c.queued_bytes = 4096;
  return s;
}

// Checks the text by the rules of the specification that apply to it; returns the sample lines.
std::set<std::string> checked(const std::string& text) {
  REQUIRE(text.ends_with("\n# EOF\n"));
  std::set<std::string> families, samples;
  std::string family, type, unit;
  bool has_help = false, ended = false;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    INFO(line);
    CHECK_FALSE(ended);
    CHECK(line == pl::detail::as_utf8(line));
    std::istringstream words(line);
    std::string hash, key, name;
    if (line == "# EOF") {
      ended = true;
    } else if (line.starts_with('#')) {
      words >> hash >> key >> name;
      if (key == "TYPE") {  // each family is begun once, and its samples are together
        family = name, unit.clear(), has_help = false;
        words >> type;
        CHECK(families.insert(family).second);
        CHECK(std::set<std::string>{"gauge", "counter", "stateset"}.contains(type));
        CHECK(family.starts_with("plumbline_"));
        CHECK_FALSE(family.ends_with("_total"));
      } else if (key == "UNIT") {
        words >> unit;
        CHECK(name == family);
        CHECK(family.ends_with("_" + unit));
      } else {
        CHECK(key == "HELP");
        CHECK(name == family);
        has_help = true;
      }
    } else {
      CHECK(has_help);
      CHECK(line.starts_with(family + (type == "counter" ? "_total" : "")));
      const auto rest = line.substr(family.size() + (type == "counter" ? 6 : 0));
      CHECK((rest.front() == ' ' || rest.front() == '{'));
      CHECK(samples.insert(line.substr(0, line.rfind(' '))).second);
      const auto value = line.substr(line.rfind(' ') + 1);
      char* end = nullptr;
      const double x = std::strtod(value.c_str(), &end);
      CHECK(*end == '\0');
      if (type != "gauge") CHECK(x >= 0);
      if (type == "stateset") CHECK((x == 0 || x == 1));
      if (type == "stateset") CHECK_THAT(line, Contains("{" + family + "=\"") || Contains("," + family + "=\""));
    }
    for (const auto* known : {"seconds", "bytes", "ratio"})
      if (family.ends_with(std::string("_") + known) && !line.starts_with("# TYPE") && line != "# EOF")
        CHECK(unit == known);
  }
  CHECK(ended);
  return samples;
}
}  // namespace

TEST_CASE("open_metrics: the format") {
  const auto text = pl::open_metrics(example());
  const auto samples = checked(text);
  CHECK_THAT(text, Contains("# TYPE plumbline_elements counter\n# HELP plumbline_elements Elements taken from the "
                            "stream.\nplumbline_elements_total 2430\n"));
  CHECK_THAT(text, Contains("# UNIT plumbline_waited_seconds seconds\n") &&
                       Contains("\nplumbline_waited_seconds_total 1e-07\n"));
  CHECK_THAT(text, Contains("\nplumbline_epoch_waited_ratio{for=\"reading\"} 0.2\n"));
  CHECK_THAT(text, Contains("\nplumbline_limit{plumbline_limit=\"reading\"} 1\n"));
  CHECK_THAT(text, Contains("\nplumbline_queue_ready{queue=\"1\",after=\"3\",name=\"map(\\\"a\\\\b\\\")\"} 2\n"));
  CHECK_THAT(text, Contains("{operator=\"2\",name=\"line\\nbreak \xEF\xBF\xBD\"} +Inf\n"));
  CHECK_THAT(text, Contains("\nplumbline_cache_hits_total 5\n"));
  CHECK(samples.size() > 30);
  // what is not known is left out
  const auto empty = pl::open_metrics({});
  checked(empty);
  for (const auto* unknown : {"epoch_size", "epoch_rate", "limit", "queue", "resident", "operator", "cache", "queued"})
    CHECK_THAT(empty, !Contains(std::string("plumbline_") + unknown));
  CHECK_THAT(empty, Contains("\nplumbline_phase{plumbline_phase=\"not_begun\"} 1\n"));
}

TEST_CASE("open_metrics: labels") {
  const auto text = pl::open_metrics(example(), {{"job", "a\"b"}, {"rank_", "3"}});
  checked(text);
  CHECK_THAT(text, Contains("plumbline_elements_total{job=\"a\\\"b\",rank_=\"3\"} 2430\n"));
  CHECK_THAT(text, Contains("plumbline_queue_ready{job=\"a\\\"b\",rank_=\"3\",queue=\"1\","));
  for (const auto* name : {"", "1a", "a-b", "__a", "a b", "\xC3\xA9"})
    CHECK_THROWS_WITH(pl::open_metrics({}, {{name, "x"}}), Contains("cannot be the name of a label"));
  CHECK_THROWS_WITH(pl::open_metrics({}, {{"a", "x"}, {"a", "y"}}), Contains("occurs twice"));
  CHECK_THROWS_WITH(pl::open_metrics({}, {{"name", "x"}}), Contains("uses itself"));
}

TEST_CASE("open_metrics: prometheus-client's parser reads the same values", "[host]") {
  if (std::system("/usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null") != 0)
    return skip("python3-prometheus-client is not installed");
  const temp_folder at;
  auto s = pl::run<pl::tracing::counters>(
      pl::range(100) | pl::map([](std::int64_t x) { return x; }) | pl::cache() | pl::batch(10), {.threads = 2});
  for (int e = 0; e != 2; ++e)
    for ([[maybe_unused]] auto& batch : s) continue;
  at.write("live.txt", pl::open_metrics(s.stats(), {{"job", "live"}}));
  at.write("example.txt", pl::open_metrics(example(), {{"job", "a\"b\\c\nd"}}));
  at.write("empty.txt", pl::open_metrics({}));
  const auto script = at.write("parse.py", R"(
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
def values(name):
    families = list(parse(open(sys.argv[1] + "/" + name, newline="").read()))
    assert len({f.name for f in families}) == len(families)
    assert all(f.documentation and f.samples and f.type in ("gauge", "counter", "stateset") for f in families)
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for f in families for s in f.samples}
live, example, empty = values("live.txt"), values("example.txt"), values("empty.txt")
assert live["plumbline_elements_total", (("job", "live"),)] == 20
assert live["plumbline_cache_hits_total", (("job", "live"),)] == 100, live
job = ("job", 'a"b\\c\nd')
assert example["plumbline_queue_ready", (("after", "3"), job, ("name", 'map("a\\b")'), ("queue", "1"))] == 2, example
assert example["plumbline_waited_seconds_total", (job,)] == 1e-7
assert example["plumbline_operator_wall_seconds_total", (job, ("name", "line\nbreak \ufffd"), ("operator", "2"))] == float("inf")
assert ("plumbline_elements_total", ()) in empty and len(empty) == 11, len(empty)
)");
  CHECK(std::system(("/usr/bin/python3 " + script + " " + at.path()).c_str()) == 0);
}

#ifdef PLUMBLINE_HAS_HTTPLIB
TEST_CASE("serve_metrics: over HTTP, on the loopback") {
  const watchdog guard("serve_metrics");
  std::optional<pl::stream<std::int64_t>> s = pl::run(pl::range(1000), {.threads = 2});
  auto server = pl::serve_metrics(*s, {.port = 0, .labels = {{"job", "test"}}});
  REQUIRE(server.port() != 0);
  httplib::Client client("127.0.0.1", server.port());
  for (int i = 0; i != 5; ++i) s->next();
  auto got = client.Get("/metrics");
  REQUIRE(got);
  CHECK(got->status == 200);
  CHECK(got->get_header_value("Content-Type") == std::string(pl::open_metrics_type));
  checked(got->body);
  CHECK_THAT(got->body, Contains("\nplumbline_elements_total{job=\"test\"} 5\n"));
  got = client.Get("/stats");
  REQUIRE(got);
  CHECK_THAT(got->body, Contains("\"elements\":5,"));
  got = client.Get("/other");
  REQUIRE(got);
  CHECK(got->status == 404);
  CHECK_THROWS_WITH(pl::serve_metrics(*s, {.port = server.port()}), Contains("cannot be listened on"));
  CHECK_THROWS_WITH(pl::serve_metrics(*s, {.port = 0, .labels = {{"1", ""}}}), Contains("name of a label"));
  auto moved = std::move(server);
  s.reset();
  got = client.Get("/metrics");
  REQUIRE(got);
  CHECK(got->status == 503);
}

namespace {
int connected(std::uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET, to.sin_port = htons(port), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  return s;
}
bool sent(int to, std::string_view what) {
  return ::send(to, what.data(), what.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(what.size());
}
// What comes for `request`, until the other side closes the connection.
std::string answer(std::uint16_t port, std::string_view request) {
  const int s = connected(port);
  std::string all;
  if (sent(s, request)) {
    char some[1024];
    for (ssize_t n; (n = ::read(s, some, sizeof some)) > 0;) all.append(some, static_cast<std::size_t>(n));
  }
  ::close(s);
  return all;
}
bool listens(int file, std::uint16_t port) {
  sockaddr_in at{};
  socklen_t size = sizeof at, one = sizeof(int);
  int is = 0;
  return ::getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &is, &one) == 0 && is != 0 &&
         ::getsockname(file, reinterpret_cast<sockaddr*>(&at), &size) == 0 && ntohs(at.sin_port) == port;
}
}  // namespace

TEST_CASE("serve_metrics: only GET and HEAD are served, one for a connection, and no body is read") {
  const watchdog guard("serve_metrics: methods");
  auto s = pl::run(pl::range(10), {.threads = 1});
  const auto server = pl::serve_metrics(s, {.port = 0});
  const std::string rest = " HTTP/1.1\r\nHost: x\r\n";
  CHECK_THAT(answer(server.port(), "HEAD /metrics" + rest + "\r\n"), StartsWith("HTTP/1.1 200"));
  for (const std::string asked : {"POST /metrics", "PUT /other", "DELETE /stats"}) {
    // the answer comes though of a terabyte nothing was sent
    const auto got = answer(server.port(), asked + rest + "Content-Length: 1000000000000\r\n\r\n");
    CHECK_THAT(got, StartsWith("HTTP/1.1 405") && Contains("Allow: GET, HEAD"));
  }
  const auto both = answer(server.port(), "POST / HTTP/1.1\r\nContent-Length: 999\r\n\r\nGET /stats" + rest + "\r\n");
  CHECK(both.find("HTTP/1.1") == both.rfind("HTTP/1.1"));  // a body is no request
}

TEST_CASE("serve_metrics: a request has at most 8 KiB, whatever is sent") {
  const watchdog guard("serve_metrics: long requests");
  auto s = pl::run(pl::range(10), {.threads = 1});
  const auto server = pl::serve_metrics(s, {.port = 0});
  std::string headers;
  while (headers.size() < std::size_t{1} << 20) headers += "a: b\r\n";
  const std::string line(std::size_t{1} << 20, 'x'), get = "GET /metrics HTTP/1.1\r\n";
  for (const auto& [begin, rest] : {std::pair(std::string(), line), {get + "a: ", line}, {get, headers}}) {
    const int to = connected(server.port());
    CHECK(sent(to, begin));
    int mib = 0;
    while (mib != 1024 && sent(to, rest)) ++mib;
    CHECK(mib < 64);  // what the system's buffers hold
    ::close(to);
  }
  CHECK_THAT(answer(server.port(), "GET /" + std::string(8192 - 5, 'x')), StartsWith("HTTP/1.1 431"));
  CHECK_THAT(answer(server.port(), get + "a: " + std::string(8000, 'x') + "\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  std::string ranges = get + "Range: bytes=0-";  // a thousand times the page
  for (int i = 0; i != 1000; ++i) ranges += ",0-";
  CHECK(answer(server.port(), ranges + "\r\n\r\n").size() < 20'000);
}

TEST_CASE("serve_metrics: clients that send slowly, or nothing, hold up no other") {
  const watchdog guard("serve_metrics: slow clients");
  auto s = pl::run(pl::range(10), {.threads = 1});
  auto server = std::make_optional(pl::serve_metrics(s, {.port = 0}));
  std::atomic<bool> over = false;
  std::vector<std::thread> slow;
  for (int i = 0; i != 3; ++i)
    slow.emplace_back([&, to = connected(server->port())] {
      while (!over && sent(to, "x")) std::this_thread::sleep_for(20ms);
      ::close(to);
    });
  std::this_thread::sleep_for(100ms);
  CHECK_THAT(answer(server->port(), "GET /stats HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  const int mute = connected(server->port()), half = connected(server->port());
  CHECK(sent(half, "GET /stats HTTP/1.1\r\n"));
  server.reset();
  over = true;
  for (auto& t : slow) t.join();
  for (const int c : {mute, half}) ::close(c);
}

TEST_CASE("serve_metrics: a server that can no longer accept ends") {
  const watchdog guard("serve_metrics: no longer accepts");
  auto s = pl::run(pl::range(10), {.threads = 1});
  auto server = std::make_optional(pl::serve_metrics(s, {.port = 0}));
  const auto port = server->port();
  CHECK_THAT(answer(port, "GET /stats HTTP/1.0\r\n\r\n"), Contains("200 OK"));
  int file = 0;
  while (file != 1024 && !listens(file, port)) ++file;
  REQUIRE(file != 1024);
  REQUIRE(::shutdown(file, SHUT_RDWR) == 0);  // accept fails, as it does where the system has no descriptors left
  std::this_thread::sleep_for(100ms);
  server.reset();
}

TEST_CASE("serve_metrics: a server that is never asked ends at once") {
  auto s = pl::run(pl::range(10), {.threads = 1});
  for (int i = 0; i != 20; ++i) static_cast<void>(pl::serve_metrics(s, {.port = 0}));
}
#endif
