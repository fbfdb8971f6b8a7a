// error: plumbline: filter\(f\): f must return bool, see Returned in this message; return a comparison
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::filter([](std::int64_t x) { return x % 2; });
#else
auto p = pl::range(9) | pl::filter([](std::int64_t x) { return x % 2 != 0; });
#endif
