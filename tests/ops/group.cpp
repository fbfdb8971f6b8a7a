// group and collate: batch in two steps.
#include <ops/samples.hpp>
#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <memory>
#include <thread>

using namespace plumbline_test;

namespace {
// Checks that group and collate give the same elements as batch, and that they satisfy the laws.
template <class P, class... Rest> void collates_as_batch(const P& p, std::uint64_t n, Rest... rest) {
  const auto apart = p | pl::group(n, rest...) | pl::map(pl::collate);
  const auto at_once = p | pl::batch(n, rest...);
  static_assert(std::same_as<typename decltype(apart)::element, typename decltype(at_once)::element>);
  CHECK(apart.facts() == at_once.facts());
  for (const std::uint64_t epoch : {0U, 1U}) {
    const auto want = reference_texts(at_once, {7, epoch, ~std::size_t{0}});
    for (std::size_t threads = 0; threads != 9; ++threads) {
      auto how = with(threads);
      how.first_epoch = epoch;
      auto s = pl::run(apart, how);
      must_equal(described(how, "apart"), drained(s), want, true);
    }
  }
  op_laws(apart);
}
}  // namespace

TEST_CASE("group: a pipeline may run in a destructor at the end of a thread") {
  static const auto run_one = [] {
    const auto p = pl::range(2000) | pl::group(500) | pl::map(pl::collate);
    std::size_t n = 0;
    for (const auto& batch : pl::run(p, {.threads = 0})) n += batch.size() == 500 ? 1U : 0U;
    return n;
  };
  struct at_exit {
    std::size_t* made;
    ~at_exit() { *made = run_one(); }
  };
  std::size_t made = 0;
  std::thread([&] {
    static thread_local at_exit last{&made};  // destroyed after what the run below keeps
    (void)last;
    CHECK(run_one() == 4);
  }).join();
  CHECK(made == 4);
}

TEST_CASE("group: consecutive elements, as they are") {
  CHECK(joined(shown(pl::range(8) | pl::group(3))) == joined({"{0 1 2 }", "{3 4 5 }", "{6 7 }"}));
  CHECK(joined(shown(pl::range(8) | pl::group<3>(pl::drop_remainder))) == joined({"{0 1 2 }", "{3 4 5 }"}));
  CHECK(joined(shown(pl::range(8) | pl::group(3, pl::remainder::drop))) == joined({"{0 1 2 }", "{3 4 5 }"}));
  CHECK_THROWS_AS(pl::group(0), std::invalid_argument);
  CHECK_THROWS_AS(pl::group(-1), std::invalid_argument);
  static_assert(decltype(pl::range<100>() | pl::group<32>())::type_facts ==
                pl::stream_facts{.count = pl::cardinality::exactly(4), .indexed = true});
  op_laws(serial(50) | pl::group<7>());
  op_laws(pl::range(50) | pl::filter(odd) | pl::group(7, pl::drop_remainder) | pl::repeat(2));
  op_laws(pl::range(30) | pl::map(to_text) | pl::group(std::uint64_t{1} << 60));
  op_laws(serial(0) | pl::group(4));
  op_laws(pl::range(60) | pl::map(to_text) | pl::prefetch(9) | pl::group<4>() | pl::cache() | pl::group(3));
}

TEST_CASE("group: elements that can only be moved") {
  const auto p = pl::range(10) | pl::map([](std::int64_t x) { return std::make_unique<std::int64_t>(x); }) |
                 pl::group<4>() | pl::map([](std::vector<std::unique_ptr<std::int64_t>> g) {
                   std::int64_t sum = 0;
                   for (const auto& x : g) sum += *x;
                   return sum;
                 });
  for (const std::size_t threads : {0U, 1U, 2U}) {
    auto s = pl::run(p, with(threads));
    CHECK(joined(drained(s)) == "[6, 22, 17]");
  }
}

namespace {
struct page {
  std::int64_t number;
  std::vector<std::unique_ptr<std::int64_t>> words;
};
struct book {
  std::string title{};
  std::pair<int, std::vector<page>> pages{};
};
struct tree {
  std::int64_t value = 0;
  std::vector<tree> branches{};
};
template <class T> struct wood { std::vector<T> logs{}; };
struct cut_tree {
  std::unique_ptr<std::int64_t> value;
  std::vector<cut_tree> branches{};
};
}  // namespace

// A vector of what cannot be copied claims to be copyable, and so does a struct with such a member.
TEST_CASE("group: structs that hold what can only be moved, and trees") {
  using pl::detail::copies;
  STATIC_REQUIRE_FALSE(copies<page>);
  STATIC_REQUIRE_FALSE(copies<book>);
  STATIC_REQUIRE_FALSE(copies<pl::item<book>>);
  STATIC_REQUIRE_FALSE(copies<std::optional<std::tuple<int, wood<page>>>>);
  STATIC_REQUIRE_FALSE(copies<cut_tree>);
  STATIC_REQUIRE(copies<tree>);
  STATIC_REQUIRE(copies<wood<std::tuple<std::string, tree>>>);
  const auto p = serial(10) | pl::map([](std::int64_t x) {
                   book b;
                   b.pages.second.push_back({x, {}});
                   b.pages.second.back().words.push_back(std::make_unique<std::int64_t>(x));
                   return b;
                 }) |
                 pl::group<4>() | pl::map([](std::vector<book> g) {
                   std::int64_t sum = 0;
                   for (const auto& b : g) sum += *b.pages.second.front().words.front();
                   return sum;
                 });
  for (const std::size_t threads : {0U, 1U, 2U}) {
    auto how = with(threads);
    how.saves = true;
    auto s = pl::run(p, how);
    CHECK(joined(drained(s)) == "[6, 22, 17]");
  }
  CHECK_FALSE(pl::layout(serial(10) | pl::map([](std::int64_t) { return book(); })).back().copyable);
}

TEST_CASE("group, then collate, is batch") {
  collates_as_batch(pl::range(100), 7);
  collates_as_batch(serial(100) | pl::map([](std::int64_t x) { return x % 3 == 0; }), 8, pl::drop_remainder);
  collates_as_batch(pl::range(64) | pl::map(to_text), 6, pl::remainder::drop);
  collates_as_batch(pl::range(50) | pl::shuffle(3) | pl::map(to_sample), 4);
  collates_as_batch(serial(40) | pl::filter(odd) | pl::map(to_tuple), 3, pl::drop_remainder);
  collates_as_batch(pl::range(40) | pl::map(draw_text) | pl::repeat(2), 9);
  collates_as_batch(pl::range(24) | pl::batch(2), 5);
}

TEST_CASE("collate: a map between group and collate, an empty group") {
  const auto padded = [](std::vector<std::vector<std::int32_t>> g) {
    std::size_t most = 0;
    for (const auto& x : g) most = std::max(most, x.size());
    std::vector<pl::tensor<std::int32_t>> out;
    for (const auto& x : g) {
      out.emplace_back(pl::shape{most}, 0);
      std::copy(x.begin(), x.end(), out.back().span().begin());
    }
    return out;
  };
  const auto tokens = [](std::int64_t n) { return std::vector<std::int32_t>(static_cast<std::size_t>(n), 1); };
  CHECK(joined(shown(pl::range(4) | pl::map(tokens) | pl::group<2>() | pl::map(padded) | pl::map(pl::collate))) ==
        "[[2, 1] 0 1, [2, 3] 1 1 0 1 1 1]");
  CHECK_THROWS_WITH(pl::collate(std::vector<float>()), "plumbline: collate: the group is empty; filter it out before");
  CHECK(pl::collate(std::vector<float>{1, 2}).shape() == pl::shape{2});
}
