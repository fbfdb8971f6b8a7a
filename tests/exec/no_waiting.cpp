// Reads that compute workers try first. If a read would wait, its element stays unchanged, is processed on an I/O
// thread, and keeps its position.
#include <support/op_laws.hpp>
#include <support/skip.hpp>
#include <support/streams.hpp>
#include <support/temp_folder.hpp>
#include <support/watchdog.hpp>

#include <plumbline/exec/io_pool.hpp>
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>

#include <fcntl.h>
#include <unistd.h>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {

using numbers = std::vector<std::int64_t>;

/// Counts the calls of a `choosy` operator.
struct asked {
  std::atomic<int> tried{0}, refused{0}, waited{0};
};
/// Returns x unchanged. It blocks and has a try_transform, which refuses the elements that `would` selects.
struct choosy_op : pl::op_base {
  static constexpr std::string_view name = "choosy";
  static constexpr bool order_free = true, blocking = true;
  bool (*would)(std::int64_t);
  asked* counts;
  std::int64_t beast = -2;
  template <class In> In transform(const pl::element_context&, In&& x) const {
    check(x);
    ++counts->waited;
    return std::move(x);
  }
  template <class In> std::optional<In> try_transform(const pl::element_context&, In& x) const {
    check(x);
    ++counts->tried;
    if (!would(number(x))) return std::move(x);
    ++counts->refused;
    return std::nullopt;
  }
  void check(const auto& x) const {
    if (number(x) == beast) throw std::runtime_error("number of the beast");
  }
  static std::int64_t number(std::int64_t x) { return x; }
  static std::int64_t number(const std::string& x) { return static_cast<std::int64_t>(x.size()); }
  static std::int64_t number(const std::unique_ptr<std::int64_t>& x) { return x == nullptr ? -1 : *x; }
};
auto choosy(bool (*would)(std::int64_t), asked& counts, std::int64_t beast = -2) {
  return choosy_op{{}, would, &counts, beast};
}

bool never(std::int64_t) { return false; }
bool always(std::int64_t) { return true; }
bool third(std::int64_t x) { return x % 3 == 2; }
bool scattered(std::int64_t x) { return pl::hash_combine(3, static_cast<std::uint64_t>(x)) % 4 == 0; }
bool late(std::int64_t x) { return x % 256 == 255; }

