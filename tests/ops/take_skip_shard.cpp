#include <support/op_laws.hpp>
#include <support/streams.hpp>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto odd = [](std::int64_t x) { return x % 2 == 1; };
}  // namespace

TEST_CASE("take and skip: the examples of tf.data's documentation") {
  CHECK(joined(shown(pl::range(10) | pl::take(3))) == "[0, 1, 2]");
  CHECK(joined(shown(pl::range(10) | pl::skip(7))) == "[7, 8, 9]");
  CHECK(joined(shown(serial(10) | pl::take(3))) == "[0, 1, 2]");
  CHECK(joined(shown(serial(10) | pl::skip(7))) == "[7, 8, 9]");
}

TEST_CASE("take: of nothing, of all, of more than all, of endless streams") {
  for (const std::uint64_t n : {0U, 1U, 99U, 100U, 101U}) {
    op_laws(pl::range(100) | pl::take(n));
    op_laws(serial(100) | pl::take(n));
    op_laws(pl::range(100) | pl::map(square) | pl::filter(odd) | pl::take(n));
  }
  op_laws(serial_endless() | pl::take(1000));
  op_laws(pl::generate([](std::uint64_t i) { return i; }) | pl::take(1000) | pl::shuffle(1));
  op_laws(serial_endless() | pl::map(square) | pl::take(70) | pl::batch(8) | pl::take(3));
}

TEST_CASE("take in the middle of an epoch of a repeat") {
  op_laws(pl::range(7) | pl::shuffle(1) | pl::repeat(5) | pl::take(17));
  op_laws(serial(7) | pl::repeat(5) | pl::take(17) | pl::repeat(2));
  op_laws(serial(7) | pl::map(square) | pl::repeat() | pl::take(17) | pl::repeat(3));
  op_laws(pl::range(9) | pl::interleave([](std::int64_t n) { return pl::range(n); }) | pl::take(11) | pl::repeat(3));
}

TEST_CASE("skip: nothing, all, more than all, of endless streams") {
  for (const std::uint64_t n : {0U, 1U, 99U, 100U, 101U}) {
    op_laws(pl::range(100) | pl::skip(n));
    op_laws(serial(100) | pl::skip(n));
    op_laws(pl::range(100) | pl::map(square) | pl::filter(odd) | pl::skip(n));
  }
  op_laws(serial_endless() | pl::skip(1000));
  op_laws(pl::generate([](std::uint64_t i) { return i; }) | pl::skip(1000));
  op_laws(pl::range(10) | pl::repeat() | pl::skip(13) | pl::take(13) | pl::skip(3) | pl::repeat(2));
  op_laws(serial(10) | pl::skip(3) | pl::repeat(3) | pl::skip(5));
}

TEST_CASE("shard: the example of tf.data's documentation") {
  // Dataset.range(10): A.shard(num_shards=3, index=0) and (index=2)
  CHECK(joined(shown(pl::range(10) | pl::shard(3, 0))) == "[0, 3, 6, 9]");
  CHECK(joined(shown(pl::range(10) | pl::shard(3, 2))) == "[2, 5, 8]");
  CHECK(joined(shown(serial(10) | pl::shard(3, 0))) == "[0, 3, 6, 9]");
  CHECK(joined(shown(serial(10) | pl::shard(3, 2))) == "[2, 5, 8]");
  CHECK_THROWS_AS(pl::shard(3, 3), std::invalid_argument);
  CHECK_THROWS_AS(pl::shard(0, 0), std::invalid_argument);
}

TEST_CASE("shard: the shards together hold every element once") {
  texts all;
  for (std::uint64_t i = 0; i != 7; ++i) {
    const auto indexed = shown(pl::range(100) | pl::shuffle(3) | pl::shard(7, i));
    CHECK(indexed ==
          shown(pl::range(100) | pl::shuffle(3) | pl::filter([](std::int64_t) { return true; }) | pl::shard(7, i)));
    all.insert(all.end(), indexed.begin(), indexed.end());
  }
  std::sort(all.begin(), all.end());
  auto want = shown(pl::range(100));
  std::sort(want.begin(), want.end());
  CHECK(all == want);
}

TEST_CASE("shard: placements") {
  for (const std::uint64_t index : {0U, 2U, 9U}) {
    op_laws(pl::range(100) | pl::shard(10, index) | pl::map(square));
    op_laws(serial(100) | pl::map(square) | pl::shard(10, index));
    op_laws(serial(4) | pl::shard(10, index));
    op_laws(pl::range(4) | pl::shard(10, index));
  }
  op_laws(pl::range(100) | pl::shard(4, 3) | pl::shard(3, 1) | pl::shuffle(2) | pl::repeat(2));
  op_laws(serial_endless() | pl::shard(4, 3) | pl::shard(3, 1));
  op_laws(serial(10) | pl::repeat(3) | pl::shard(4, 3) | pl::repeat(2));
}

TEST_CASE("repeat: the order of tf.data, and a source epoch for each repeat") {
  CHECK(joined(shown(pl::elements({1, 2, 3}) | pl::repeat(3))) == "[1, 2, 3, 1, 2, 3, 1, 2, 3]");
  CHECK(joined(shown(serial(3) | pl::repeat<2>())) == "[0, 1, 2, 0, 1, 2]");
  CHECK(joined(shown(serial(3) | pl::repeat(), 7)) == "[0, 1, 2, 0, 1, 2, 0]");
  op_laws(pl::range(100) | pl::repeat(3));
  op_laws(serial(100) | pl::map(square) | pl::repeat(3));
  op_laws(serial(9) | pl::repeat(2) | pl::repeat(3) | pl::repeat<2>());
  op_laws(pl::range(9) | pl::shuffle(1) | pl::repeat(2) | pl::shuffle(2) | pl::repeat(3));
}

TEST_CASE("repeat: nothing, of nothing, endless") {
  op_laws(pl::range(10) | pl::repeat(0));
  op_laws(serial(10) | pl::repeat(0));
  op_laws(serial(10) | pl::repeat<0>() | pl::map(square));
  op_laws(pl::range(0) | pl::repeat(10));
  op_laws(serial(0) | pl::repeat(10));
  op_laws(pl::range(10) | pl::repeat());
  op_laws(serial(10) | pl::filter(odd) | pl::repeat());
  op_laws(pl::range(10) | pl::repeat() | pl::repeat(2));
  op_laws(serial(1) | pl::repeat() | pl::map([](std::int64_t x, pl::rng& r) { return x + static_cast<int>(r() % 9); }));
}

TEST_CASE("repeat: an endless repeat of nothing is an error, not a hang") {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    auto a = pl::run(pl::range(0) | pl::repeat(), with(threads));
    CHECK_THROWS_AS(a.next(), pl::failure);
    auto b = pl::run(serial(0) | pl::repeat(), with(threads));
    CHECK_THROWS_AS(b.next(), pl::failure);
    auto c = pl::run(pl::range(9) | pl::filter([](std::int64_t x) { return x > 9; }) | pl::repeat() | pl::batch(3),
                     with(threads));
    CHECK_THROWS_AS(c.next(), pl::failure);
    auto d = pl::run(pl::range(3) | pl::flat_map([](std::int64_t x) { return pl::range(x - x) | pl::repeat(); }),
                     with(threads));
    CHECK_THROWS_AS(d.next(), pl::failure);
  }
}
