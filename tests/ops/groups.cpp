// Operators that make groups and batches of elements whose lengths differ.
#include <ops/reference/group_by_length.hpp>
#include <ops/reference/group_by_window.hpp>
#include <ops/reference/pack.hpp>
#include <ops/reference/window.hpp>
#include <plumbline/ops/sort_within.hpp>

#include <support/op_laws.hpp>
#include <support/streams.hpp>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {
// A sequence of x % 11 times x.
const auto run_of = [](std::int64_t x) {
  return std::vector<int>(static_cast<std::size_t>(x * 7 % 11), static_cast<int>(x));
};
const auto filled = [](std::int64_t x) { return std::vector<std::int64_t>(static_cast<std::size_t>(x), x); };
template <class P> auto all_of(const P& p) {
  std::vector<typename P::element> all;
  auto s = pl::run(p, with(0));
  while (auto x = s.next()) all.push_back(std::move(*x));
  return all;
}
struct sample {
  std::vector<std::int32_t> ids;
  float weight;
  std::vector<float> scores;
};
}  // namespace

TEST_CASE("padded_batch: the examples of tf.data's documentation") {
  const auto a = pl::range(1, 5) | pl::map(filled);
  CHECK(joined(shown(a | pl::padded_batch(2))) == "[[2, 2] 1 0 2 2, [2, 4] 3 3 3 0 4 4 4 4]");
  CHECK(joined(shown(a | pl::padded_batch(2, pl::pad(0, {5})))) ==
        "[[2, 5] 1 0 0 0 0 2 2 0 0 0, [2, 5] 3 3 3 0 0 4 4 4 4 0]");
  CHECK(joined(shown(a | pl::padded_batch(2, pl::pad(-1, {5})))) ==
        "[[2, 5] 1 -1 -1 -1 -1 2 2 -1 -1 -1, [2, 5] 3 3 3 -1 -1 4 4 4 4 -1]");
  CHECK(all_of(a | pl::padded_batch<3>(pl::drop_remainder)).size() == 1);
  CHECK(all_of(a | pl::padded_batch(3, pl::remainder::drop, pl::pad(7))).size() == 1);
  CHECK(all_of(a | pl::padded_batch<3>()).size() == 2);
}

TEST_CASE("padded_batch: each component has its own padding; tensors are padded in every dimension") {
  const auto samples =
      pl::range(1, 4) | pl::map([](std::int64_t x) {
        const auto n = static_cast<std::size_t>(x);
        return sample{std::vector<std::int32_t>(n, 5), 0.5F * static_cast<float>(x), std::vector<float>(4 - n, 1.5F)};
      });
  const auto batches = all_of(samples | pl::padded_batch(3, pl::pad(-1, {4}), pl::pad(0), pl::pad(9.F)));
  REQUIRE(batches.size() == 1);
  const auto& [ids, weights, scores] = batches[0];
  CHECK(text(ids) == "[3, 4] 5 -1 -1 -1 5 5 -1 -1 5 5 5 -1");
  CHECK(text(weights) == "[3] 0.5 1 1.5");
  CHECK(text(scores) == "[3, 3] 1.5 1.5 1.5 1.5 1.5 9 1.5 9 9");

  const auto grids = pl::range(1, 4) | pl::map([](std::int64_t x) {
                       const auto n = static_cast<std::size_t>(x);
                       return std::pair(pl::tensor<int>({n, 4 - n}, static_cast<int>(x)), std::to_string(x));
                     });
  const auto made = all_of(grids | pl::padded_batch(3));
  CHECK(text(std::get<0>(made[0])) == "[3, 3, 3] 1 1 1 0 0 0 0 0 0 2 2 0 2 2 0 0 0 0 3 0 0 3 0 0 3 0 0");
  CHECK(text(std::get<1>(made[0])) == R"({"1" "2" "3" })");

  const auto words =
      pl::range(3) | pl::map([](std::int64_t x) { return std::vector<std::string>(static_cast<std::size_t>(x), "w"); });
  CHECK(joined(shown(words | pl::padded_batch(3))) == R"([{{"" "" } {"w" "" } {"w" "w" } }])");
  op_laws(pl::range(200) | pl::map(run_of) | pl::padded_batch(7, pl::pad(-1)));
  op_laws(serial(90) | pl::map(run_of) | pl::padded_batch(8, pl::remainder::drop));
  op_laws(samples | pl::repeat(9) | pl::padded_batch(4));
}

