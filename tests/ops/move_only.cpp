// Elements that can only be moved, through every operator that needs no copy.
#include <support/op_laws.hpp>
#include <support/streams.hpp>

using namespace plumbline_test;

namespace {
using box = std::unique_ptr<std::int64_t>;
const auto boxed = [](std::int64_t x) { return std::make_unique<std::int64_t>(x); };
const auto more = [](box b) {
  ++*b;
  return b;
};
const auto jitter = [](box b, pl::rng& r) {
  *b += static_cast<std::int64_t>(r.below(1'000'000));
  return b;
};
const auto keep = [](const box& b) { return *b % 3 != 0; };
auto boxes(std::uint64_t n) {
  return pl::generate(n, [](std::uint64_t i) { return std::make_unique<std::int64_t>(static_cast<std::int64_t>(i)); });
}
}  // namespace

TEST_CASE("move-only: sources, maps, filters, numbers") {
  op_laws(boxes(200) | pl::map(more) | pl::filter(keep) | pl::map(jitter));
  op_laws(serial(200) | pl::map(boxed) | pl::map(more) | pl::enumerate());
  op_laws(boxes(100) | pl::enumerate() | pl::shuffle(3));
}
TEST_CASE("move-only: order and streams") {
  op_laws(boxes(100) | pl::shuffle(1) | pl::skip(3) | pl::take(50) | pl::shard(2, 1) | pl::repeat(2));
  op_laws(serial(100) | pl::map(boxed) | pl::shuffle(9, 1) | pl::skip(3) | pl::take(50) | pl::shard(2, 1) |
          pl::repeat(2));
  op_laws(boxes(30) | pl::map(more) | pl::prefetch(4) | pl::repeat() | pl::map(jitter));
}
TEST_CASE("move-only: joins and streams within streams") {
  op_laws(pl::zip(boxes(40) | pl::map(more), boxes(40) | pl::enumerate()) | pl::shuffle(2));
  op_laws(pl::zip(boxes(40) | pl::filter(keep), serial(20) | pl::map(boxed)));
  op_laws(pl::concat(boxes(40) | pl::filter(keep), serial(20) | pl::map(boxed)));
  op_laws(pl::concat(boxes(40), boxes(3)) | pl::map(more));
  op_laws(boxes(12) | pl::interleave([](box b) { return boxes(static_cast<std::uint64_t>(*b)) | pl::map(jitter); },
                                     {.cycle_length = 3, .block_length = 2}));
  op_laws(boxes(30) | pl::flat_map([](box b) {
            std::vector<box> out;
            for (std::int64_t i = 0; i < *b % 4; ++i) out.push_back(boxed(*b * 10 + i));
            return out;
          }) |
          pl::map(jitter));
}
