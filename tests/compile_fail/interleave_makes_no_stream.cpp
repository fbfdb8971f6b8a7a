// error: plumbline: interleave\(f\): f must make a stream of each element, see Returned in this message; return a source
#include <plumbline/plumbline.hpp>

#include <vector>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(3) | pl::interleave([](std::int64_t n) { return std::vector<int>(std::size_t(n)); });
#else
auto p = pl::range(3) | pl::interleave([](std::int64_t n) { return pl::elements(std::vector<int>(std::size_t(n))); });
#endif
