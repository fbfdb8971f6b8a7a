// error: plumbline: zip joins several streams, and got one or none; give at least two
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::zip(pl::range(2));
#else
auto p = pl::zip(pl::range(2), pl::range(2));
#endif
