#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <numeric>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
template <class P> std::vector<std::int64_t> numbers(const P& p, std::uint64_t epoch = 0) {
  std::vector<std::int64_t> out;
  for (const auto& x : reference(p, {7, epoch})) out.push_back(x.value);
  return out;
}
template <class P> bool is_permutation_of_range(const P& p, std::int64_t n, std::uint64_t epoch) {
  auto all = numbers(p, epoch);
  std::sort(all.begin(), all.end());
  std::vector<std::int64_t> want(static_cast<std::size_t>(n));
  std::iota(want.begin(), want.end(), 0);
  return all == want;
}
}  // namespace

TEST_CASE("shuffle(seed): a new exact permutation every epoch") {
  for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 1000}) {
    const auto p = pl::range(n) | pl::shuffle(42);
    for (std::uint64_t epoch = 0; epoch != 3; ++epoch) CHECK(is_permutation_of_range(p, n, epoch));
    op_laws(p);
  }
  const auto p = pl::range(1000) | pl::shuffle(42);
  CHECK(numbers(p, 0) != numbers(p, 1));
  CHECK(numbers(p, 0) != numbers(pl::range(1000) | pl::shuffle(43), 0));
  CHECK(shown(p, 50, 7) == [&] {
    auto all = reference_texts(p, {0, 7});
    all.resize(50);
    return all;
  }());
}

TEST_CASE("shuffle: the same order in each epoch, for a fixed split") {
  const auto all = pl::range(100) | pl::shuffle(42, pl::each_epoch::same);
  static_assert(pl::facts_of<decltype(all)>.order == pl::ordering::fixed);
  static_assert(pl::facts_of<decltype(pl::range(9) | pl::shuffle(42))>.order == pl::ordering::permuted);
  CHECK(numbers(all, 0) == numbers(all, 1));
  CHECK(numbers(all, 0) == numbers(pl::range(100) | pl::shuffle(42), 0));
  const auto validation = all | pl::take(20);
  const auto train = all | pl::skip(20) | pl::shuffle(7);
  for (std::uint64_t epoch = 0; epoch != 3; ++epoch) {
    auto both = numbers(validation, epoch);
    CHECK(both == numbers(validation, 0));
    for (const auto x : numbers(train, epoch)) both.push_back(x);
    std::sort(both.begin(), both.end());
    CHECK(both == numbers(pl::range(100)));
  }
  CHECK(numbers(train, 0) != numbers(train, 1));
  op_laws(all);
  op_laws(train);
  const auto buffered = serial(100) | pl::shuffle(10, 5, pl::each_epoch::same);
  CHECK(numbers(buffered, 0) == numbers(buffered, 1));
  CHECK(numbers(buffered, 0) == numbers(serial(100) | pl::shuffle(10, 5), 0));
  op_laws(buffered | pl::take(30));
}

TEST_CASE("shuffle(seed): downstream of all operators that keep a stream indexed") {
  op_laws(pl::range(300) | pl::map(square) | pl::shuffle(1) | pl::shuffle(2));
  op_laws(pl::range(300) | pl::skip(10) | pl::take(200) | pl::shard(3, 2) | pl::shuffle(1));
  op_laws(pl::range(30) | pl::shuffle(1) | pl::repeat(3) | pl::shuffle(1) | pl::repeat(2) | pl::enumerate());
  op_laws(pl::elements<std::string>({"a", "b", "c", "d", "e"}) | pl::shuffle(9) | pl::repeat());
  op_laws(pl::range(17) | pl::shuffle(1) | pl::take(4) | pl::repeat(5));
}

TEST_CASE("shuffle(buffer, seed): elements that cannot be assigned, in the same order as any others") {
  struct fixed {
    const std::int64_t number;
    const std::string text;  // its move can throw
  };
  static_assert(!std::is_move_assignable_v<fixed>);
  const auto made = [](std::int64_t x) { return fixed{x, std::to_string(x)}; };
  for (const std::uint64_t buffer : {1U, 10U, 1000U}) {
    const auto p = serial(300) | pl::map(made) | pl::shuffle(buffer, 5) |
                   pl::map([](const fixed& x) { return x.number + std::stoll(x.text); });
    const auto same = serial(300) | pl::shuffle(buffer, 5) | pl::map([](std::int64_t x) { return 2 * x; });
    CHECK(shown(p) == shown(same));
  }
}

TEST_CASE("shuffle(buffer, seed): tf.data's bounds") {
  // An element is at most buffer - 1 positions early, and none is lost.
  for (const std::uint64_t buffer : {1U, 2U, 10U, 1000U}) {
    const auto p = serial(300) | pl::shuffle(buffer, 5);
    for (std::uint64_t epoch = 0; epoch != 2; ++epoch) {
      CHECK(is_permutation_of_range(p, 300, epoch));
      const auto all = numbers(p, epoch);
      for (std::size_t k = 0; k < all.size(); ++k) CHECK(all[k] <= static_cast<std::int64_t>(k + buffer) - 1);
    }
    op_laws(p);
  }
  // tf.data: "a buffer of 1 does not shuffle"
  CHECK(numbers(serial(20) | pl::shuffle(1, 5)) == numbers(serial(20)));
  const auto p = serial(300) | pl::shuffle(100, 5);
  CHECK(numbers(p, 0) != numbers(p, 1));
  CHECK(numbers(p, 0) != numbers(serial(300) | pl::shuffle(100, 6), 0));
  CHECK_THROWS_AS(pl::shuffle(0, 1), std::invalid_argument);
}

TEST_CASE("shuffle(buffer, seed): a full buffer is a uniform shuffle") {
  // each of the 6 orders of 3 elements, over 6000 epochs: chi-squared with 5 degrees, 0.1% point 20.5
  std::map<std::string, int> seen;
  const auto p = serial(3) | pl::shuffle(3, 11);
  for (std::uint64_t epoch = 0; epoch != 6000; ++epoch) ++seen[joined(reference_texts(p, {7, epoch}))];
  double chi = 0;
  for (const auto& [order, n] : seen) chi += (n - 1000.0) * (n - 1000.0) / 1000.0;
  CHECK(seen.size() == 6);
  CHECK(chi < 20.5);
}

TEST_CASE("shuffle(buffer, seed): placements") {
  op_laws(serial(0) | pl::shuffle(4, 1));
  op_laws(pl::range(200) | pl::map(square) | pl::shuffle(16, 1) | pl::map(square));
  op_laws(pl::range(20) | pl::shuffle(4, 1) | pl::repeat(4) | pl::batch(6));
  op_laws(pl::range(20) | pl::repeat() | pl::shuffle(50, 1));
  op_laws(serial(60) | pl::map([](std::int64_t x) { return std::to_string(x); }) | pl::shuffle(7, 3) | pl::batch(4));
  op_laws(serial(60) | pl::shuffle(7, 3) | pl::take(20) | pl::repeat(3));
}
