// unbatch and rebatch.
#include <plumbline/ops/batch.hpp>

#include <ops/reference/rebatch.hpp>
#include <ops/reference/unbatch.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>

using namespace plumbline_test;
using Catch::Matchers::Contains;

namespace {
struct sample {
  std::int64_t number;
  std::string name;
};
const auto named = [](std::int64_t x) { return sample{x, std::to_string(x)}; };
const auto pair_of = [](std::int64_t x) { return std::pair(static_cast<float>(x), std::to_string(x)); };
struct pointed_at {
  std::array<float, 2> at;
};
const auto pointed = [](std::int64_t x) { return pointed_at{{static_cast<float>(x), 0.5F}}; };
const auto grid = [](std::int64_t x) { return pl::tensor<int>({2, 3}, static_cast<int>(x)); };
}  // namespace

TEST_CASE("unbatch: is the inverse of batch") {
  const auto same = [](const auto& p, const auto& back) { CHECK(shown(p) == shown(back)); };
  const auto n = pl::range(20);
  same(n, n | pl::batch(3) | pl::unbatch<std::int64_t>());
  same(n | pl::map(named), n | pl::map(named) | pl::batch(3) | pl::unbatch<sample>());
  same(n | pl::map(pair_of), n | pl::map(pair_of) | pl::batch(3) | pl::unbatch<std::pair<float, std::string>>());
  same(n | pl::map(grid), n | pl::map(grid) | pl::batch(3) | pl::unbatch<pl::tensor<int>>());
  same(n | pl::map(grid) | pl::batch(4), n | pl::map(grid) | pl::batch(3) | pl::unbatch() | pl::batch(4));
  same(n | pl::batch(4), n | pl::batch(3) | pl::unbatch() | pl::batch(4));
  same(n | pl::map(pair_of) | pl::batch(4), n | pl::map(pair_of) | pl::batch(3) | pl::unbatch() | pl::batch(4));
  same(n, n | pl::group(6) | pl::unbatch());
  const auto twice = [](std::int64_t x) {
    pl::fixed_tensor<std::int64_t, 2> t;
    t.data()[0] = t.data()[1] = x;
    return t;
  };
  same(n | pl::map(twice), n | pl::map(twice) | pl::batch(6) | pl::unbatch<pl::fixed_tensor<std::int64_t, 2>>());
  same(n | pl::map(pointed), n | pl::map(pointed) | pl::batch(6) | pl::unbatch<pointed_at>());
}

TEST_CASE("unbatch and rebatch: rows that can only be moved") {
  const auto owned = [](std::int64_t x) { return std::make_unique<std::int64_t>(x); };
  const auto value = [](std::unique_ptr<std::int64_t> x) { return *x; };
  const auto sum = [](std::vector<std::unique_ptr<std::int64_t>> all) {
    std::int64_t of = 0;
    for (const auto& x : all) of = of * 100 + *x;
    return of;
  };
  const auto p = pl::range(10) | pl::map(owned) | pl::group(4);
  CHECK(shown(p | pl::unbatch() | pl::map(value)) == shown(pl::range(10)));
  for (const std::size_t threads : {0U, 2U}) {
    auto s = pl::run(p | pl::rebatch(3) | pl::map(sum), with(threads));
    std::vector<std::int64_t> all;
    for (const auto x : s) all.push_back(x);
    CHECK(all == std::vector<std::int64_t>{102, 30405, 60708, 9});
  }
}

TEST_CASE("unbatch: rows share their batch") {
  auto s = pl::run(pl::range(4) | pl::map(grid) | pl::batch(2) | pl::unbatch(), with(0));
  const auto a = *s.next(), b = *s.next();
  CHECK(b.data() == a.data() + 6);
  CHECK(text(a.copied()) == "[2, 3] 0 0 0 0 0 0");
  CHECK(a.view()(1, 2) == 0);
  CHECK(b.view()(1, 2) == 1);
  CHECK(!(a == b));
}

TEST_CASE("unbatch and rebatch: laws and errors") {
  op_laws(pl::range(100) | pl::map(grid) | pl::batch(7) | pl::unbatch() | pl::shuffle(30, 1) | pl::batch(9));
  op_laws(pl::range(100) | pl::map(pair_of) | pl::batch(7) | pl::unbatch<std::pair<float, std::string>>());
  op_laws(serial(50) | pl::group(4) | pl::unbatch() | pl::batch(3));
  for (const std::uint64_t n : {1U, 3U, 7U, 64U}) {
    op_laws(pl::range(50) | pl::batch(5) | pl::rebatch(n));
    op_laws(serial(50) | pl::map(pair_of) | pl::batch(5) | pl::rebatch(n, pl::remainder::drop));
    op_laws(pl::range(40) | pl::map(named) | pl::batch(7) | pl::rebatch(n) | pl::repeat(2));
  }
  CHECK_THROWS_WITH(shown(pl::range(4) | pl::map(grid) | pl::batch(2) | pl::unbatch<int>()),
                    Contains("are no numbers"));
  const auto uneven = pl::range(4) |
                      pl::map([](std::int64_t x) { return pl::tensor<int>({static_cast<std::size_t>(x + 1)}); }) |
                      pl::map([](pl::tensor<int> t) { return std::tuple(t, pl::tensor<int>({2})); });
  CHECK_THROWS_WITH(shown(uneven | pl::unbatch()), Contains("the components of a batch have 1 and 2 rows"));
  const auto wide = pl::range(1, 4) | pl::map([](std::int64_t x) {
                      return pl::tensor<int>({1, static_cast<std::size_t>(x)});
                    });
  CHECK_THROWS_WITH(shown(wide | pl::rebatch(2)), Contains("rebatch joins rows of shape [1] and [2]"));
  CHECK_THROWS_WITH(pl::rebatch(0), Contains("rebatch(0) would hold nothing"));
}
