#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <set>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto odd = [](std::int64_t x) { return x % 2 == 1; };
const auto draw = [](std::int64_t, pl::rng& r) { return r(); };
int half(std::int64_t x) { return static_cast<int>(x / 2); }
// An element without a default constructor.
struct named {
  int number;
  std::string name;
  named(int n, std::string s) : number(n), name(std::move(s)) {}
  std::string text() const { return name + std::to_string(number); }
  int twice() const { return 2 * number; }
};
}  // namespace

TEST_CASE("map: f of every element, in order") {
  CHECK(joined(shown(pl::range(1, 6) | pl::map([](std::int64_t x) { return x + 1; }))) == "[2, 3, 4, 5, 6]");
  op_laws(pl::range(2000) | pl::map(square));
  op_laws(serial(2000) | pl::map(square) | pl::map(half) | pl::map(square));
  op_laws(pl::range(0) | pl::map(square));
  op_laws(serial(0) | pl::map(square));
  op_laws(waiting(60) | pl::map(square));
  op_laws(pl::generate([](std::uint64_t i) { return static_cast<std::int64_t>(i) % 17; }) | pl::map(square));
}

TEST_CASE("map: bool, no default constructor, member functions, functions that only move") {
  op_laws(pl::range(700) | pl::map(odd));
  op_laws(serial(300) | pl::map(odd) | pl::map([](bool b) { return !b; }) | pl::batch(7));
  op_laws(serial(50) | pl::map([](std::int64_t x) { return named(static_cast<int>(x), "no "); }) |
          pl::filter([](const named& n) { return n.number % 3 != 0; }) | pl::enumerate());
  op_laws(pl::range(50) | pl::map([](std::int64_t x) { return named(static_cast<int>(x), "no "); }) |
          pl::map(&named::twice));
  auto s =
      pl::run(pl::range(5) | pl::map([own = std::make_unique<int>(3)](std::int64_t x) { return x + *own; }), with(2));
  CHECK(joined(drained(s)) == "[3, 4, 5, 6, 7]");
}

TEST_CASE("map: random: draws are keyed by the element") {
  op_laws(pl::range(1000) | pl::map(draw));
  op_laws(serial(300) | pl::map([](std::int64_t x, pl::rng& r) { return x + static_cast<std::int64_t>(r.below(9)); }) |
          pl::map([](std::int64_t x, pl::rng& r) { return static_cast<double>(x) * r.normal(); }));
  op_laws(pl::range(100) | pl::shuffle(3) | pl::map(draw) | pl::repeat(3));
  op_laws(serial(40) | pl::filter(odd) | pl::shuffle(9, 2) | pl::map(draw));
  op_laws(serial(40) | pl::batch(7) | pl::map([](const pl::tensor<std::int64_t>& b, pl::rng& r) {
            return b.data()[0] + static_cast<std::int64_t>(r.below(1'000'000));
          }));
}

TEST_CASE("map: no two elements share a draw, whatever operators they passed") {
  const auto p = pl::concat(pl::range(50) | pl::flat_map([](std::int64_t x) {
                              return std::vector<std::int64_t>{x, x, x};
                            }) | pl::flat_map([](std::int64_t x) {
                              return std::vector<std::int64_t>{x, x};
                            }),
                            pl::range(50) | pl::interleave([](std::int64_t) { return pl::range(3); }), pl::range(50)) |
                 pl::repeat(3) | pl::map([](std::int64_t, pl::rng& r) { return r(); });
  std::set<std::uint64_t> seen;
  std::size_t n = 0;
  auto s = pl::run(p, with(3));
  for (int epoch = 0; epoch != 3; ++epoch) {
    s.restart();
    while (auto x = s.next()) {
      seen.insert(*x);
      ++n;
    }
  }
  CHECK(n == 3 * 3 * (300 + 150 + 50));
  CHECK(seen.size() == n);
}

TEST_CASE("map: another operator elsewhere in the chain changes no draw") {
  const auto plain = shown(pl::range(64) | pl::map(draw));
  CHECK(plain == shown(pl::range(64) | pl::map(square) | pl::prefetch(3) | pl::map(draw)));
  CHECK(plain == shown(serial(64) | pl::cache() | pl::filter([](std::int64_t) { return true; }) | pl::map(draw)));
  auto shuffled = shown(pl::range(64) | pl::shuffle(5) | pl::map(draw)), sorted = plain;
  std::sort(shuffled.begin(), shuffled.end());
  std::sort(sorted.begin(), sorted.end());
  CHECK(shuffled == sorted);
}

namespace {
/// Counts the objects that own a text; not declared self_contained.
struct counted {
  static inline std::atomic<int> alive{0};
  std::unique_ptr<std::string> text;
  explicit counted(std::string s) : text(std::make_unique<std::string>(std::move(s))) { ++alive; }
  counted(counted&& o) noexcept : text(std::move(o.text)) {}
  ~counted() { alive -= text != nullptr ? 1 : 0; }
};
struct known : counted {
  using counted::counted;
};
}  // namespace
template <> inline constexpr bool plumbline::self_contained<known> = true;

