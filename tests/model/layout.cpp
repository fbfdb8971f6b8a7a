// What a layout reports of an operator: the elements it takes per output, if its rule says so, and whether it replays.
#include <catch2/catch.hpp>

#include <plumbline/model/layout.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources/elements.hpp>
#include <plumbline/sources/range.hpp>

namespace pl = plumbline;

TEST_CASE("layout: elements taken per output, by the operator's own count rule") {
  const auto even = [](std::int64_t x) { return x % 2 == 0; };
  const auto p = pl::range(100) | pl::map([](std::int64_t x) { return x; }) | pl::filter(even) | pl::batch(7) |
                 pl::repeat(3) | pl::skip(5) | pl::take(2) | pl::shuffle(4, 1) | pl::prefetch(2);
  std::vector<double> takes;
  for (const auto& row : pl::layout(p)) takes.push_back(row.takes);
  REQUIRE(takes.size() == 9);
  const double want[] = {0, 1, 0, 7, 1.0 / 3, 1, 0, 1, 1};
  for (std::size_t i = 0; i != 9; ++i) {
    INFO("operator " << i + 1);
    CHECK(takes[i] == Approx(want[i]).epsilon(1e-12));
  }
  CHECK(pl::layout(pl::range(100) | pl::shard(4, 1)).back().takes == Approx(4));
  CHECK(pl::layout(pl::zip(pl::range(10), pl::range(10))).back().takes == 0);
  CHECK(pl::layout(pl::range(10) | pl::repeat()).back().takes == 0);
}

TEST_CASE("layout: elements that operators hold within themselves") {
  const auto holds = [](const auto& p) {
    double all = 0;
    for (const auto& row : pl::layout(p)) all += row.holds;
    return all;
  };
  const auto words = pl::range(100) | pl::map([](std::int64_t x) { return std::vector<int>(std::size_t(x)); });
  CHECK(holds(pl::range(100) | pl::shuffle(7) | pl::batch(4) | pl::group(3) | pl::prefetch(9)) == 0);
  CHECK(holds(pl::range(100) | pl::shuffle(40, 1)) == 40);
  CHECK(holds(words | pl::window(5, {.shift = 2, .stride = 3})) == 13);
  CHECK(holds(words | pl::bucket_by_length({.boundaries = {10, 50}, .batch_sizes = {32, 8, 2}})) == 42);
  CHECK(holds(words | pl::group_by_length({.boundaries = {10, 50}, .tokens = 100})) == 10 + 2 + 2);
  CHECK(holds(words | pl::group_by_length({.boundaries = {10}, .batch_sizes = {4, 200}, .tokens = 100})) == 4 + 10);
  CHECK(holds(words | pl::group_by_length({.tokens = 100})) == 100);
}

TEST_CASE("layout: messages of a buffer that an operator states") {
  std::vector<std::size_t> messages;
  for (const auto& row : pl::layout(pl::range(100) | pl::prefetch(9) | pl::batch(4) | pl::prefetch(100'000)))
    messages.push_back(row.buffers);
  CHECK(messages == std::vector<std::size_t>{0, 4, 0, 24});
}

TEST_CASE("layout: operators that replay elements are marked") {
  const auto rows = pl::layout(pl::range(100) | pl::map([](std::int64_t x) { return x; }) | pl::cache() | pl::batch(2));
  for (const auto& row : rows) CHECK(row.replays == (row.number == 3));
}

TEST_CASE("layout: operators folded into a view run in the stage that reads it") {
  const auto p = pl::range(100) | pl::enumerate() | pl::shuffle(1) | pl::map([](const auto& x) { return x.second; }) |
                 pl::prefetch(2);
  std::vector<std::uint32_t> stages;
  for (const auto& row : pl::layout(p)) stages.push_back(row.stage);
  CHECK(stages == std::vector<std::uint32_t>{1, 1, 0, 1, 2});
}

TEST_CASE("partition: parts, and how elements are passed on") {
  using pl::handover;
  const auto p = pl::range(100) | pl::filter([](std::int64_t x) { return x % 2 == 0; }) | pl::enumerate() |
                 pl::map([](const auto& x) { return std::to_string(x.second); }) | pl::batch(4) |
                 pl::interleave([](const std::vector<std::string>&) { return pl::range(2); });
  constexpr auto& cut = pl::partition_of<std::remove_const_t<decltype(p)>>;
  STATIC_REQUIRE(cut.count == 5);
  STATIC_REQUIRE(cut.parts[1].by_number);
  STATIC_REQUIRE(cut.operators[1].to == handover::channel);  // positions are counted again
  STATIC_REQUIRE(cut.parts[cut.operators[2].before].serial);
  STATIC_REQUIRE(cut.operators[2].part == cut.operators[3].part);
  STATIC_REQUIRE(cut.operators[2].lineage);
  STATIC_REQUIRE(cut.parts[cut.operators[5].also].streams);
  CHECK(cut.described(cut.operators[5].part).operators.back() == 6);
  constexpr auto& one = pl::partition_of<std::remove_const_t<decltype(p)>, pl::running::in_the_call>;
  STATIC_REQUIRE(one.count == 1);
  CHECK(one.described(1).operators == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6});
}