TEST_CASE("padded_batch: a padding that is no value of the elements is an error") {
  const auto bytes = pl::range(3) | pl::map([](std::int64_t n) {
                       return std::vector<std::uint8_t>(static_cast<std::size_t>(n), std::uint8_t{1});
                     });
  CHECK(joined(shown(bytes | pl::padded_batch(3, pl::pad(255)))) == "[[3, 2] 255 255 1 255 1 1]");
  for (const int wrong : {256, -1})
    CHECK_THROWS_WITH(all_of(bytes | pl::padded_batch(3, pl::pad(wrong))),
                      Contains("the padding " + std::to_string(wrong) + " is no value of the elements"));
  CHECK_THROWS_WITH(all_of(bytes | pl::padded_batch(3, pl::pad(0.5))), Contains("uint8"));
}

TEST_CASE("bucket_by_length: a budget of tokens counts the padded length, and empty elements") {
  const auto ten = pl::range(40) | pl::map([](std::int64_t) { return std::vector<int>(10); });
  for (const auto& batch :
       all_of(ten | pl::bucket_by_length({.boundaries = {64}, .tokens = 128, .pad_to_boundary = true})))
    CHECK(batch.size() <= 128);
  const auto empty = pl::range(1000) | pl::map([](std::int64_t) { return std::vector<int>(); });
  CHECK(all_of(empty | pl::bucket_by_length({.tokens = 100})).size() == 10);
}

TEST_CASE("padded_batch: what does not fit is reported with its row") {
  const auto a = pl::range(1, 5) | pl::map(filled);
  CHECK_THROWS_WITH(all_of(a | pl::padded_batch(4, pl::pad(0, {3}))),
                    Contains("row 3 of a padded batch has 4 in dimension 0, and the batch is to have 3"));
  CHECK_THROWS_WITH(all_of(a | pl::padded_batch(4, pl::pad(0, {3, 3}))), Contains("rank 1 instead of 2"));
  const auto mixed = pl::range(1, 3) | pl::map([](std::int64_t x) {
                       return x == 1 ? pl::tensor<int>({2}) : pl::tensor<int>({2, 2});
                     });
  CHECK_THROWS_WITH(all_of(mixed | pl::padded_batch(2)), Contains("row 1 of a padded batch has rank 2 instead of 1"));
}

TEST_CASE("ragged_batch: values and row splits") {
  const auto a = pl::range(5) | pl::map(filled);
  const auto batches = all_of(a | pl::ragged_batch(3));
  REQUIRE(batches.size() == 2);
  CHECK(text(batches[0].values) == "[3] 1 2 2");
  CHECK(text(batches[0].splits) == "[4] 0 0 1 3");
  REQUIRE(batches[1].size() == 2);
  CHECK(batches[1][1].size() == 4);
  CHECK(batches[1][1].back() == 4);
  const auto rows = pl::range(1, 4) | pl::map([](std::int64_t x) {
                      return std::pair(pl::tensor<float>({static_cast<std::size_t>(x), 2}, 1), x);
                    });
  const auto made = all_of(rows | pl::ragged_batch(3));
  CHECK(pl::to_string(std::get<0>(made[0]).values.shape()) == "[6, 2]");
  CHECK(std::get<0>(made[0])[2].size() == 6);
  CHECK(text(std::get<1>(made[0])) == "[3] 1 2 3");
  CHECK(all_of(a | pl::ragged_batch<3>(pl::drop_remainder)).size() == 1);
}

