// error: plumbline: cache cannot keep an endless stream; put cache\(\) before repeat\(\)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::repeat() | pl::cache();
#else
auto p = pl::range(9) | pl::cache() | pl::repeat();
#endif
