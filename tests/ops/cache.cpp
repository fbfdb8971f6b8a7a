#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <atomic>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return 10 * x + static_cast<std::int64_t>(r.below(1'000'000)); };
}  // namespace

TEST_CASE("cache: changes nothing that can be seen") {
  op_laws(pl::range(300) | pl::cache());
  op_laws(serial(300) | pl::map(square) | pl::cache() | pl::map(jitter));
  op_laws(pl::range(0) | pl::cache() | pl::map(square));
  op_laws(serial(30) | pl::cache() | pl::shuffle(7, 3) | pl::batch(4));
  op_laws(waiting(30) | pl::cache() | pl::enumerate());
  op_laws(pl::range(9) | pl::interleave([](std::int64_t x) { return pl::range(x); }) | pl::cache() | pl::map(jitter));
  op_laws(pl::range(40) |
          pl::flat_map([](std::int64_t x) { return std::vector<std::int64_t>(static_cast<std::size_t>(x % 3), x); }) |
          pl::cache() | pl::map(jitter));
}

TEST_CASE("cache: under and over repeat") {
  op_laws(serial(7) | pl::cache() | pl::repeat(4) | pl::map(jitter));
  op_laws(serial(7) | pl::repeat(4) | pl::cache() | pl::map(jitter));
  op_laws(pl::range(5) | pl::repeat(2) | pl::cache() | pl::repeat(3) | pl::cache() | pl::repeat(2) | pl::map(jitter));
  op_laws(serial(7) | pl::cache() | pl::repeat() | pl::map(jitter));
  op_laws(pl::zip(serial(4) | pl::cache() | pl::repeat(2), serial(8) | pl::cache()) | pl::cache());
  op_laws(pl::zip(pl::range(4), serial(6) | pl::repeat(2)) | pl::skip(1) | pl::cache() |
          pl::map([](std::tuple<std::int64_t, std::int64_t> t, pl::rng& r) {
            return std::get<0>(t) + static_cast<std::int64_t>(r.below(1'000'000));
          }) |
          pl::repeat(2));
}

TEST_CASE("cache: an epoch that is left early is not kept") {
  op_laws(serial(20) | pl::cache() | pl::take(5) | pl::repeat(3));
  op_laws(serial(20) | pl::map(square) | pl::cache() | pl::take(20) | pl::repeat(3) | pl::map(jitter));
  op_laws(pl::zip(serial(20) | pl::cache(), pl::range(7)) | pl::repeat(3));
}

TEST_CASE("cache: the elements below are made once") {
  for (const std::size_t threads : {0U, 1U, 4U}) {
    std::atomic<int> made{0};
    auto s = pl::run(pl::range(100) | pl::map([&](std::int64_t x) {
                       ++made;
                       return x;
                     }) | pl::cache() |
                         pl::repeat(5),
                     with(threads));
    CHECK(drained(s).size() == 500);
    CHECK(made == 100);
    s.restart();
    CHECK(drained(s).size() == 500);
    CHECK(made == 100);
  }
}

TEST_CASE("cache: what the consumer does to an element does not reach the kept one") {
  auto s = pl::run(pl::elements<std::string>({"a", "b"}) | pl::cache(), with(0));
  for (int epoch = 0; epoch != 3; ++epoch) {
    std::string all;
    for (auto& x : s) all += std::exchange(x, "spoilt");
    CHECK(all == "ab");
  }
}