TEST_CASE("bucket_by_length: the example of tf.data's documentation") {
  const std::vector<std::vector<int>> elements{
      {0}, {1, 2, 3, 4}, {5, 6, 7}, {7, 8, 9, 10, 11}, {13, 14, 15, 16, 19, 20}, {21, 22}};
  const auto p = pl::elements(elements) | pl::bucket_by_length({.boundaries = {3, 5}, .batch_sizes = {2, 2, 2}});
  CHECK(joined(shown(p)) == "[[2, 4] 1 2 3 4 5 6 7 0, [2, 6] 7 8 9 10 11 0 13 14 15 16 19 20, [2, 2] 0 0 21 22]");
  const auto to_boundary =
      pl::elements(elements) | pl::take(3) |
      pl::bucket_by_length({.boundaries = {3, 7}, .batch_sizes = {2, 2, 2}, .pad_to_boundary = true}, pl::pad(-1));
  CHECK(joined(shown(to_boundary)) == "[[2, 6] 1 2 3 4 -1 -1 5 6 7 -1 -1 -1, [1, 2] 0 -1]");
  CHECK_THROWS_WITH(all_of(pl::elements(elements) |
                           pl::bucket_by_length({.boundaries = {3}, .batch_sizes = {2, 2}, .pad_to_boundary = true})),
                    Contains("length 4 is in the last bucket"));
}

TEST_CASE("bucket_by_length: a budget of tokens; every batch within it, no element lost") {
  const auto p = pl::range(500) | pl::map(run_of);
  for (const std::uint64_t budget : {1U, 10U, 33U, 1000U}) {
    std::size_t rows = 0;
    for (const auto& batch : all_of(p | pl::bucket_by_length({.boundaries = {4, 8}, .tokens = budget}))) {
      rows += batch.shape()[0];
      CHECK((batch.size() <= budget || batch.shape()[0] == 1));
    }
    CHECK(rows == 500);
  }
  op_laws(p | pl::bucket_by_length({.boundaries = {4, 8}, .tokens = 30}, pl::pad(-1)));
  op_laws(serial(100) | pl::map(run_of) |
          pl::bucket_by_length({.boundaries = {4, 8}, .batch_sizes = {5, 3, 2}, .drop_remainder = true}));
  op_laws(p | pl::enumerate() | pl::bucket_by_length({.boundaries = {4}, .batch_sizes = {7, 3}}) | pl::repeat(2));
  op_laws(pl::range(90) |
          pl::group_by_length({.boundaries = {30}, .batch_sizes = {7, 3}}, [](std::int64_t x) { return x; }));
}

TEST_CASE("bucket_by_length: options that contradict each other") {
  const auto refused = [](pl::bucket_options how, const char* why) {
    CHECK_THROWS_WITH(pl::bucket_by_length(how), Contains(why));
  };
  refused({}, "set batch_sizes or tokens");
  refused({.boundaries = {5, 5}, .batch_sizes = {1, 1, 1}}, "ascending order");
  refused({.boundaries = {5}, .batch_sizes = {1}}, "1 batch_sizes for 2 buckets");
  refused({.boundaries = {5}, .batch_sizes = {1, 0}}, "a batch size is 0");
  refused({.boundaries = {0}, .batch_sizes = {1, 1}}, "below a boundary of 0");
  refused({.tokens = 5, .pad_to_boundary = true}, "pad_to_boundary needs boundaries");
}

TEST_CASE("window: the examples of tf.data's documentation") {
  CHECK(joined(shown(pl::range(7) | pl::window(3))) == "[{0 1 2 }, {3 4 5 }, {6 }]");
  CHECK(joined(shown(pl::range(7) | pl::window(3, {.drop_remainder = true}))) == "[{0 1 2 }, {3 4 5 }]");
  CHECK(joined(shown(pl::range(7) | pl::window(3, {.shift = 1, .drop_remainder = true}))) ==
        "[{0 1 2 }, {1 2 3 }, {2 3 4 }, {3 4 5 }, {4 5 6 }]");
  CHECK(joined(shown(pl::range(7) | pl::window(3, {.shift = 1, .stride = 2, .drop_remainder = true}))) ==
        "[{0 2 4 }, {1 3 5 }, {2 4 6 }]");
  CHECK(joined(shown(pl::range(7) | pl::window(2, {.shift = 4}))) == "[{0 1 }, {4 5 }]");
}

