// error: plumbline: batch<0> would hold nothing; give at least 1
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::batch<0>();
#else
auto p = pl::range(9) | pl::batch<1>();
#endif
