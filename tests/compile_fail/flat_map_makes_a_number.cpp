// error: plumbline: flat_map\(f\): f must make a stream or a range of each element, see Returned in this message; return a source or a vector
#include <plumbline/plumbline.hpp>

#include <vector>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::flat_map([](std::int64_t n) { return n; });
#else
auto p = pl::range(3) | pl::flat_map([](std::int64_t n) { return std::vector<std::int64_t>{n, n}; });
#endif
