// How each operator changes the facts of its stream: those of the type, and those of the object if it holds the sizes.
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>

#include <ranges>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

namespace pl = plumbline;
using pl::cardinality;
using pl::facts_of;
using pl::ordering;
using pl::randomness;

// The facts that the type of a pipeline knows; p.facts() are those that the object knows.
template <class P> constexpr pl::stream_facts known(const P&) { return facts_of<P>; }

constexpr auto plus_one = [](std::int64_t x) { return x + 1; };
constexpr auto halved = [](std::int64_t x) { return static_cast<float>(x) / 2; };
constexpr auto odd = [](std::int64_t x) { return x % 2 != 0; };
constexpr auto jitter = [](std::int64_t x, pl::rng& draw) { return x + static_cast<std::int64_t>(draw.below(3)); };
constexpr auto by_number = [](std::uint64_t i) { return static_cast<std::int64_t>(i); };
constexpr cardinality any = cardinality::unknown(), ten = cardinality::exactly(10), forever = cardinality::forever();
using one_pass = decltype(pl::from_range(std::ranges::istream_view<int>(std::declval<std::istringstream&>())));

// ---- map: one for one; a random f changes nothing except that the elements are random
static_assert(known(pl::range<10>() | pl::map(plus_one)) == known(pl::range<10>()));
static_assert(known(pl::range<10>() | pl::map(jitter)) ==
              pl::stream_facts{.count = ten, .draws = randomness::seeded, .indexed = true});
static_assert(known(pl::range<10>() | pl::map(jitter) | pl::map(plus_one)).draws == randomness::seeded);
static_assert(std::same_as<decltype(pl::range(3) | pl::map(halved))::element, float>);

// ---- filter: any number of them, up to all
static_assert(known(pl::range<10>() | pl::filter(odd)) == pl::stream_facts{.count = cardinality::at_most(10)});
static_assert(known(pl::generate(by_number) | pl::filter(odd)).count == forever);
static_assert((pl::range(10) | pl::filter(odd)).facts().count == cardinality::at_most(10));
struct sample {
  int value;
  bool valid;
};
static_assert(
    std::same_as<decltype(pl::elements(std::vector<sample>()) | pl::filter(&sample::valid))::element, sample>);

// ---- enumerate
static_assert(known(pl::range<10>() | pl::enumerate()) == pl::stream_facts{.count = ten, .indexed = true});
static_assert(
    std::same_as<decltype(pl::range(3) | pl::map(halved) | pl::enumerate())::element, std::pair<std::uint64_t, float>>);

// ---- take, skip, shard: the object holds their sizes
static_assert(known(pl::range<10>() | pl::take(3)) ==
              pl::stream_facts{.count = cardinality::at_most(10), .indexed = true, .keyed = true});
static_assert((pl::range<10>() | pl::take(3)).facts().count == cardinality::exactly(3));
static_assert((pl::range<10>() | pl::take(30)).facts().count == ten);
static_assert((pl::range<10>() | pl::take(0)).facts().count == cardinality::exactly(0));
static_assert(known(pl::generate(by_number) | pl::take(3)).count == any);
static_assert((pl::generate(by_number) | pl::take(3)).facts().count == cardinality::exactly(3));
static_assert(known(pl::range<10>() | pl::skip(3)) ==
              pl::stream_facts{.count = cardinality::at_most(10), .indexed = true, .keyed = true});
static_assert((pl::range<10>() | pl::skip(3)).facts().count == cardinality::exactly(7));
static_assert((pl::range<10>() | pl::skip(30)).facts().count == cardinality::exactly(0));
static_assert((pl::generate(by_number) | pl::skip(3)).facts().count == forever);
static_assert((pl::range<10>() | pl::filter(odd) | pl::skip(3)).facts().count == cardinality::at_most(7));
static_assert(known(pl::range<10>() | pl::shard(4, 1)) ==
              pl::stream_facts{.count = cardinality::at_most(10), .indexed = true, .keyed = true});
