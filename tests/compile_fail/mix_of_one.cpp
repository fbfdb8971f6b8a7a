// error: plumbline: mix joins several streams, and got one or none; give at least two
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::mix({}, pl::range(3));
#else
auto p = pl::mix({}, pl::range(3), pl::range(3));
#endif