TEST_CASE("map: a self-contained input is destroyed before its result is used; any other input stays") {
  static_assert(pl::self_contained<pl::byte_tensor> && pl::self_contained<std::pair<pl::image, std::string>>);
  static_assert(!pl::self_contained<std::vector<std::string_view>> && !pl::self_contained<const char*>);
  const auto make = [](std::int64_t i) { return counted("number " + std::to_string(i)); };
  const auto make_known = [](std::int64_t i) { return known("number " + std::to_string(i)); };
  static_assert(!pl::self_contained<pl::tensor<std::string_view>> && !pl::self_contained<counted>);
  std::atomic<int> most{0};
  auto owned = pl::range(50) | pl::map(make_known) | pl::map([](const known& c) { return *c.text; }) |
               pl::map([&most](const std::string& s) {
                 most = std::max(most.load(), counted::alive.load());
                 return s.size();
               });
  for (const std::size_t threads : {0U, 1U}) {
    auto s = pl::run(owned, with(threads));
    while (s.next()) {
    }
    CHECK(most == 0);
  }
  auto seen = pl::range(50) | pl::map(make) | pl::map([](const counted& c) {
                return std::vector<std::string_view>{*c.text, std::string_view(*c.text).substr(7)};
              }) |
              pl::map([](const std::vector<std::string_view>& words) {
                return std::string(words[0]) + "/" + std::string(words[1]);
              });
  CHECK(joined(shown(seen | pl::take(2))) == "[\"number 0/0\", \"number 1/1\"]");
  auto held = pl::range(50) | pl::map(make) | pl::map([](const counted& c) { return *c.text; }) |
              pl::map([](const std::string&) { return counted::alive.load(); });
  auto s = pl::run(held, with(0));
  while (auto alive = s.next()) CHECK(*alive == 1);  // not declared self_contained, so it is still alive
  CHECK(counted::alive == 0);
}

TEST_CASE("filter: the elements for which the predicate holds, in order") {
  // tf.data: Dataset.from_tensor_slices([1, 2, 3]).filter(x < 3)
  CHECK(joined(shown(pl::elements({1, 2, 3}) | pl::filter([](int x) { return x < 3; }))) == "[1, 2]");
  op_laws(pl::range(900) | pl::filter(odd));
  op_laws(serial(900) | pl::filter(odd) | pl::map(square) | pl::filter([](std::int64_t x) { return x % 3 == 0; }));
  op_laws(pl::range(900) | pl::filter([](std::int64_t) { return false; }));
  op_laws(pl::range(900) | pl::filter([](std::int64_t x) { return x == 899; }) | pl::repeat(2));
  op_laws(serial_endless() | pl::filter([](std::int64_t x) { return x % 97 == 0; }));
  op_laws(pl::range(200) | pl::map(draw) | pl::filter([](std::uint64_t x) { return x % 5 == 0; }));
}

TEST_CASE("enumerate: every element with its position in this stream") {
  CHECK(joined(shown(pl::range(5, 8) | pl::enumerate())) == "[(0 5 ), (1 6 ), (2 7 )]");
  CHECK(joined(shown(pl::range(5, 7) | pl::enumerate(3))) == "[(3 5 ), (4 6 )]");
  op_laws(pl::range(900) | pl::enumerate());
  op_laws(serial(90) | pl::enumerate(7) | pl::repeat(2));
  op_laws(pl::range(900) | pl::shuffle(3) | pl::enumerate());
  op_laws(pl::range(90) | pl::enumerate() | pl::shuffle(3) | pl::enumerate() | pl::repeat(2) | pl::enumerate());
  op_laws(serial(900) | pl::filter(odd) | pl::enumerate() | pl::enumerate());
  op_laws(pl::range(30) | pl::filter(odd) | pl::repeat(3) | pl::enumerate() | pl::skip(4));
  op_laws(pl::range(30) | pl::skip(3) | pl::shard(4, 1) | pl::enumerate() | pl::batch(4));
}

TEST_CASE("flat_map: elements are values where iterators give proxies") {
  const auto p = pl::range(3) | pl::flat_map([](std::int64_t x) { return std::vector<bool>{true, x == 1}; });
  static_assert(std::same_as<decltype(p)::element, bool>);
  for (const std::size_t threads : {0U, 2U}) {
    std::vector<bool> seen;
    for (const bool x : pl::run(p, with(threads))) seen.push_back(x);
    CHECK(seen == std::vector<bool>{true, false, true, true, true, false});
  }
}

TEST_CASE("prefetch: does not change the elements") {
  op_laws(pl::range(500) | pl::prefetch(3) | pl::map(square));
  op_laws(serial(500) | pl::map(draw) | pl::prefetch(1) | pl::prefetch(1000) | pl::batch(7));
  op_laws(pl::range(20) | pl::filter(odd) | pl::prefetch(2) | pl::repeat(4) | pl::prefetch(5));
  op_laws(serial_endless() | pl::prefetch(4));
  CHECK_THROWS_AS(pl::prefetch(0), std::invalid_argument);
}
