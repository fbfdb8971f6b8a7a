// chunk_sizer: how many elements a message has. Times are given as if the work had begun earlier.
#include <plumbline/exec/chunk_sizer.hpp>

#include <catch2/catch.hpp>

using plumbline::detail::chunk_sizer;
using plumbline::detail::element_cost;

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

// Else the first messages of a run, or those of a larger buffer, have as many elements as the fast stage is glad of,
// and the slow one holds each for long.
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
  SECTION("the mean counts") {
    for (int i = 0; i != 64; ++i) pass(*slow, 50'000);
    CHECK(s.elements(128) >= 2);
  }
  SECTION("a stage that had nothing to do is no reason to wait") {
    chunk_sizer other(0);
    auto *filter = other.add_stage(), *none = other.add_stage();
    none->measured(element_cost::now(false), 0);
    auto since = element_cost::now(false);
    since.wall -= 20'000;
    filter->measured(since, 1);
    CHECK(other.elements(128) > 1);
  }
}
