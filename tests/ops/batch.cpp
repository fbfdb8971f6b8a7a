#include <plumbline/ops/sort_within.hpp>

#include <ops/samples.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>

using namespace plumbline_test;

TEST_CASE("batch: the example of tf.data's documentation") {
  // Dataset.range(8).batch(3), and with drop_remainder
  CHECK(joined(shown(pl::range(8) | pl::batch(3))) == "[[3] 0 1 2, [3] 3 4 5, [2] 6 7]");
  CHECK(joined(shown(pl::range(8) | pl::batch(3, pl::drop_remainder))) == "[[3] 0 1 2, [3] 3 4 5]");
  CHECK(joined(shown(pl::range(8) | pl::batch<3>(pl::drop_remainder))) == "[[3] 0 1 2, [3] 3 4 5]");
  op_laws(pl::range(500) | pl::batch(7));
  op_laws(serial(500) | pl::batch<32>());
  op_laws(serial(500) | pl::filter(odd) | pl::batch(32, pl::drop_remainder));
  op_laws(pl::range(64) | pl::batch<32>(pl::drop_remainder));
}

TEST_CASE("batch: larger than the stream, of one, of nothing") {
  op_laws(pl::range(5) | pl::batch(1000));
  op_laws(pl::range(5) | pl::batch(1000, pl::drop_remainder));
  op_laws(pl::range(50) | pl::batch(1));
  op_laws(serial(0) | pl::batch(4));
  op_laws(serial(0) | pl::map(to_text) | pl::batch(4));
  CHECK_THROWS_AS(pl::batch(0), std::invalid_argument);
}

TEST_CASE("batch, group, rebatch, shuffle: a size far larger than the stream takes the memory of what comes") {
  constexpr auto n = std::uint64_t{1} << 40;
  const auto all = [](const auto& p) {
    op_laws(p | pl::batch(n));
    op_laws(p | pl::batch(n, pl::remainder::drop));
    op_laws(p | pl::group(n));
  };
  // put together one by one, in slots, and in slots after a filter
  all(serial(30));
  all(pl::range(30) | pl::map(to_tensor));
  all(serial(30) | pl::filter(odd) | pl::map(to_sample));
  op_laws(pl::range(30) | pl::map(to_tensor) | pl::batch(n) | pl::repeat(2) | pl::rebatch(n));
  op_laws(pl::range(30) | pl::batch(7) | pl::rebatch(n));
  op_laws(pl::range(30) | pl::map(to_tensor) | pl::shuffle(n, 1) |
          pl::sort_within(n, [](const auto& t) { return t(0, 0); }));
  op_laws(serial(30) | pl::window(n, {.shift = n}));
  using large = std::array<char, 1 << 20>;
  CHECK(pl::detail::room_for<large>(n) == 16);
  CHECK(pl::detail::room_for<std::int64_t>(n) == 4096);
  CHECK(pl::detail::room_for<large>(3) == 3);
  // the first element that does not fit is reported, as by a batch that has its slots from the beginning
  const auto uneven = pl::range(30) | pl::map([](std::int64_t x) {
                        return pl::tensor<int>(pl::shape{x < 9 ? std::size_t{2} : std::size_t{3}}, 1);
                      });
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(uneven | pl::batch(n), with(threads));
    CHECK_THROWS_WITH(drained(s), Catch::Contains("batch") && Catch::Contains("at element 9 of range") &&
                                      Catch::Contains("the one at position 9 has [3]"));
  }
}

TEST_CASE("batch across epochs: repeat before batch, and batch before repeat") {
  // tf.data: batches after repeat straddle epochs
  CHECK(joined(shown(pl::range(3) | pl::repeat(2) | pl::batch(4))) == "[[4] 0 1 2 0, [2] 1 2]");
  CHECK(joined(shown(pl::range(3) | pl::batch(2) | pl::repeat(2))) == "[[2] 0 1, [1] 2, [2] 0 1, [1] 2]");
  op_laws(pl::range(10) | pl::shuffle(1) | pl::repeat(5) | pl::batch(7));
  op_laws(serial(10) | pl::map(to_text) | pl::repeat(5) | pl::batch(7));
  op_laws(pl::range(10) | pl::map(to_text) | pl::batch(7) | pl::repeat(5));
  op_laws(pl::range(10) | pl::map(to_tensor) | pl::repeat() | pl::batch(7));
}

TEST_CASE("batch: tensors, text, tuples and structs are put into their slots where they are made") {
  CHECK(joined(shown(pl::range(3) | pl::map(to_tuple) | pl::batch(2))) ==
        R"([([2] 0 1 {"0" "1" } [2] 1 0 ), ([1] 2 {"2" } [1] 1 )])");
  op_laws(pl::range(100) | pl::map(to_tensor) | pl::batch(7));
  op_laws(serial(100) | pl::map(to_text) | pl::batch(7, pl::drop_remainder));
  op_laws(pl::range(100) | pl::map(to_sample) | pl::batch(7));
  op_laws(waiting(100) | pl::map(to_tuple) | pl::batch(7));
}

TEST_CASE("batch: elements are put into their slots where they are made, after a filter") {
  op_laws(pl::range(100) | pl::map(to_text) | pl::filter([](const std::string& s) { return s.back() != '3'; }) |
          pl::batch(6));
  op_laws(serial(100) | pl::filter(odd) | pl::map(to_tensor) | pl::batch(6));
  op_laws(pl::range(100) | pl::map(to_sample) | pl::filter([](const sample& s) { return s.weight > 9; }) |
          pl::batch(16, pl::drop_remainder));
  op_laws(pl::range(30) | pl::flat_map([](std::int64_t x) {
            return std::vector<std::string>(static_cast<std::size_t>(x % 4), std::to_string(x));
          }) |
          pl::batch(5));
}

TEST_CASE("batch: random elements, and random maps of batches") {
  op_laws(pl::range(100) | pl::map(draw_text) | pl::batch(7) | pl::map([](std::vector<std::string> b, pl::rng& r) {
            b.push_back(std::to_string(r()));
            return b;
          }));
  op_laws(pl::range(100) | pl::map(draw_text) | pl::prefetch(3) | pl::map([](std::string s) { return s + "!"; }) |
          pl::batch(7));
}

TEST_CASE("batches of batches") {
  CHECK(joined(shown(pl::range(5) | pl::batch(2) | pl::batch(2, pl::drop_remainder))) == "[[2, 2] 0 1 2 3]");
  op_laws(pl::range(96) | pl::batch(4) | pl::batch(3));
  op_laws(serial(100) | pl::map(to_text) | pl::batch(4) | pl::batch(3));
  op_laws(pl::range(96) | pl::map(to_sample) | pl::batch(4) | pl::batch(3) | pl::repeat(2));
}

TEST_CASE("batch: upstream of other operators") {
  op_laws(pl::zip(pl::range(50) | pl::map(to_text) | pl::batch(4), pl::range(50) | pl::batch(4)) | pl::repeat(2));
  op_laws(pl::range(9) | pl::interleave([](std::int64_t n) { return pl::range(n) | pl::map(to_text) | pl::batch(2); },
                                        {.cycle_length = 3}));
  op_laws(pl::range(60) | pl::map(to_tensor) | pl::batch(7) | pl::cache() | pl::take(5) | pl::skip(2));
  op_laws(pl::range(60) | pl::map(to_tensor) | pl::batch(7) | pl::shuffle(3, 1) | pl::enumerate());
}
