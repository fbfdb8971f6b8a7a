// error: plumbline: filter\(f\) calls f from several threads, and f changes itself when called .*; keep no state in f
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::filter([n = 0](std::int64_t) mutable { return n++ < 3; });
#else
auto p = pl::range(9) | pl::take(3);
#endif
