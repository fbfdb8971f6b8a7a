// error: plumbline: map\(f\) calls f from several threads, and f changes itself when called .*; keep no state in f
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::map([n = 0](std::int64_t x) mutable { return x + n++; });
#else
auto p = pl::range(3) | pl::map([n = 0](std::int64_t x) { return x + n; });
#endif
