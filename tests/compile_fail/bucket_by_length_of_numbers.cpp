// error: plumbline: bucket_by_length cannot find the length of this stream's element, see Wanted and Given
#include <plumbline/plumbline.hpp>

#include <vector>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::bucket_by_length({.tokens = 9});
#else
auto p = pl::range(9) | pl::bucket_by_length({.tokens = 9}, [](std::int64_t x) { return x; });
#endif
