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

TEST_CASE("repeat: endless repeat of nothing is an error in its place") {
  const auto outcome = [](const auto& p, std::size_t threads) {
    std::string out;
    try {
      for (const auto x : pl::run(p, {.threads = threads})) out += std::to_string(x) + " ";
    } catch (const pl::failure& f) {
      out += f.what();
    }
    return out;
  };
  const auto nothing =
      std::string("nothing to repeat: an epoch had no elements; check the files and filters before repeat()");
  for (const std::size_t threads : {0U, 1U, 2U}) {
    CHECK(outcome(pl::concat(pl::range(2), pl::range(0) | pl::repeat()), threads) ==
          "0 1 plumbline: repeat (operator 3 of 4) failed: " + nothing);
    CHECK(outcome(pl::concat(pl::range(2), serial(0) | pl::repeat()), threads) ==
          "0 1 plumbline: repeat (operator 3 of 4) failed: " + nothing);
    CHECK(outcome(pl::range(0) | pl::repeat(), threads) == "plumbline: repeat (operator 2 of 2) failed: " + nothing);
    CHECK(outcome(pl::range(0) | pl::repeat() | pl::skip(4) | pl::take(2), threads) ==
          "plumbline: repeat (operator 2 of 4) failed: " + nothing);
  }
}

TEST_CASE("concat: every branch keeps its own epochs and draws") {
  const auto p = pl::concat(pl::range(4) | pl::shuffle(1) | pl::repeat(3), pl::range(4) | pl::shuffle(1));
  op_laws(p);
  op_laws(p | pl::map(jitter) | pl::repeat(2));
  op_laws(pl::concat(pl::range(20) | pl::map(jitter), serial(20) | pl::map(jitter)) | pl::map(jitter));
  // equal elements in two branches draw differently
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
