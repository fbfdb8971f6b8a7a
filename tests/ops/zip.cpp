#include <plumbline/data/on_first.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(1'000'000)); };
}  // namespace

TEST_CASE("zip: tuples of the elements at the same position") {
  // tf.data: zip of [1, 2, 3] and [4, 5, 6]
  CHECK(joined(shown(pl::zip(pl::range(1, 4), pl::range(4, 7)))) == "[(1 4 ), (2 5 ), (3 6 )]");
  op_laws(pl::zip(pl::range(300), pl::range(300, 600) | pl::map(square)));
  op_laws(pl::zip(pl::range(300) | pl::shuffle(1), serial(300)));
  op_laws(pl::zip(serial(50), serial(50) | pl::map(square), pl::range(50)) | pl::batch(7));
}

TEST_CASE("zip: ends with the shortest") {
  CHECK(joined(shown(pl::zip(pl::range(2), serial(5)))) == "[(0 0 ), (1 1 )]");
  op_laws(pl::zip(pl::range(20), serial(50)));
  op_laws(pl::zip(serial(50), pl::range(20)));
  op_laws(pl::zip(pl::range(20), pl::range(50)));
  op_laws(pl::zip(pl::range(20), pl::range(0)));
  op_laws(pl::zip(serial(0), pl::range(20) | pl::map(square)));
  op_laws(pl::zip(serial_endless(), pl::range(100) | pl::map(square)));
  op_laws(pl::zip(serial_endless() | pl::map(square), serial_endless()));
  op_laws(pl::zip(pl::range(4) | pl::repeat(), pl::range(7) | pl::repeat()));
}

TEST_CASE("zip of repeats: every side counts its own epochs") {
  const auto p = pl::zip(pl::range(3) | pl::shuffle(1) | pl::repeat(4), serial(6) | pl::repeat(2));
  op_laws(p);
  op_laws(p | pl::repeat(2) | pl::map([](std::tuple<std::int64_t, std::int64_t> t, pl::rng& r) {
            return std::get<0>(t) * 100 + std::get<1>(t) + static_cast<std::int64_t>(r.below(10'000));
          }));
  op_laws(pl::zip(pl::range(5) | pl::map(jitter), pl::range(5) | pl::map(jitter)) | pl::repeat(3));
}

TEST_CASE("zip: the elements of one tuple draw independently") {
  const auto p = pl::zip(pl::range(20) | pl::map(jitter), pl::range(20) | pl::map(jitter));
  for (const auto& x : reference(p)) CHECK(std::get<0>(x.value) != std::get<1>(x.value));
}

TEST_CASE("zip: on_first applies a function to the data and leaves the labels") {
  const auto plus = pl::on_first([](std::int64_t x) { return x + 10; });
  const auto noise = pl::on_first([](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(9)); });
  const auto labelled = pl::zip(pl::range(3), pl::range(5, 8), pl::range(7, 10));
  CHECK(joined(shown(labelled | pl::map(plus))) == "[(10 5 7 ), (11 6 8 ), (12 7 9 )]");
  op_laws(labelled | pl::map(plus) | pl::map(noise) | pl::batch(2));
  op_laws(pl::range(9) | pl::enumerate() | pl::map(pl::on_first([](std::uint64_t i) { return 2 * i; })));
}

TEST_CASE("zip: operators downstream may renumber an indexed zip") {
  op_laws(pl::zip(pl::range(40) | pl::map(square), pl::range(40) | pl::enumerate()) | pl::shuffle(5) | pl::skip(3));
  op_laws(pl::zip(pl::zip(pl::range(9), pl::range(9)), pl::range(9)) | pl::shuffle(2) | pl::take(5) | pl::repeat(3));
  op_laws(pl::zip(serial(40) | pl::interleave([](std::int64_t x) { return pl::range(x % 4); }), serial(40)));
  op_laws(pl::zip(waiting(40) | pl::map(square), waiting(45), serial(50) | pl::map(square)));
}
