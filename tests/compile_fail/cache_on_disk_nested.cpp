// error: a stream that interleave or flat_map opens contains cache\(folder\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::interleave([](std::int64_t n) { return pl::range(n) | pl::cache("/tmp/kept"); });
#else
auto p = pl::range(9) | pl::interleave([](std::int64_t n) { return pl::range(n) | pl::cache(); });
#endif
