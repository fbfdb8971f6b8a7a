// Operators piped together without a source are equivalent to the chain written out: the same type, facts and elements.
#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <plumbline/plumbline.hpp>

#include <memory>
#include <ranges>

using namespace plumbline_test;

namespace {
constexpr auto odd = [](std::int64_t x) { return x % 2 != 0; };
constexpr auto tripled = [](std::int64_t x) { return 3 * x; };
constexpr auto jitter = [](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(100)); };

constexpr auto some = pl::skip(1) | pl::map(tripled);
constexpr auto pairs = pl::filter(odd) | pl::batch<2>();
constexpr auto train = pl::range<50>() | pl::shuffle(7);

using written_out =
    decltype(pl::range<50>() | pl::shuffle(7) | pl::skip(1) | pl::map(tripled) | pl::filter(odd) | pl::batch<2>());
static_assert(std::same_as<decltype(train | some | pairs), written_out>);
static_assert(std::same_as<decltype(train | (some | pairs)), written_out>);
static_assert(std::same_as<decltype(train | (pl::skip(1) | pl::map(tripled) | pairs)), written_out>);
static_assert(std::same_as<decltype((pl::shuffle(7) | some) | pairs), decltype(pl::shuffle(7) | (some | pairs))>);
static_assert((train | some | pairs).facts() ==
              (train | pl::skip(1) | pl::map(tripled) | pl::filter(odd) | pl::batch<2>()).facts());
static_assert(!std::ranges::range<decltype(pairs)>);
static_assert(sizeof(pl::batch<2>() | pl::repeat<3>()) <= sizeof(int), "sizes in types take no room");
}  // namespace

TEST_CASE("composition: gives the same result as its operators one after another") {
  CHECK(joined(shown(pl::range<9>() | some | pairs)) == "[[2] 3 9, [2] 15 21]");
  CHECK(joined(shown(pl::range<9>() | (some | pairs))) == joined(shown(pl::range<9>() | some | pairs)));
  op_laws(train | (some | pairs));
  op_laws(serial(40) | (some | pl::map(jitter) | pairs | pl::repeat(2)));
  op_laws(train | (pl::cache() | pl::prefetch(3)) | (pl::enumerate() | pl::batch(3)));
}

TEST_CASE("composition: made once and used for several streams, with its sizes") {
  const std::uint64_t n = 3;
  const auto first = pl::take(n) | pl::batch(2);
  CHECK(joined(shown(pl::range(9) | first)) == "[[2] 0 1, [1] 2]");
  CHECK(joined(shown(pl::elements(std::vector<std::string>{"a", "b", "c", "d"}) | first)) == R"([{"a" "b" }, {"c" }])");
  CHECK((pl::range(9) | first).facts().count == pl::cardinality::exactly(2));
  CHECK(joined(shown(pl::concat(pl::range(9) | first, pl::range(5) | pl::skip(1) | first))) ==
        "[[2] 0 1, [1] 2, [2] 1 2, [1] 3]");
}

TEST_CASE("composition: random operators draw the same as in the chain written out") {
  const auto noisy = pl::map(jitter) | pl::map(tripled) | pl::map(jitter);
  CHECK(joined(shown(pl::range(20) | pl::map(jitter) | noisy)) ==
        joined(shown(pl::range(20) | pl::map(jitter) | pl::map(jitter) | pl::map(tripled) | pl::map(jitter))));
}

TEST_CASE("composition: within interleave, flat_map and itself") {
  op_laws(pl::range(6) | pl::interleave([](std::int64_t n) { return pl::range(n) | some; }, {.cycle_length = 2}) |
          pairs);
  const auto each = pl::map(tripled) | pl::flat_map([](std::int64_t n) { return pl::range(n) | (some | pl::take(2)); });
  op_laws(pl::range(5) | (each | pairs));
  CHECK(joined(shown(pl::range(5) | each | pairs)) ==
        joined(shown(pl::range(5) | pl::map(tripled) | pl::flat_map([](std::int64_t n) {
                       return pl::range(n) | pl::skip(1) | pl::map(tripled) | pl::take(2);
                     }) |
                     pl::filter(odd) | pl::batch<2>())));
}

TEST_CASE("composition: functions that cannot be copied are moved") {
  auto added = [x = std::make_unique<std::int64_t>(5)](std::int64_t y) { return *x + y; };
  auto ops = pl::map(std::move(added)) | some;
  auto more = std::move(ops) | pl::take(2);
  auto p = pl::range(9) | std::move(more);
  auto s = pl::run(std::move(p), with(2));
  CHECK(joined(drained(s)) == "[18, 21]");
}

TEST_CASE("composition: a failure within it names the operator's number in the pipeline") {
  const auto checked = pl::take(5) | pl::map([](std::int64_t x) {
                         if (x == 3) throw std::runtime_error("three");
                         return x;
                       });
  for (const std::size_t threads : {0U, 2U})
    CHECK_THROWS_WITH((drained(*std::make_unique<pl::stream<std::int64_t>>(
                          pl::run(pl::range(9) | pl::skip(1) | checked | pl::prefetch(2), with(threads))))),
                      "plumbline: map (operator 4 of 5) failed at element 3 of range, epoch 0: three");
}