TEST_CASE("window: sizes, shifts and strides of all kinds") {
  for (const std::uint64_t n : {1U, 2U, 5U})
    for (const std::uint64_t shift : {1U, 3U, 7U})
      for (const std::uint64_t stride : {1U, 3U})
        for (const bool drop : {false, true}) {
          const pl::window_options how{shift, stride, drop};
          op_laws(pl::range(23) | pl::window(n, how));
          op_laws(serial(11) | pl::window(n, how) | pl::map(pl::collate));
        }
  op_laws(pl::range(9) | pl::window(20) | pl::repeat(2));
  op_laws(serial_endless() | pl::window(3, {.shift = 2}) | pl::take(20));
  CHECK_THROWS_WITH(pl::window(0), Contains("window(0) would hold nothing"));
  CHECK_THROWS_WITH(pl::window(2, {.stride = 0}), Contains("stride of 0"));
}

TEST_CASE("group_by_window: full groups at once, the others by key at the end") {
  const auto third = [](std::int64_t x) { return x % 3; };
  CHECK(joined(shown(pl::range(10) | pl::group_by_window(third, 2))) ==
        "[(0 {0 3 } ), (1 {1 4 } ), (2 {2 5 } ), (0 {6 9 } ), (1 {7 } ), (2 {8 } )]");
  const auto by_key = [](std::int64_t key) { return key + 1; };
  CHECK(joined(shown(pl::range(7) | pl::group_by_window(third, by_key, pl::remainder::drop))) ==
        "[(0 {0 } ), (0 {3 } ), (1 {1 4 } ), (0 {6 } )]");
  op_laws(pl::range(200) | pl::group_by_window(third, 7));
  op_laws(serial(100) | pl::map([](std::int64_t x) { return std::to_string(x); }) |
          pl::group_by_window([](const std::string& s) { return s.substr(0, 1); }, 4) | pl::repeat(2));
  CHECK_THROWS_WITH(pl::group_by_window(third, 0), Contains("would hold nothing"));
}

TEST_CASE("sort_within: each run of n is sorted; equal keys keep their order") {
  const auto tens = [](std::int64_t x) { return x / 10 % 2; };
  CHECK(joined(shown(pl::elements(std::vector{5, 1, 4, 2, 3}) | pl::sort_within(3))) == "[1, 4, 5, 2, 3]");
  op_laws(pl::range(100) | pl::shuffle(3) | pl::sort_within(30, tens));
  op_laws(serial(50) | pl::map(run_of) | pl::sort_within(8, pl::length_of) | pl::padded_batch(4));
}

TEST_CASE("pack: sequences share rows, with segments and positions") {
  const std::vector<std::vector<int>> elements{{1, 1, 1}, {2, 2, 2, 2}, {3}, {4, 4}, {5, 5, 5, 5, 5, 5, 5}};
  const auto rows = all_of(pl::elements(elements) | pl::pack(5, {.rows = 2, .padding = -1}));
  REQUIRE(rows.size() == 4);
  CHECK(text(rows[0].values) == "[5] 1 1 1 3 -1");
  CHECK(text(rows[0].segments) == "[5] 1 1 1 2 0");
  CHECK(text(rows[0].positions) == "[5] 0 1 2 0 0");
  CHECK(text(rows[1].values) == "[5] 2 2 2 2 -1");
  CHECK(text(rows[2].values) == "[5] 5 5 5 5 5");
  CHECK(text(rows[3].values) == "[5] 4 4 5 5 -1");
  CHECK(text(rows[3].positions) == "[5] 0 1 0 1 0");
}

TEST_CASE("pack: laws, and what is too long") {
  for (const auto how : {pl::too_long::split, pl::too_long::cut, pl::too_long::drop})
    for (const std::uint64_t rows : {1U, 3U}) {
      const pl::pack_options options{.rows = rows, .padding = 9, .too_long = how};
      op_laws(pl::range(200) | pl::map(run_of) | pl::pack(7, options));
      op_laws(serial(60) | pl::map(run_of) | pl::pack(12, options) | pl::batch(3));
    }
  CHECK_THROWS_WITH(all_of(pl::range(50) | pl::map(run_of) | pl::pack(5, {.too_long = pl::too_long::fail})),
                    Contains("does not fit into a row of 5"));
  CHECK_THROWS_WITH(pl::pack(0), Contains("give a length"));
}
