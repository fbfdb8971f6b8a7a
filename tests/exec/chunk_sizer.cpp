// chunk_sizer: how many elements a message has. Times are given as if the work had begun earlier.
#include <plumbline/exec/chunk_sizer.hpp>

#include <catch2/catch.hpp>

using plumbline::detail::chunk_sizer;

namespace {

// The size of messages after several of `elements`, each of which took so long; all of it work, or none.
std::size_t size_after(bool waits, std::int64_t ns, bool works = false) {
  chunk_sizer s(0);
  for (int i = 0; i != 8; ++i) {
    auto since = chunk_sizer::now(waits);
    since.wall -= ns;
    if (works) since.cpu -= ns;
    s.measured(since, 1);
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
    for (int i = 0; i != 8; ++i) {
      auto since = chunk_sizer::now(true);
      since.wall -= waited;
      since.cpu -= worked;
      s.measured(since, 4, together);
      s.elements(128);
    }
    return s.elements(128);
  };
  CHECK(size(10'000'000, 0, true) > 32);
  CHECK(size(10'000'000, 0, false) == 1);
  CHECK(size(10'000'000, 1'800'000, true) == 1);  // the work of copying what was found
}
