// error: plumbline: shuffle\(seed\) needs elements that can be made by index
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

constexpr auto odd = [](std::int64_t x) { return x % 2 != 0; };

#ifdef PLUMBLINE_EXPECT_ERROR
const auto rare = pl::filter(odd) | pl::shuffle(1);
#else
const auto rare = pl::shuffle(1) | pl::filter(odd);
#endif

auto p =
    pl::range(3) | pl::interleave([](std::int64_t n) { return pl::range(n) | rare; }) | (pl::take(2) | pl::batch<2>());
