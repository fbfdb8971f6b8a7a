// error: plumbline: flat_map\(f\): f must make a stream or a range of each element, see Returned in this message
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::flat_map([](std::int64_t) { return pl::take(2) | pl::batch<2>(); });
#else
auto p = pl::range(3) | pl::flat_map([](std::int64_t n) { return pl::range(n) | (pl::take(2) | pl::batch<2>()); });
#endif
