// error: plumbline: take_while\(f\): f must return bool, see Returned in this message
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::take_while([](std::int64_t x) { return x; });
#else
auto p = pl::range(9) | pl::take_while([](std::int64_t x) { return x < 5; });
#endif
