// error: plumbline: map\(f\): f returns nothing; return the element
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::map([](std::int64_t x) { ++x; });
#else
auto p = pl::range(3) | pl::map([](std::int64_t x) { return ++x; });
#endif
