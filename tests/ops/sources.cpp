#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <range/v3/view/filter.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/istream.hpp>

#include <deque>
#include <limits>
#include <list>
#include <ranges>
#include <set>
#include <span>
#include <sstream>

using namespace plumbline_test;

TEST_CASE("range: the integers") {
  CHECK(joined(shown(pl::range(3))) == "[0, 1, 2]");
  CHECK(joined(shown(pl::range(-2, 2))) == "[-2, -1, 0, 1]");
  CHECK(joined(shown(pl::range<4>())) == "[0, 1, 2, 3]");
  // as in tf.data and Python
  CHECK(joined(shown(pl::range(5, 1))) == "[]");
  CHECK(joined(shown(pl::range(-3))) == "[]");
  CHECK(joined(shown(pl::range(0, 7, 3))) == "[0, 3, 6]");
  CHECK(joined(shown(pl::range(0, 6, 3))) == "[0, 3]");
  CHECK(joined(shown(pl::range(7, 0, -3))) == "[7, 4, 1]");
  CHECK(joined(shown(pl::range(6, 0, -3))) == "[6, 3]");
  CHECK(joined(shown(pl::range(0, 6, -1))) == "[]");
  CHECK(joined(shown(pl::range(6, 0, 1))) == "[]");
  CHECK_THROWS_AS(pl::range(0, 1, 0), std::invalid_argument);
  constexpr auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  CHECK(joined(shown(pl::range(low, high, high))) == joined({std::to_string(low), "-1", std::to_string(high - 1)}));
  CHECK(joined(shown(pl::range(high, low, low))) == joined({std::to_string(high), "-1"}));
  CHECK_THROWS_AS(pl::range(low, high), std::invalid_argument);
  CHECK(pl::range(low, high, 2).facts().count == pl::cardinality::exactly(std::uint64_t{1} << 63));
  op_laws(pl::range(900, -7, -5));
  op_laws(pl::range(0, 1000, 7) | pl::shuffle(3));
  op_laws(pl::range<300>());
  op_laws(pl::range(-7, 9000));
  op_laws(pl::range(5, 5));
}

TEST_CASE("elements: of a vector, an array, a list") {
  CHECK(joined(shown(pl::elements({1.5, 2.5}))) == "[1.5, 2.5]");
  op_laws(pl::elements(std::vector<std::string>{"a", "b", "c"}));
  op_laws(pl::elements(std::array<int, 3>{3, 2, 1}));
  op_laws(pl::elements(std::vector<bool>{true, false, true, true}) | pl::repeat(3));
  op_laws(pl::elements(std::vector<int>{}));
}

TEST_CASE("elements: of other containers, arrays and views") {
  const int four[] = {4, 3, 2, 1};
  static_assert(pl::facts_of<decltype(pl::elements(four))>.count == pl::cardinality::exactly(4));
  CHECK(joined(shown(pl::elements(four))) == "[4, 3, 2, 1]");
  CHECK(joined(shown(pl::elements(std::span(four).first(2)))) == "[4, 3]");
  CHECK(joined(shown(pl::elements(std::set<int>(std::begin(four), std::end(four))))) == "[1, 2, 3, 4]");
  CHECK(joined(shown(pl::elements(std::deque<bool>{true, false}))) ==
        joined(shown(pl::elements(std::vector{true, false}))));
  std::list<std::string> words{"a", "b"};
  const auto p = pl::elements(words);
  words.clear();
  CHECK(p.facts().count == pl::cardinality::exactly(2));
  op_laws(p | pl::shuffle(1));
}

TEST_CASE("generate: by index, and one after another") {
  op_laws(pl::generate(300, [](std::uint64_t i) { return i * i; }) | pl::shuffle(1));
  op_laws(pl::generate([](std::uint64_t i) { return i * i; }));
  op_laws(pl::generate(0, [](std::uint64_t i) { return i * i; }));
  op_laws(serial(300));
  op_laws(serial(0));
  op_laws(serial_endless());
}

TEST_CASE("from_range: ranges that can be iterated again") {
  op_laws(pl::from_range(std::vector<int>{3, 1, 2}));
  op_laws(pl::from_range(std::list<std::string>{"x", "y"}) | pl::repeat(3));
  op_laws(pl::from_range(std::views::iota(3, 300)));
  op_laws(pl::from_range(ranges::views::iota(0, 100)) | pl::map([](int x) { return x + 1; }));
  op_laws(pl::from_range(std::vector<int>{}));
  const auto p = pl::from_range(std::vector<int>{3, 1, 2});
  CHECK(p.facts().count == pl::cardinality::exactly(3));
}

TEST_CASE("from_range: one-pass ranges") {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    const auto text = std::make_shared<std::istringstream>("5 6 7 8 9");
    const auto p = pl::from_range(ranges::istream_view<int>(*text)) | pl::map([](int x) { return 2 * x; });
    CHECK(p.facts().one_pass);
    auto s = pl::run(p, with(threads));
    CHECK(joined(drained(s)) == "[10, 12, 14, 16, 18]");
    const auto again = [&] {
      s.restart();
      return s.next();
    };
    CHECK_THROWS_AS(again(), pl::failure);
  }
}

TEST_CASE("sources that block do not use the compute threads") {
  op_laws(waiting(200));
  op_laws(waiting(0));
  op_laws(waiting(200) | pl::batch(7) | pl::repeat(2));
  op_laws(pl::zip(waiting(20), waiting(20)) | pl::shuffle(4, 1));
}

namespace {
// Each part's operators, and whether it is serial.
template <class P> auto parts_of_run() {
  std::vector<std::pair<std::vector<std::uint32_t>, bool>> out;
  for (std::uint32_t n = 1; n <= pl::partition_of<P>.count; ++n) {
    const auto p = pl::partition_of<P>.described(n);
    out.emplace_back(p.operators, p.serial);
  }
  return out;
}
}  // namespace

TEST_CASE("indexed sources that compute run in parallel, also directly before a serial operator") {
  const auto f = [](std::uint64_t i) { return static_cast<std::int64_t>(i * i); };
  const auto square = [](std::int64_t x) { return x * x; };
  using parts = std::vector<std::pair<std::vector<std::uint32_t>, bool>>;
  const auto serial = pl::group(3);
  CHECK(parts_of_run<decltype(pl::range(10) | serial)>() == parts{{{1, 2}, true}});
  CHECK(parts_of_run<decltype(pl::generate(10, f) | serial)>() == parts{{{1}, false}, {{2}, true}});
  CHECK(parts_of_run<decltype(pl::generate(10, f) | pl::shuffle(1) | serial)>() == parts{{{1}, false}, {{3}, true}});
  CHECK(parts_of_run<decltype(pl::zip(pl::range(10), pl::range(10)) | serial)>() == parts{{{1, 2, 3, 4}, true}});
  CHECK(parts_of_run<decltype(pl::zip(pl::generate(10, f), pl::range(10)) | serial)>() ==
        parts{{{1, 2, 3}, false}, {{4}, true}});
  CHECK(parts_of_run<decltype(pl::zip(pl::range(10) | pl::map(square), pl::range(10)) | serial)>() ==
        parts{{{1, 2, 3, 4}, false}, {{5}, true}});
  op_laws(pl::generate(40, f) | serial);
  op_laws(pl::generate(40, f) | pl::shuffle(1) | pl::take(30) | pl::batch(7));
  op_laws(pl::zip(pl::generate(40, f), pl::range(40) | pl::map(square)) | serial);
  op_laws(pl::generate(40, f) | pl::take_while([](std::int64_t x) { return x < 500; }));
}