static_assert((pl::range<10>() | pl::shard(4, 1)).facts().count == cardinality::exactly(3));  // 1, 5, 9
static_assert((pl::range<10>() | pl::shard(4, 2)).facts().count == cardinality::exactly(2));  // 2, 6
static_assert((pl::generate(by_number) | pl::shard(4, 2)).facts().count == forever);

// ---- batch: the remainder is part of the type unless it is chosen at run time
static_assert(known(pl::range<100>() | pl::batch<32>()) ==
              pl::stream_facts{.count = cardinality::exactly(4), .indexed = true});
static_assert(known(pl::range<100>() | pl::group<32>()) == known(pl::range<100>() | pl::batch<32>()));
static_assert(!known(pl::range<100>() | pl::filter(odd) | pl::batch<32>()).indexed);
static_assert(known(pl::range<100>() | pl::map(halved) | pl::batch<32>() | pl::shuffle(1)) ==
              pl::stream_facts{.count = cardinality::exactly(4), .order = ordering::permuted, .indexed = true});
static_assert(!known(pl::range<100>() | pl::batch<32>() | pl::cache()).indexed, "kept in its order");
static_assert(known(pl::range<100>() | pl::batch<32>(pl::drop_remainder)).count == cardinality::exactly(3));
static_assert(known(pl::range<100>() | pl::batch<32>(pl::remainder::drop)).count == cardinality{3, 4});
static_assert((pl::range<100>() | pl::batch<32>(pl::remainder::drop)).facts().count == cardinality::exactly(3));
static_assert((pl::range<100>() | pl::batch<32>(pl::remainder::keep)).facts().count == cardinality::exactly(4));
static_assert(known(pl::range<96>() | pl::batch<32>(pl::remainder::drop)).count == cardinality::exactly(3));
static_assert(known(pl::range<100>() | pl::batch(32)).count == cardinality{1, 100});
static_assert(known(pl::range<100>() | pl::batch(32, pl::drop_remainder)).count == cardinality{0, 100});
static_assert((pl::range<100>() | pl::batch(32, pl::drop_remainder)).facts().count == cardinality::exactly(3));
static_assert((pl::range(100) | pl::batch<32>()).facts().count == cardinality::exactly(4));
static_assert(known(pl::range<100>() | pl::filter(odd) | pl::batch<32>()).count == cardinality::at_most(4));
static_assert(known(pl::generate(by_number) | pl::batch<32>()).count == forever);
static_assert(known(pl::range<100>() | pl::shuffle(1) | pl::batch<32>()).order == ordering::permuted);
static_assert(std::same_as<decltype(pl::range(3) | pl::batch<2>())::element, pl::tensor<std::int64_t>>);
static_assert(std::same_as<decltype(pl::range(3) | pl::enumerate() | pl::batch<2>())::element,
                           std::tuple<pl::tensor<std::uint64_t>, pl::tensor<std::int64_t>>>);
static_assert(
    std::same_as<decltype(pl::elements(std::vector<sample>()) | pl::batch<2>())::element, pl::columns<sample>>);
static_assert(
    std::same_as<decltype(pl::range(3) | pl::batch<2>())::element, decltype(pl::range(3) | pl::batch(2))::element>);
static_assert(sizeof(pl::batch<32>()) <= sizeof(int), "sizes and remainder in the type take no room in the object");

// ---- a user-defined operator with two sizes: one rule, for the type and for the object
template <class Size> struct windows_op : pl::op_base {
  static constexpr std::string_view name = "windows";
  Size n, shift;
  static constexpr auto sizes = std::tuple(&windows_op::n, &windows_op::shift);
  constexpr windows_op(Size wide, Size by) : n(wide), shift(by) {}
  template <class In> using output = In;
  static constexpr pl::stream_facts rule(pl::stream_facts in, cardinality wide, cardinality by) {
    in.count = grouped(without_first(in.count, wide), by);
    return in;
  }
  template <class In> struct kernel {
    kernel(const windows_op&, const pl::stream_context&) {}
    void push(In&&, const pl::lineage&, auto&&) {}
  };
};
using dynamic_size = pl::size<pl::dynamic>;
static_assert(known(pl::range<100>() | windows_op<pl::size<10>>({}, {})).count == cardinality::exactly(9));
static_assert(known(pl::range<100>() | windows_op<dynamic_size>({9}, {4})).count == cardinality::at_most(100));
static_assert((pl::range<100>() | windows_op<dynamic_size>({9}, {4})).facts().count == cardinality::exactly(23));
static_assert((pl::range<100>() | (pl::take(20) | windows_op<dynamic_size>({9}, {4}))).facts().count ==
              cardinality::exactly(3));
