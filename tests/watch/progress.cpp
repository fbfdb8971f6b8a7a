// progress: the line at every width, and what is written to a terminal and to other files.
#include <plumbline/exec/run.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>
#include <plumbline/watch.hpp>

#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>

using namespace plumbline_test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {
pl::stream_stats example() {
  pl::stream_stats s;
  s.phase = pl::stream_phase::running;
  s.epoch = 3;
  s.position = 430;
  s.size = 1000;
  s.this_epoch = pl::epoch_stalls{.epoch = 3, .elements = 430, .seconds = 12.4, .prep_seconds = 1.5};
  return s;
}
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// A terminal of 80 columns; what is written to it is read in a thread.
class terminal {
 public:
  terminal() {
    winsize size{};
    size.ws_row = 24, size.ws_col = 80;
    if (openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
    reads_ = std::jthread([this] {
      char buffer[4096];
      for (ssize_t n; (n = ::read(master_, buffer, sizeof buffer)) > 0;) {
        text_.append(buffer, static_cast<std::size_t>(n));
        drawn_ += std::count(buffer, buffer + n, '\r');
      }
    });
  }
  int file() const { return slave_; }
  // Waits until a line has been drawn so often.
  void await(std::ptrdiff_t drawings) const {
    while (drawn_ < drawings) std::this_thread::sleep_for(1ms);
  }
  std::string text() {
    ::close(slave_);
    reads_.join();
    ::close(master_);
    return text_;
  }

 private:
  int master_ = -1, slave_ = -1;
  std::string text_;
  std::atomic<std::ptrdiff_t> drawn_{0};
  std::jthread reads_;
};
std::vector<std::string> drawn(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const char c : text) {
    if (c == '\r')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}
}  // namespace

TEST_CASE("progress: the line") {
  auto s = example();
  pl::progress_options how;
  const auto line = [&](std::size_t width, bool blocks = false) {
    return pl::detail::progress_line(s, 35.2, 0.12, how, width, blocks);
  };
  CHECK(line(200) ==
        "epoch 3:  43%|############9                 | 430/1000 [00:12<00:16, 35.2/s, waits 12% for preparation]");
  CHECK(line(200, true) ==
        "epoch 3:  43%|████████████▉                 | 430/1000 [00:12<00:16, 35.2/s, waits 12% for preparation]");
  CHECK(line(79) == "epoch 3:  43%|##5   | 430/1000 [00:12<00:16, 35.2/s, waits 12% for preparation]");
  CHECK(line(72) == "epoch 3:  43% 430/1000 [00:12<00:16, 35.2/s, waits 12% for preparation]");
  CHECK(line(30) == "epoch 3:  43% 430/1000 [00:12<");
  CHECK(line(0).empty());
  for (std::size_t width = 0; width != 130; ++width)
    for (const bool blocks : {false, true}) CHECK(columns(line(width, blocks)) <= width);
  how = {.name = "train", .unit = "batches"};
  CHECK_THAT(line(200), StartsWith("train, epoch 3:  43%|") && Contains("430/1000 batches [00:12<"));
  how = {.name = "a\x1b[31m\tb\r\n\x7f\xC2\x9B\xC3\xA9", .unit = "\x07s"};
  CHECK_THAT(line(200), StartsWith("a?[31m?b????\xC3\xA9, epoch 3:  43%|") && Contains("430/1000 ?s [00:12<"));
  how = {};
  s.this_epoch->prep_seconds = 0.1;
  CHECK_THAT(line(200), EndsWith("35.2/s, the consumer is the limit]"));
  s.this_epoch->io_seconds = 6;
  CHECK_THAT(line(200), EndsWith("waits 12% for reading]"));
  s.this_epoch->io_seconds = 0, s.this_epoch->prep_seconds = 6;
  s.counted.emplace().slowest = pl::slowest_operator{4, "map(\x1b)", 100};
  CHECK_THAT(line(200), EndsWith("waits 12% for map(?) (4)]"));
  s.counted->slowest = pl::slowest_operator{4, "map(decode)", 100};
  CHECK_THAT(line(200), EndsWith("waits 12% for map(decode) (4)]"));
  s.failures = 1;
  CHECK_THAT(line(200), EndsWith(", 1 failure]"));
  s.size.reset();
  CHECK(line(200) == "epoch 3: 430 [00:12, 35.2/s, waits 12% for map(decode) (4), 1 failure]");
  s = {};
  CHECK(pl::detail::progress_line(s, 0, 0, how, 200, false) == "epoch 0: 0 [00:00, ?/s]");
  s.size = 0;
  CHECK(pl::detail::progress_line(s, 0, 0, how, 200, false) == "epoch 0: 0/0 [00:00, ?/s]");
  s.size = 10;
  s.phase = pl::stream_phase::running;
  CHECK_THAT(pl::detail::progress_line(s, 0, 0, how, 200, false), EndsWith("0/10 [00:00<?, ?/s]"));
  s.this_epoch = pl::epoch_stalls{.elements = 1, .seconds = 90'000};
  CHECK_THAT(pl::detail::progress_line(s, 1.5e7, 0, how, 200, false), Contains("[25:00:00<00:00, 15.0M/s"));
}

TEST_CASE("progress: the rate is weighted to the last looks") {
  pl::detail::recent_rate rate;
  pl::stream_stats s;
  CHECK(rate.at(s) == 0);
  s.elements = 100, s.seconds = 1;
  CHECK(rate.at(s) == 100);
  CHECK(rate.at(s) == 100);  // no time has passed in epochs
  for (int i = 0; i != 30; ++i) {
    s.elements += 10, s.seconds += 1, s.waited_seconds += 0.5;
    rate.at(s);
  }
  CHECK(rate.at(s) == Approx(10).epsilon(0.01));
  CHECK(rate.stalled() == Approx(0.5).epsilon(0.01));
}

TEST_CASE("progress: on a terminal") {
  const watchdog guard("progress: terminal");
  terminal on;
  auto s = pl::run(pl::range(100) | pl::batch(10), {.threads = 2});
  std::ptrdiff_t n = 0;
  for ([[maybe_unused]] auto& batch : pl::progress(s, {.seconds = 0.01, .file = on.file()})) on.await(++n + 1);
  CHECK(n == 10);
  const auto lines = drawn(on.text());
  REQUIRE(lines.size() > 11);
  CHECK(lines[0].empty());
  for (std::size_t i = 1; i + 2 < lines.size(); ++i) {
    CHECK_THAT(lines[i], StartsWith("epoch 0: ") && EndsWith("\x1b[K"));
    CHECK(columns(lines[i]) <= 79 + 3);
  }
  CHECK_THAT(lines[lines.size() - 2], StartsWith("epoch 0: 100%|") && Contains("10/10 [00:0"));
  CHECK(lines.back() == "\n");  // the terminal writes \r before it
}

TEST_CASE("progress: an epoch that had ended before is not drawn") {
  const watchdog guard("progress: before");
  terminal on;
  auto s = pl::run(pl::range(10), {.threads = 1});
  for ([[maybe_unused]] auto x : s) continue;
  { const auto shown = pl::progress(s, {.seconds = 0.01, .file = on.file()}); }  // nothing begins
  for ([[maybe_unused]] auto x : pl::progress(s, {.seconds = 0.01, .file = on.file()}))
    std::this_thread::sleep_for(5ms);
  {  // the same epoch again, too short to be drawn while it runs
    const auto shown = pl::progress(s, {.seconds = 3600, .file = on.file()});
    s.restart(1);
    while (s.next()) continue;
  }
  const auto lines = drawn(on.text());
  REQUIRE(lines.size() > 3);
  CHECK(lines[0].empty());
  for (std::size_t i = 1; i != lines.size(); ++i) CHECK_THAT(lines[i], StartsWith("epoch 1: ") || StartsWith("\n"));
  CHECK_THAT(lines[lines.size() - 2], StartsWith("epoch 1: 100%|") && Contains("10/10 [00:0"));
}

TEST_CASE("progress: an exception leaves the line, and a stream that is held") {
  const watchdog guard("progress: exception");
  terminal on;
  const auto loop = [&] {
    for ([[maybe_unused]] auto& x : pl::progress(pl::run(pl::range(100), {.threads = 1}), {.file = on.file()}))
      if (x == 5) throw std::runtime_error("five");
  };
  CHECK_THROWS_WITH(loop(), "five");
  const auto lines = drawn(on.text());
  CHECK_THAT(lines[lines.size() - 2], Contains("6/100 ["));
  CHECK(lines.back() == "\n");
}

TEST_CASE("progress: of two on a terminal the later one is drawn, and a line may be erased") {
  const watchdog guard("progress: nested");
  terminal on;
  auto outer = pl::run(pl::range(3), {.threads = 1}), inner = pl::run(pl::range(5), {.threads = 1});
  {
    auto shown = pl::progress(outer, {.name = "outer", .seconds = 0.01, .file = on.file()});
    for ([[maybe_unused]] auto x : shown) {
      for ([[maybe_unused]] auto y :
           pl::progress(inner, {.name = "inner", .seconds = 0.01, .file = on.file(), .leaves_line = false}))
        std::this_thread::sleep_for(5ms);
      if (x == 2) std::this_thread::sleep_for(50ms);
    }
  }
  const auto lines = drawn(on.text());
  bool in_inner = false;
  std::size_t inner_lines = 0;
  for (const auto& l : lines) {
    if (l.starts_with("inner")) in_inner = true, ++inner_lines;
    if (l == "\x1b[K") in_inner = false;
    CHECK_FALSE((in_inner && l.starts_with("outer")));
  }
  CHECK(inner_lines >= 3);
  CHECK_THAT(lines[lines.size() - 2], StartsWith("outer, epoch 0: 100%|"));
}

TEST_CASE("progress: nothing where it is no terminal") {
  const watchdog guard("progress: file");
  const temp_folder at;
  const int file = ::open((at / "out").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(file >= 0);
  auto s = pl::run(pl::range(100), {.threads = 2});
  std::int64_t sum = 0;
  for (const auto x : pl::progress(s, {.seconds = 0.01, .file = file})) {
    sum += x;
    if (x % 10 == 0) std::this_thread::sleep_for(5ms);
  }
  CHECK(sum == 4950);
  CHECK(::lseek(file, 0, SEEK_END) == 0);
  ::close(file);
  CHECK_THROWS_WITH(pl::progress(s, {.seconds = 0}), Contains("give at least 0.01"));
}

TEST_CASE("progress: with next(), and a stream that is gone") {
  const watchdog guard("progress: next");
  terminal on;
  auto s = std::make_unique<pl::stream<std::int64_t>>(pl::run(pl::range(3), {.threads = 1}));
  {
    const auto shown = pl::progress(*s, {.seconds = 0.01, .file = on.file()});
    while (s->next()) continue;
    s.reset();
    std::this_thread::sleep_for(30ms);
  }
  CHECK(drawn(on.text()).back() == "\n");
}
