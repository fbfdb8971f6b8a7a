// Where a cache may be inserted, by type; and that it does not change the elements.
#include <support/op_laws.hpp>
#include <support/streams.hpp>

#include <plumbline/tune/cache_sites.hpp>
#include <plumbline/tune/forms.hpp>

using namespace plumbline_test;

namespace {
const auto square = [](std::int64_t x) { return x * x; };
const auto odd = [](std::int64_t x) { return x % 2 != 0; };
const auto jitter = [](std::int64_t x, pl::rng& r) { return 10 * x + static_cast<std::int64_t>(r.below(1'000'000)); };
const auto sum = [](const std::tuple<std::int64_t, std::int64_t>& t) { return std::get<0>(t) + std::get<1>(t); };

template <class P> auto sites(const P&) {
  constexpr auto all = pl::cache_sites<P>();
  return std::vector<std::uint32_t>(all.begin(), all.end());
}
using numbers = std::vector<std::uint32_t>;

/// Checks that a cache at any one of the sites does not change the elements.
template <class P> void same_with_any_cache(const P& p) {
  constexpr auto all = pl::cache_sites<P>();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto holds = [&]<std::uint32_t At>(std::integral_constant<std::uint32_t, At>) {
      INFO("cache after operator " << At);
      const auto q = pl::with_cache<At>(p);
      for (const std::size_t threads : {0U, 1U, 3U}) {
        auto s = pl::run(q, with(threads, {}, 11));
        for (std::uint64_t e = 0; e != 3; ++e) {
          s.restart();
          CHECK(drained(s) == reference_texts(p, {11, e}));
        }
      }
    };
    (holds(std::integral_constant<std::uint32_t, all[I]>{}), ...);
  }
  (std::make_index_sequence<all.size()>{});
}
}  // namespace

TEST_CASE("cache sites: those that are valid and save something") {
  CHECK(sites(pl::range(9)) == numbers{});
  CHECK(sites(serial(9)) == numbers{1});
  CHECK(sites(pl::range(9) | pl::shuffle(1) | pl::map(square) | pl::map(jitter) | pl::map(square)) == numbers{3});
  CHECK(sites(pl::range(9) | pl::map(square) | pl::take(5) | pl::prefetch(2) | pl::batch(2)) == numbers{2, 5});
  CHECK(sites(pl::range(9) | pl::map(square) | pl::repeat() | pl::map(square) | pl::batch(2)) == numbers{2});
  CHECK(sites(pl::range(9) | pl::filter(odd) | pl::shuffle(4, 1) | pl::map(square)) == numbers{2});
  CHECK(sites(pl::range(9) | pl::map(square) | pl::cache() | pl::map(square)) == numbers{2, 4});
  // a cache over joined streams would end the random access that the shuffle needs
  const auto pairs = pl::zip(pl::range(9) | pl::map(square), pl::range(9) | pl::map(jitter));
  CHECK(sites(pairs | pl::shuffle(1)) == numbers{2});
  CHECK(sites(pl::zip(pl::range(9) | pl::map(square), serial(9) | pl::map(square)) | pl::map(sum)) ==
        numbers{2, 3, 4, 5, 6});
}

TEST_CASE("cache sites: a cache at any of them changes nothing") {
  same_with_any_cache(pl::range(90) | pl::shuffle(1) | pl::map(square) | pl::map(square) | pl::map(jitter) |
                      pl::batch(7));
  same_with_any_cache(pl::range(40) | reads(square) | pl::filter(odd) | pl::enumerate() | pl::batch(3) | pl::repeat(2));
  same_with_any_cache(pl::zip(pl::range(20) | pl::map(square), serial(20) | pl::map(square)) | pl::map(sum) |
                      pl::map(jitter) | pl::shuffle(5, 2));
  same_with_any_cache(pl::concat(pl::range(20) | pl::map(square), pl::range(9)) | pl::shuffle(3) | pl::map(jitter));
  same_with_any_cache(pl::range(6) | pl::interleave([](std::int64_t x) { return pl::range(x); }) | pl::map(jitter));
}

namespace {
/// Sites on one path, nearest the root first: those before `shares` keep all, the others a share.
template <std::size_t N> constexpr auto path_of(std::size_t shares) {
  std::array<pl::detail::site, N> all{};
  for (std::size_t i = 0; i != N; ++i)
    all[i] = {.after = static_cast<std::uint32_t>(N - i),
              .first = 1,
              .depth = static_cast<std::uint32_t>(i),
              .shares = i >= shares};
  return all;
}
/// The compiled ones as text, x for each.
template <std::size_t Sites, std::size_t N> std::string compiled(std::size_t shares) {
  std::string text;
  for (const bool is : pl::detail::compiled_of<Sites>(path_of<N>(shares))) text += is ? 'x' : '-';
  return text;
}
}  // namespace

TEST_CASE("cache sites: those that are compiled") {
  constexpr auto by_default = pl::detail::default_sites;
  CHECK(compiled<by_default, 6>(0) == "xxxxxx");
  CHECK(compiled<by_default, 10>(0) == "xxxxxxx--x");  // of many, the seven nearest the root and the farthest
  CHECK(compiled<by_default, 6>(6) == "xxx---");       // where all elements would be kept, three
  CHECK(compiled<by_default, 6>(4) == "xxx-xx");
  CHECK(compiled<by_default, 2>(1) == "xx");
  CHECK(compiled<2, 6>(4) == "xx----");
  CHECK(compiled<10, 6>(0) == "xxxxxx");
}

TEST_CASE("cache sites: optimize has files' bytes among them, however much follows") {
  const auto add = pl::map([](std::int64_t x) { return x + 1; });
  const auto p = pl::range(10) | pl::shuffle(1) | add | add | add | add | add | pl::batch(2);
  const auto sites = pl::detail::forms<pl::detail::default_sites, std::remove_const_t<decltype(p)>>::share_sites();
  CHECK(sites == numbers{3, 4, 5, 6, 7});
}