static_assert(known(pl::generate(by_number) | windows_op<dynamic_size>({9}, {4})).count == forever);

// ---- shuffle: a new order in every epoch; the elements stay the same
static_assert(known(pl::range<10>() | pl::shuffle(1)) ==
              pl::stream_facts{.count = ten, .order = ordering::permuted, .indexed = true, .keyed = true});
static_assert(known(pl::range<10>() | pl::shuffle(1)).draws == randomness::none);
static_assert(known(pl::range<10>() | pl::shuffle(5, 1)) ==
              pl::stream_facts{.count = ten, .order = ordering::permuted});
static_assert(known(pl::generate(by_number) | pl::shuffle(5, 1)).count == forever);
static_assert(known(pl::range<10>() | pl::shuffle(1) | pl::take(3)).order == ordering::permuted);

// ---- repeat
static_assert(known(pl::range<10>() | pl::repeat<3>()) ==
              pl::stream_facts{.count = cardinality::exactly(30), .indexed = true, .keyed = true});
static_assert(known(pl::range<10>() | pl::repeat(3)).count == any);
static_assert((pl::range<10>() | pl::repeat(3)).facts().count == cardinality::exactly(30));
static_assert(known(pl::range<10>() | pl::repeat()).count == forever);
static_assert(known(pl::range<10>() | pl::repeat<0>()).count == cardinality::exactly(0));
static_assert(known(pl::generate(by_number) | pl::repeat<0>()).count == cardinality::exactly(0));
static_assert(known(pl::generate(by_number) | pl::repeat<2>()).count == forever);
static_assert(known(pl::generate(by_number) | pl::repeat(0))
                  .count.contains((pl::generate(by_number) | pl::repeat(0)).facts().count));
static_assert((pl::range(10) | pl::filter(odd) | pl::repeat(3)).facts().count == cardinality::at_most(30));
static_assert(known(pl::range<10>() | pl::shuffle(1) | pl::repeat<2>()).order == ordering::permuted);

// ---- cache: reads its upstream once
static_assert(known(pl::range<10>() | pl::cache()) == known(pl::range<10>()));
static_assert(known(pl::range<10>() | pl::enumerate() | pl::cache()) == pl::stream_facts{.count = ten});
static_assert(known(pl::range<10>() | pl::filter(odd) | pl::cache()) == known(pl::range<10>() | pl::filter(odd)));
static_assert(facts_of<one_pass>.one_pass);
static_assert(!facts_of<decltype(std::declval<one_pass>() | pl::cache())>.one_pass);
static_assert(
    facts_of<decltype(std::declval<one_pass>() | pl::map([](int x) { return x; }) | pl::batch<2>())>.one_pass);

// ---- prefetch
static_assert(known(pl::range<10>() | pl::shuffle(1) | pl::prefetch(2)) ==
              pl::stream_facts{.count = ten, .order = ordering::permuted});

// ---- zip: the shortest
static_assert(known(pl::zip(pl::range<10>(), pl::range<10>())) == pl::stream_facts{.count = ten, .indexed = true});
static_assert(known(pl::zip(pl::range<10>(), pl::generate(by_number))).count == ten);
static_assert(known(pl::zip(pl::generate(by_number), pl::generate(by_number))).count == forever);
static_assert(pl::zip(pl::range(10), pl::range(12)).facts().count == ten);
static_assert(known(pl::zip(pl::range<10>(), pl::range<10>() | pl::shuffle(1))).order == ordering::permuted);
static_assert(known(pl::zip(pl::range<10>(), pl::range<10>() | pl::map(jitter))).draws == randomness::seeded);
static_assert(!known(pl::zip(pl::range<10>(), pl::range<10>() | pl::prefetch(1))).indexed);
static_assert(facts_of<decltype(pl::zip(pl::range<10>(), std::declval<one_pass>()))>.one_pass);
static_assert(std::same_as<decltype(pl::zip(pl::range(1), pl::range(1) | pl::map(halved)))::element,
                           std::tuple<std::int64_t, float>>);

