// error: plumbline: concat got an argument that is not a stream; begin it with a source
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::concat(pl::range(2), pl::map([](int x) { return x; }));
#else
auto p = pl::concat(pl::range(2), pl::range(3));
#endif
