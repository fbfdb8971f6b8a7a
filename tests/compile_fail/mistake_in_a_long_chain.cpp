// error: (Wanted = const std::.*string.*&; Given = double|map_wanted_and_given<const std::.*string.*&, double)
#include <plumbline/plumbline.hpp>

#include <string>

namespace pl = plumbline;

constexpr auto odd = [](std::int64_t x) { return x % 2 != 0; };
constexpr auto half = [](std::int64_t x) { return static_cast<double>(x) / 2; };
constexpr auto text = [](double x) { return std::to_string(x); };
constexpr auto length = [](const std::string& s) { return s.size(); };
constexpr auto jitter = [](std::size_t n, pl::rng& draw) { return n + draw.below(3); };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(1000) | pl::shuffle(7) | pl::skip(1) | pl::filter(odd) | pl::map(half) | pl::map(length) |
         pl::map(jitter) | pl::prefetch(4) | pl::batch<32>() | pl::take(5) | pl::repeat<2>();

void consume() {
  for (auto& b : pl::run(p)) static_cast<void>(b);
}
#else
auto p = pl::range(1000) | pl::shuffle(7) | pl::skip(1) | pl::filter(odd) | pl::map(half) | pl::map(text) |
         pl::map(length) | pl::map(jitter) | pl::prefetch(4) | pl::batch<32>() | pl::take(5) | pl::repeat<2>();

void consume() {
  for (auto& b : pl::run(p)) static_cast<void>(b);
}
#endif
