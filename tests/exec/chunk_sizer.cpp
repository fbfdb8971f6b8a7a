// chunk_sizer: how many elements a message has. Times are given as if the work had begun earlier.
#include <catch2/catch.hpp>
#include <support/watchdog.hpp>

#include <plumbline/plumbline.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace pl = plumbline;
using plumbline::detail::chunk_sizer;
using plumbline::detail::element_cost;
using plumbline_test::watchdog;

namespace {

// The size of messages after several of `elements`, each of which took so long; all of it work, or none.
std::size_t size_after(bool waits, std::int64_t ns, bool works = false) {
  chunk_sizer s(0);
  auto* stage = s.add_stage();
  for (int i = 0; i != 8; ++i) {
    auto since = element_cost::now(waits);
    since.wall -= ns;
    if (works) since.cpu -= ns;
    stage->measured(since, 1);
    s.elements(128);
  }
  return s.elements(128);
}

}  // namespace

TEST_CASE("chunk sizer: messages grow where elements wait for a short time, not where they wait long") {
  CHECK(size_after(false, 150'000) == 1);
  CHECK(size_after(true, 150'000) > 1);  // 13, on a machine that does nothing else
  CHECK(size_after(true, 2'100'000) == 1);
  CHECK(size_after(true, 10'000'000) == 1);
  CHECK(size_after(true, 450'000, true) == 1);
  CHECK(chunk_sizer(5).elements(128) == 5);
}

// Else the fewer elements a round trip has, the longer each seems to wait, and the fewer the next message has.
TEST_CASE("chunk sizer: messages grow where a thread waits for all elements at once") {
  const auto size = [](std::int64_t waited, std::int64_t worked, bool together) {
    chunk_sizer s(0);
    auto* stage = s.add_stage();
    for (int i = 0; i != 8; ++i) {
      auto since = element_cost::now(true);
      since.wall -= waited;
      since.cpu -= worked;
      stage->measured(since, 4, together);
      s.elements(128);
    }
    return s.elements(128);
  };
  CHECK(size(10'000'000, 0, true) > 32);
  CHECK(size(10'000'000, 0, false) == 1);
  CHECK(size(10'000'000, 1'800'000, true) == 1);  // the work of copying what was found
}

// Otherwise the first messages of a run, or those for a larger buffer, get as many elements as suit the fast stage, and
// the slow one works on each for a long time.
TEST_CASE("chunk sizer: many messages that pass a fast stage first do not grow") {
  chunk_sizer s(0);
  auto *fast = s.add_stage(), *slow = s.add_stage();
  const auto pass = [&](element_cost& stage, std::int64_t ns) {
    auto since = element_cost::now(false);
    since.wall -= ns;
    stage.measured(since, 1);
    return s.elements(128);
  };
  for (int i = 0; i != 64; ++i) CHECK(pass(*fast, 10) == 1);  // the slow one has seen none
  CHECK(pass(*slow, 1'300'000) == 1);
  for (int i = 0; i != 64; ++i) CHECK(pass(*fast, 10) == 1);
  // the mean counts; in the end, if the thread loses its core in between
  for (int i = 0; i != 10'000 && s.elements(128) < 2; ++i) pass(*slow, 10'000);
  CHECK(s.elements(128) >= 2);
}

// Otherwise each element that a filter drops would be a message, as those that it keeps take long.
TEST_CASE("chunk sizer: messages grow where a filter leaves little for a slow stage") {
  chunk_sizer s(0);
  auto *filter = s.add_stage(), *slow = s.add_stage();
  const auto drop = [&] {
    auto since = element_cost::now(false);
    since.wall -= 100;
    filter->measured(since, 1);
    slow->nothing_left(element_cost::now(false), 1);
    return s.elements(128);
  };
  CHECK(drop() == 1);  // the slow one has seen no element, though a message
  auto since = element_cost::now(false);
  since.wall -= 20'000'000;
  slow->measured(since, 1);
  CHECK(s.elements(128) == 1);
  for (int i = 0; i != 10'000 && s.elements(128) < 128; ++i) drop();
  CHECK(s.elements(128) == 128);
  // nothing ever comes to the other stage
  chunk_sizer other(0);
  auto *first = other.add_stage(), *none = other.add_stage();
  const auto next = [&] {
    auto begin = element_cost::now(false);
    begin.wall -= 100;
    first->measured(begin, 1);
    none->nothing_left(element_cost::now(false), 1);
    return other.elements(128);
  };
  for (int i = 0; i != 60; ++i) CHECK(next() == 1);
  for (int i = 0; i != 10'000 && other.elements(128) < 128; ++i) next();
  CHECK(other.elements(128) == 128);
}

namespace {
/// Messages of the part that has this operator, in a whole run.
template <class P> std::uint64_t messages_at(const P& p, std::uint32_t op) {
  auto s = pl::run<pl::tracing::counters>(p, {.threads = 2, .io_threads = 16});
  while (s.next()) {
  }
  for (const auto& part : s.traced().parts)
    if (std::find(part.operators.begin(), part.operators.end(), op) != part.operators.end()) return part.messages;
  return 0;
}
}  // namespace

TEST_CASE("chunk sizer: a slow stage behind a fast one on I/O threads gets one element at a time") {
  const watchdog guard("a slow stage behind a fast one");
  const auto slow = [](std::int64_t x) {
    using clock = std::chrono::steady_clock;
    for (const auto end = clock::now() + std::chrono::milliseconds(1); clock::now() < end;) ++x;
    return x;
  };
  constexpr int n = 200;
  CHECK(messages_at(pl::range(n) | pl::map(pl::blocking([](std::int64_t x) { return x; })) | pl::map(slow), 3) == n);
}

TEST_CASE("chunk sizer: what a filter drops is not a message each, though what it keeps takes long") {
  const watchdog guard("a filter before a slow stage");
  const auto few = [](std::int64_t x) { return x % 1000 == 7; };
  const auto slow = [](std::int64_t x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return x;
  };
  constexpr int n = 100'000;
  CHECK(messages_at(pl::range(n) | pl::filter(few) | pl::map(pl::blocking(slow)), 3) < n / 4);
}