numbers upto(std::int64_t n) {
  numbers all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

TEST_CASE("no waiting: every element arrives once and in order, whichever would wait") {
  const watchdog guard("no waiting: laws");
  constexpr std::int64_t n = 3000;
  for (auto* would : {never, always, third, scattered, late}) {
    for (const std::size_t threads : {1U, 2U, 4U}) {
      for (const std::size_t chunk : {1U, 7U, 256U}) {
        for (const auto order : {pl::output_order::kept, pl::output_order::unordered}) {
          asked counts;
          const auto how = with(threads, chunk, 7, order);
          const auto check = [&](const auto& p) {
            INFO(described(how, "choosy"));
            auto s = pl::run(p, how);
            for (int epoch = 0; epoch != 2; ++epoch) {
              numbers got;
              for (const auto& x : s) got.push_back(choosy_op::number(x));
              if (order == pl::output_order::unordered) std::sort(got.begin(), got.end());
              CHECK(got == upto(n));
            }
          };
          check(pl::range(n) | choosy(would, counts));  // made by index
          check(serial(n) | choosy(would, counts));     // taken from a message
          check(pl::range(n) | pl::map([](std::int64_t x) { return x; }) | choosy(would, counts) |
                choosy(third, counts) | pl::map([](std::int64_t x) { return x; }));
          check(pl::range(n) | pl::map([](std::int64_t x) { return std::make_unique<std::int64_t>(x); }) |
                choosy(would, counts));  // moved only if the try succeeds
          CHECK(counts.tried + counts.waited == 2 * 5 * n + counts.refused);
          if (would == never) CHECK(counts.tried == 2 * 3 * n);  // a stage with two of them is not tried
        }
      }
    }
  }
}

TEST_CASE("no waiting: elements that need not wait are processed on the compute workers") {
  asked counts;
  auto s = pl::run(pl::range(1000) | choosy(never, counts), with(2));
  for (auto& x : s) CHECK(x < 1000);
  CHECK(counts.tried == 1000);
  CHECK(counts.waited == 0);
}

TEST_CASE("no waiting: an operator that always waits is rarely tried") {
  asked counts;
  for (auto& x : pl::run(pl::range(10'000) | choosy(always, counts), with(2, 1))) CHECK(x < 10'000);
  CHECK(counts.waited == 10'000);
  CHECK(counts.refused < 400);  // one in 64, and the first few
}

TEST_CASE("no waiting: one in a few successes is enough to try all") {
  pl::detail::fortune luck;
  const auto tries = [&](std::size_t n, auto good) {
    std::size_t tried = 0;
    for (std::size_t i = 0; i != n; ++i)
      if (luck.worth_a_try()) ++tried, luck.was(good(i));
    return tried;
  };
  CHECK(tries(1000, [](std::size_t i) { return i % 8 == 7; }) == 1000);
  CHECK(tries(10'000, [](std::size_t) { return false; }) < 10'000 / 64 + 100);
  (void)tries(64, [](std::size_t) { return true; });
  CHECK(tries(100, [](std::size_t) { return true; }) == 100);
}

TEST_CASE(
    "no waiting: under a limit on reading, files are read on I/O threads, and what a cache holds is found at once") {
  temp_folder folder;
  for (int i = 0; i != 50; ++i) folder.write("f" + std::to_string(i), std::string(100, 'x'));
  auto how = with(2);
  how.read_bytes_per_second = 1e12;
  how.chunk = 1;  // of messages that are refused one after another, one in 64 is tried: after the first epoch
  const auto p = pl::files(folder.path() + "/*") | pl::repeat(10) | pl::read_file() | pl::cache(pl::bytes(1 << 20)) |
                 pl::map([](const pl::file_contents& f) { return static_cast<std::int64_t>(f.data.size()); });
  auto s = pl::run<pl::tracing::timeline>(p, how);
  std::size_t n = 0;
  for (const auto x : s) n += x == 100 ? 1 : 0;
  CHECK(n == 500);
  const auto t = s.timeline();
  std::size_t read = 0, found = 0;  // on I/O threads: positions of the first epoch, and of the last ones
  for (const auto& w : t.work) {
    if (t.threads[w.thread].find("I/O") == std::string::npos) continue;
    read += w.first < 50 ? 1 : 0;
    found += w.first >= 250 ? 1 : 0;
  }
  CHECK(read > 0);
  CHECK(found == 0);
}

TEST_CASE("no waiting: nothing is tried under a limit on reading or on parallelism, or without threads") {
  asked counts;
  auto slow = with(2), narrow = with(2);
  slow.read_bytes_per_second = 1e9;
  narrow.parallelism = {{"choosy", 1}};
  for (const auto& how : {slow, narrow, with(0)})
    for (auto& x : pl::run(pl::range(500) | choosy(never, counts), how)) CHECK(x < 500);
  CHECK(counts.tried == 0);
}

TEST_CASE("no waiting: a user's function is called once per element") {
  std::atomic<int> calls{0};
  asked counts;
  const auto counted = [&calls](std::int64_t x) {
    ++calls;
    return x;
  };
  const auto p = pl::range(2000) | pl::map(counted) | pl::shuffle(3) | choosy(scattered, counts);
  std::size_t n = 0;
  for (auto& x : pl::run(p, with(2))) n += x >= 0 ? 1 : 0;
  CHECK(n == 2000);
  CHECK(calls == 2000);
}

TEST_CASE("no waiting: a user's source is called once per element, where it may wait") {
  std::atomic<int> calls{0};
  asked counts;
  const auto f = [&](std::uint64_t i) {
    ++calls;
    return static_cast<std::int64_t>(i);
  };
  std::size_t n = 0;
  for (auto& x : pl::run(pl::generate(2000, f) | choosy(scattered, counts), with(2))) n += x >= 0 ? 1 : 0;
  CHECK(n == 2000);
  CHECK(calls == 2000);
  CHECK(counts.tried == 0);
}

TEST_CASE("no waiting: an error is reported for its element, tried or not") {
  for (auto* would : {never, always, scattered}) {
    asked counts;
    const watchdog guard("no waiting: error");
    auto s = pl::run(pl::range(2000) | choosy(would, counts, 666), with(2, 7));
    numbers got;
    CHECK_THROWS_WITH(
        [&] {
          for (auto& x : s) got.push_back(x);
        }(),
        Contains("number of the beast") && Contains("choosy") && Contains("666"));
    CHECK(got == upto(666));
  }
}

TEST_CASE("no waiting: an index cache returns what it holds, and the rest is made once") {
  asked counts;
  auto s = pl::run(pl::range(600) | choosy(scattered, counts) | pl::cache() | pl::shuffle(5), with(2));
  for (int epoch = 0; epoch != 3; ++epoch) {
    numbers got;
    for (const auto& x : s) got.push_back(x);
    std::sort(got.begin(), got.end());
    CHECK(got == upto(600));
  }
  CHECK(counts.tried - counts.refused + counts.waited == 600);
}

TEST_CASE("no waiting: an element that is retried is counted once") {
  for (auto* would : {never, third, always}) {
    asked counts;
    std::vector<std::string> texts;
    std::uint64_t bytes = 0;
    for (int i = 0; i != 300; ++i) bytes += pl::nbytes(texts.emplace_back(static_cast<std::size_t>(100 + i), 'x'));
    auto s = pl::run<pl::tracing::counters>(pl::elements(texts) | choosy(would, counts), with(2));
    std::uint64_t got = 0;
    for (const auto& x : s) got += pl::nbytes(x);
    CHECK(got == bytes);
    CHECK((counts.refused != 0) == (would != never));
    const auto t = s.traced();
    for (const auto& c : t.counters) {
      CHECK(c.completions == 300);
      CHECK(c.bytes == bytes);
    }
  }
}

TEST_CASE("no waiting: files outside the page cache, wholly or partly, are read to the last byte and counted once") {
  const watchdog guard("no waiting: files");
  const temp_folder t;
  std::uint64_t bytes = 0;
  for (int i = 0; i != 60; ++i) {
    const std::string content(static_cast<std::size_t>(100'000 + 1000 * i), static_cast<char>('a' + i % 26));
    const auto path = t.write(std::to_string(1000 + i), content);
    bytes += content.size();
    if (i % 2 == 0) continue;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    ::fsync(fd);  // pages that are not written yet cannot be dropped
    ::posix_fadvise(fd, i % 4 == 1 ? 0 : 65536, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
  }
  auto s = pl::run<pl::tracing::counters>(pl::files(t.path()) | pl::read_file(), with(2));
  std::uint64_t got = 0, files = 0;
  for (const auto& f : s) {
    got += f.data.size();
    ++files;
    const auto all = f.data.span();
    CHECK(std::count(all.begin(), all.end(), all[0]) == std::ssize(all));
  }
  CHECK(files == 60);
  CHECK(got == bytes);
  CHECK(s.traced().counters[1].bytes_read == bytes);
}

TEST_CASE("no waiting: a read without waiting refuses a file that is not in memory", "[host]") {
  const temp_folder t;
  const auto path = t.write("f", std::string(300'000, 'x'));
  const auto tried = [&] {
    const auto got = pl::detail::read_cached_bytes(path);
    return got ? got->size() : std::size_t{0};
  };
  if (tried() == 0) {
    skip("reading without waiting is not supported by " + t.path() + " or by this kernel");
    return;
  }
  CHECK(tried() == 300'000);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::fsync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
  const auto cold = tried();
  CHECK((cold == 0 || cold == 300'000));  // the kernel may keep its pages
  CHECK(pl::read_bytes(path).size() == 300'000);
  CHECK(tried() == 300'000);
  CHECK_FALSE(pl::detail::read_cached_bytes(t / "nothing"));  // the thread that may wait reports the error
  CHECK_THROWS_AS(pl::read_bytes(t / "nothing"), pl::io_error);
}
