// error: plumbline: shuffle\(seed\) needs elements that can be made by index
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

constexpr auto odd = [](std::int64_t x) { return x % 2 != 0; };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::interleave([](std::int64_t n) { return pl::range(n) | pl::filter(odd) | pl::shuffle(1); }) |
         pl::batch<2>();
#else
auto p = pl::range(3) | pl::interleave([](std::int64_t n) { return pl::range(n) | pl::shuffle(1) | pl::filter(odd); }) |
         pl::batch<2>();
#endif
