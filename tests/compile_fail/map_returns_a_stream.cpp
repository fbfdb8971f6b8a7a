// error: plumbline: map\(f\): f returns a stream, not an element; use flat_map\(f\) or interleave\(f\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::map([](std::int64_t n) { return pl::range(n); });
#else
auto p = pl::range(3) | pl::flat_map([](std::int64_t n) { return pl::range(n); });
#endif
