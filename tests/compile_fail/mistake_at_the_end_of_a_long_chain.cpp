// error: plumbline: cache would give the same random draws in every epoch; put cache\(\) before the first random
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

constexpr auto odd = [](std::int64_t x) { return x % 2 != 0; };
constexpr auto half = [](std::int64_t x) { return static_cast<double>(x) / 2; };
constexpr auto text = [](double x) { return std::to_string(x); };
constexpr auto length = [](const std::string& s) { return s.size(); };
constexpr auto jitter = [](std::size_t n, pl::rng& draw) { return n + draw.below(3); };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p =
    pl::zip(pl::range(1000) | pl::skip(1) | pl::filter(odd) | pl::map(half) | pl::map(text) | pl::map(length),
            pl::range(1000) | pl::map(half) | pl::map(text) | pl::map(length) | pl::map(jitter) | pl::prefetch(4)) |
    pl::enumerate() | pl::take(5) | pl::repeat<2>() | pl::cache() | pl::repeat() | pl::prefetch(2);
#else
auto p = pl::zip(pl::range(1000) | pl::skip(1) | pl::filter(odd) | pl::map(half) | pl::map(text) | pl::map(length),
                 pl::range(1000) | pl::map(half) | pl::map(text) | pl::map(length) | pl::cache() | pl::map(jitter)) |
         pl::enumerate() | pl::take(5) | pl::repeat<2>() | pl::repeat() | pl::prefetch(2);
#endif
