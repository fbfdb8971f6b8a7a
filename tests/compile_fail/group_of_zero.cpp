// error: plumbline: group<0> would hold nothing; give at least 1
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::range(9) | pl::group<0>();
#else
auto p = pl::range(9) | pl::group<3>();
#endif
