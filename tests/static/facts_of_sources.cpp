// The facts that the type of a source knows, and those that its object knows once it has its sizes.
#include <plumbline/sources.hpp>

#include <array>
#include <concepts>
#include <forward_list>
#include <list>
#include <memory>
#include <optional>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

namespace pl = plumbline;
using pl::cardinality;
using pl::facts_of;

// range
static_assert(facts_of<decltype(pl::range<10>())> ==
              pl::stream_facts{.count = cardinality::exactly(10), .indexed = true, .keyed = true});
static_assert(facts_of<decltype(pl::range<0>())>.count == cardinality::exactly(0));
static_assert(facts_of<decltype(pl::range(10))> ==
              pl::stream_facts{.count = cardinality::unknown(), .indexed = true, .keyed = true});
static_assert(pl::range(10).facts().count == cardinality::exactly(10));
static_assert(pl::range(-3, 4).facts().count == cardinality::exactly(7));
static_assert(pl::range<10>().facts() == facts_of<decltype(pl::range<10>())>);
static_assert(std::same_as<decltype(pl::range(3))::element, std::int64_t>);
static_assert(sizeof(pl::range<10>()) <= 2 * sizeof(std::int64_t), "a size in the type takes no room in the object");

// elements
using ten_names = decltype(pl::elements(std::array<std::string, 10>{}));
using names = decltype(pl::elements(std::vector<std::string>{}));
static_assert(facts_of<ten_names> ==
              pl::stream_facts{.count = cardinality::exactly(10), .indexed = true, .keyed = true});
static_assert(facts_of<names> == pl::stream_facts{.count = cardinality::unknown(), .indexed = true, .keyed = true});
static_assert(std::same_as<names::element, std::string>);
static_assert(std::same_as<decltype(pl::elements({1, 2, 3}))::element, int>);

// generate
constexpr auto by_number = [](std::uint64_t i) { return static_cast<float>(i); };
constexpr auto in_turn = [] { return std::optional<int>(); };
static_assert(facts_of<decltype(pl::generate(by_number))> ==
              pl::stream_facts{.count = cardinality::forever(), .indexed = true, .keyed = true});
static_assert(facts_of<decltype(pl::generate(7, by_number))> ==
              pl::stream_facts{.count = cardinality::unknown(), .indexed = true, .keyed = true});
static_assert(pl::generate(7, by_number).facts().count == cardinality::exactly(7));
static_assert(facts_of<decltype(pl::generate(in_turn))> == pl::stream_facts{});
static_assert(std::same_as<decltype(pl::generate(by_number))::element, float>);
static_assert(std::same_as<decltype(pl::generate(in_turn))::element, int>);

// from_range: forward ranges can be restarted, others cannot
static_assert(facts_of<decltype(pl::from_range(std::list<int>()))> == pl::stream_facts{});
static_assert(!facts_of<decltype(pl::from_range(std::forward_list<int>()))>.one_pass);
using from_text = decltype(pl::from_range(std::ranges::istream_view<int>(std::declval<std::istringstream&>())));
static_assert(facts_of<from_text> == pl::stream_facts{.one_pass = true});
static_assert(std::same_as<from_text::element, int>);
static_assert(std::same_as<decltype(pl::from_range(std::vector<bool>()))::element, std::vector<bool>::reference>,
              "a proxy stays the element type");
