// error: plumbline: shuffle\(seed\) needs elements that can be made by index
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

constexpr auto odd = [](std::int64_t x) { return x % 2 != 0; };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::filter(odd) | pl::shuffle(1);
#else
auto p = pl::range(9) | pl::shuffle(1) | pl::filter(odd);
#endif