// ---- concat: one after another
static_assert(known(pl::concat(pl::range<10>(), pl::range<5>())) ==
              pl::stream_facts{.count = cardinality::exactly(15), .indexed = true});
static_assert(known(pl::concat(pl::range<10>(), pl::range<5>() | pl::filter(odd))).count == cardinality{10, 15});
static_assert(known(pl::concat(pl::range<10>(), pl::generate(by_number))).count == forever);
static_assert(pl::concat(pl::range(10), pl::range(5)).facts().count == cardinality::exactly(15));
static_assert(known(pl::concat(pl::range<10>() | pl::shuffle(1), pl::range<5>())).order == ordering::permuted);
static_assert(known(pl::concat(pl::range<10>(), pl::range<5>() | pl::map(jitter))).draws == randomness::seeded);

// ---- interleave, flat_map: as many as the inner streams hold
constexpr auto three_each = [](std::int64_t) { return pl::range<3>(); };
constexpr auto some_each = [](std::int64_t n) { return pl::range(n); };
constexpr auto shuffled_each = [](std::int64_t) { return pl::range<3>() | pl::shuffle(1); };
constexpr auto random_each = [](std::int64_t) { return pl::range<3>() | pl::map(jitter); };
constexpr auto endless_each = [](std::int64_t) { return pl::range<3>() | pl::repeat(); };
constexpr auto vector_each = [](std::int64_t n) { return std::vector<float>(static_cast<std::size_t>(n)); };
static_assert(known(pl::range<10>() | pl::interleave(three_each)) ==
              pl::stream_facts{.count = cardinality::exactly(30)});
static_assert(known(pl::range<10>() | pl::flat_map(three_each)).count == cardinality::exactly(30));
static_assert(known(pl::range<10>() | pl::flat_map(some_each)).count == any);
static_assert(known(pl::range<10>() | pl::flat_map(vector_each)).count == any);
static_assert(known(pl::generate(by_number) | pl::flat_map(three_each)).count == forever);
static_assert(known(pl::generate(by_number) | pl::flat_map(some_each)).count == any, "all of them may be empty");
static_assert(known(pl::range<10>() | pl::flat_map(endless_each)).count == forever);
static_assert(known(pl::range<0>() | pl::flat_map(endless_each)).count == cardinality::exactly(0));
static_assert(known(pl::range<10>() | pl::filter(odd) | pl::flat_map(endless_each)).count == any, "perhaps none");
static_assert(known(pl::generate(by_number) | pl::interleave(endless_each)).count == forever);
static_assert((pl::range(0) | pl::interleave(endless_each)).facts().count == cardinality::exactly(0));
static_assert(known(pl::range<10>() | pl::interleave(shuffled_each)).order == ordering::permuted);
static_assert(known(pl::range<10>() | pl::interleave(random_each)).draws == randomness::seeded);
static_assert(std::same_as<decltype(pl::range(3) | pl::flat_map(vector_each))::element, float>);
static_assert(std::same_as<decltype(pl::range(3) | pl::interleave(some_each))::element, std::int64_t>);

// ---- together: a training pipeline, from its type
constexpr auto train = pl::range<1000>() | pl::shuffle(7) | pl::map(jitter) | pl::batch<32>(pl::drop_remainder) |
                       pl::repeat<3>() | pl::prefetch(2);
static_assert(known(train) == pl::stream_facts{.count = cardinality::exactly(93),
                                               .order = ordering::permuted,
                                               .draws = randomness::seeded});
static_assert(train.facts() == known(train));
// batches after repeat straddle epochs
static_assert(known(pl::range<10>() | pl::repeat<3>() | pl::batch<4>()).count == cardinality::exactly(8));
static_assert(known(pl::range<10>() | pl::batch<4>() | pl::repeat<3>()).count == cardinality::exactly(9));
