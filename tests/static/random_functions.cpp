// Which functions make map random: those that need a generator, not those that accept any argument.
#include <plumbline/data/on_first.hpp>
#include <plumbline/image.hpp>
#include <plumbline/ops.hpp>
#include <plumbline/sources.hpp>

#include <functional>
#include <tuple>
#include <utility>

namespace pl = plumbline;

template <class P> constexpr bool random(const P&) { return pl::facts_of<P>.draws == pl::randomness::seeded; }

constexpr auto numbers = pl::range<10>();
constexpr auto pairs = pl::zip(numbers, numbers);
constexpr auto pictures = numbers | pl::map([](std::int64_t) { return pl::image{}; });
constexpr auto labelled = numbers | pl::map([](std::int64_t i) { return std::pair(pl::image{}, i); });
std::int64_t draw(std::int64_t, pl::rng&);
std::int64_t keep(std::int64_t);

// ---- functions that need a generator
static_assert(random(numbers | pl::map([](std::int64_t x, pl::rng&) { return x; })));
static_assert(random(numbers | pl::map([](auto x, pl::rng&) { return x; })));
static_assert(random(numbers | pl::map([](auto x, auto& r) { return x + static_cast<std::int64_t>(r.below(3)); })));
static_assert(random(numbers | pl::map(draw)));
static_assert(random(pairs | pl::map([](const auto& t, pl::rng&) { return std::get<0>(t); })));
static_assert(random(pictures | pl::map(pl::random_flip())));
static_assert(random(pictures | pl::map(pl::random_resized_crop<8, 8>())));
static_assert(random(pictures | pl::map(pl::random_resized_crop(8, 8))));
static_assert(random(labelled | pl::map(pl::on_first(pl::random_flip()))));

// ---- functions that would accept a generator, but do not need one
static_assert(!random(numbers | pl::map(keep)));
static_assert(!random(numbers | pl::map([](auto&&... x) { return (0 + ... + x); })));
static_assert(!random(numbers | pl::map([](auto x, auto&&...) { return x; })));
static_assert(!random(pictures | pl::map(pl::resize<8, 8>())));
static_assert(!random(labelled | pl::map(pl::on_first(pl::resize<8, 8>()))));
static_assert(!random(labelled | pl::map(pl::on_first([](auto&&... x) { return sizeof...(x); }))));
static_assert(!random(labelled | pl::map(pl::on_first(std::bind([](auto&& x) { return x; }, std::placeholders::_1)))));
[[maybe_unused]] const auto bound = numbers | pl::map(std::bind(keep, std::placeholders::_1)) | pl::cache();
static_assert(pl::facts_of<std::remove_const_t<decltype(bound)>>.draws == pl::randomness::none);
