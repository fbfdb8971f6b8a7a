// error: plumbline: split needs an indexed stream, whose elements can be chosen by number
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

const auto even = [](std::int64_t x) { return x % 2 == 0; };

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::split(pl::range(9) | pl::filter(even), {0.9, 0.1}, 42);
#else
auto p = pl::split(pl::range(9), {0.9, 0.1}, 42);
#endif
