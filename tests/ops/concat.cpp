#include <support/op_laws.hpp>
#include <support/streams.hpp>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return 10 * x + static_cast<std::int64_t>(r.below(1'000'000)); };
}  // namespace

TEST_CASE("concat: one stream after another") {
  CHECK(joined(shown(pl::concat(pl::range(1, 4), pl::range(4, 8)))) == "[1, 2, 3, 4, 5, 6, 7]");
  op_laws(pl::concat(pl::range(100), pl::range(50, 70)));
  op_laws(pl::concat(pl::range(100) | pl::map(square), serial(30), pl::range(3)));
  op_laws(pl::concat(serial(0), serial(30), pl::range(0), serial(1)));
  op_laws(pl::concat(pl::range(0), pl::range(0)));
  op_laws(pl::concat(waiting(9), serial(3) | pl::map(square), waiting(5)) | pl::map(square));
}

TEST_CASE("concat: an endless stream hides what follows") {
  op_laws(pl::concat(pl::range(3), pl::range(2) | pl::repeat(), pl::range(9)));
  op_laws(pl::concat(pl::range(3), serial_endless(), pl::range(9)) | pl::map(square));
}

TEST_CASE("concat: every branch keeps its own epochs and draws") {
  const auto p = pl::concat(pl::range(4) | pl::shuffle(1) | pl::repeat(3), pl::range(4) | pl::shuffle(1));
  op_laws(p);
  op_laws(p | pl::map(jitter) | pl::repeat(2));
  op_laws(pl::concat(pl::range(20) | pl::map(jitter), serial(20) | pl::map(jitter)) | pl::map(jitter));
  // the same elements in two branches are different elements
  const auto twice = pl::concat(pl::range(20), pl::range(20)) | pl::map(jitter);
  const auto all = reference(twice);
  for (std::size_t i = 0; i < 20; ++i) CHECK(all[i].value != all[i + 20].value);
  op_laws(twice | pl::shuffle(4));
  op_laws(pl::concat(pl::range(20) | pl::map(square), pl::range(5) | pl::shuffle(1) | pl::repeat(2)) | pl::shuffle(4) |
          pl::take(17) | pl::enumerate());
}

TEST_CASE("concat: differently repeated branches under a cache and a random map") {
  const auto p = pl::concat(serial(5) | pl::repeat(3), pl::range(7), pl::range(2) | pl::map(square) | pl::repeat(2)) |
                 pl::cache() | pl::map(jitter);
  op_laws(p);
  op_laws(p | pl::repeat(3));
}
