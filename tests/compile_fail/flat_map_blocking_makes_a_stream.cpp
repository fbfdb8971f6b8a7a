// error: plumbline: flat_map\(blocking\(f\)\): f makes a stream, and what waits is that stream: use blocking in it
#include <plumbline/plumbline.hpp>

#include <vector>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::flat_map(pl::blocking([](std::int64_t x) { return pl::range(x); }));
#else
auto p = pl::range(9) | pl::flat_map(pl::blocking([](std::int64_t x) { return std::vector{x, x}; }));
#endif
