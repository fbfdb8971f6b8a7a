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
  for (int i = 0; i != 64; ++i) pass(*slow, 10'000);
  CHECK(s.elements(128) >= 2);  // the mean counts
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
  for (int i = 0; i != 200; ++i) drop();
  CHECK(s.elements(128) == 128);
  // nothing ever comes to the other stage
  chunk_sizer other(0);
  auto *first = other.add_stage(), *none = other.add_stage();
  for (int i = 0; i != 100; ++i) {
    auto begin = element_cost::now(false);
    begin.wall -= 100;
    first->measured(begin, 1);
    none->nothing_left(element_cost::now(false), 1);
    CHECK((i < 60 ? other.elements(128) == 1 : true));
    other.elements(128);
  }
  CHECK(other.elements(128) == 128);
}
